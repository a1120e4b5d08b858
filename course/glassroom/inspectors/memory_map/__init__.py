"""`show`: the memory of tensors, cell by cell."""
