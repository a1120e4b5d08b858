"""Lessons on the messages of PyTorch that people search for: Markdown files, and `explain`, which finds a message
there."""
