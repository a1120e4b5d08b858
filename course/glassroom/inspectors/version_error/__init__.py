"""`explain_error`: who saved the tensor that was overwritten, and which line wrote it."""
