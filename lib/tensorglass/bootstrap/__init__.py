"""What runs before the library is there, and what answers for names that it does not have."""
