"""People as annotators: pools, blind queues, agreement, adjudication. Core: no I/O."""
