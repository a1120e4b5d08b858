"""`memory_timeline`: what a block of code allocates, frees and copies."""
