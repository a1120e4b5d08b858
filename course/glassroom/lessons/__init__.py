"""Lessons on the messages of PyTorch that people search for: Markdown files, and what finds a message there."""
