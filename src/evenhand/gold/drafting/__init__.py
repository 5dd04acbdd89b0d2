"""Questions drafted by a model: what it is asked, how its reply is read and filtered."""
