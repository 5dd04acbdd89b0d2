"""The journal of calls to models: what was paid for once is never asked again."""
