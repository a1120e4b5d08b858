"""Declaring operators: from one function to every form of it that users call."""
