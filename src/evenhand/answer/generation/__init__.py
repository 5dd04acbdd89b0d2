"""What a generator is asked, and how its reply is read. Nothing is called here."""
