"""From live tensors to plain data. Nothing is drawn here, and nothing that is read is changed or kept alive."""
