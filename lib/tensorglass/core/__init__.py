"""The names of things: dtypes, devices, memory formats, sizes, and how errors are worded. It knows no tensors."""
