"""`step_backward`: a backward, node by node."""
