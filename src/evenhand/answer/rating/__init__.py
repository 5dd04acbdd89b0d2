"""People and models as raters: batches, queues, logs, ratings, and how far raters and checks agree."""
