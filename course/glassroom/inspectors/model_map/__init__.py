"""`model_map`: the memory of networks, module by module."""
