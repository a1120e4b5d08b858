"""What layers compute in one node of the graph, as ATen has it: activations, losses, embeddings, convolutions."""
