"""Many calls at once: queues of endpoints, concurrency, rate limits, retries, progress."""
