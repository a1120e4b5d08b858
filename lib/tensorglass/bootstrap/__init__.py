"""What runs before the rest of the library is imported, and what handles names that it does not have."""
