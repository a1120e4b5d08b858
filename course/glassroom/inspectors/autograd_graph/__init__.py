"""`graph`: the autograd graph behind a tensor."""
