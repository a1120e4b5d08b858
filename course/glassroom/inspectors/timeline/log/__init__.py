"""`memory_log`: what a long training run does to memory, seen in one step of many."""
