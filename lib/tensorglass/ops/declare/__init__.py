"""Declaring operators: one function becomes every form that users call."""
