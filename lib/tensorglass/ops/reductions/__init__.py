"""Operators along dimensions: sums, extrema, running totals, softmax."""
