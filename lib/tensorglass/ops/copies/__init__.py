"""Copies: clone, copy_, conversions to another dtype or device, pickling."""
