"""How often 95% bootstrap intervals held the truth in simulation; measured by benchmarks/coverage.py.

The page docs/explanation/coverage.md holds all of it; a test keeps these few figures equal to it.
"""

from __future__ import annotations

__all__ = ["AGREEMENT_TOPICS", "DIFFERENCES", "MEANS", "MEANS_LOPSIDED"]

# percentile bootstrap, by number of questions
MEANS = {12: 0.920, 40: 0.941, 100: 0.947, 300: 0.944}  # values like nDCG, spread over the scale
MEANS_LOPSIDED = {12: 0.784, 40: 0.877, 100: 0.930, 300: 0.941}  # seven in ten values are 0
DIFFERENCES = {12: 0.858, 40: 0.926, 100: 0.938, 300: 0.945}  # paired, six in ten are ties
# of the coefficients of two judges, topics of five items drawn whole: lowest and highest with 8 topics
AGREEMENT_TOPICS = (0.870, 0.918)
