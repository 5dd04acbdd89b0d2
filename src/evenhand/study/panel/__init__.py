"""The panel of a study, and its calibration by people."""
