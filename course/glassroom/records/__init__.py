"""Plain data, which reading writes down and drawing draws: no tensors, no pictures."""
