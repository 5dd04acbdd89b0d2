"""How far raters agree, and how accurate a judge is beside people."""
