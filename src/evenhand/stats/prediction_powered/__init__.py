"""A few human labels and many of a judge, without the judge's bias."""
