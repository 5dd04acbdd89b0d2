"""One client a wire format: OpenAI's, Anthropic's, embeddings, programs, recordings, objects of yours."""
