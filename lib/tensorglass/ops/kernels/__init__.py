"""Kernels that several operators share: arrays in, arrays out. Nothing here knows a tensor."""
