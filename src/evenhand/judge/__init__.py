"""Models as judges: panels, their calibration by people, their robustness. Core: no I/O."""
