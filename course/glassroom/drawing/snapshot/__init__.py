"""A snapshot of tensors drawn: its sentences, its text, its SVG."""
