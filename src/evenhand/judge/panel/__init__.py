"""A panel of models: prompt, fence, replies, votes, decisions."""
