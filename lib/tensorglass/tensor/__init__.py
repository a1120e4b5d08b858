"""The tensor: a header that says how to read a storage, and what every tensor carries."""
