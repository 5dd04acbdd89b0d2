"""Reports: one schema, a folder of tables and charts a section, and every form they are written in."""
