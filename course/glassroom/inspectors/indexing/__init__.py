"""`explore_index`: which cells an index picks."""
