"""``evenhand judge``: pools, queues of annotators, panels of models, calibration, stress tests."""
