"""The JSON object in a model's reply, read strictly; and how structured output is asked for."""
