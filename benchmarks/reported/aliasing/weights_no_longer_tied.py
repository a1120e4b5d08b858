"""The output layer should have the weight of the embedding, but a copy of the network's part has its own.

After "How to correctly handle embedding tying?" (facebookresearch/lingua).

Look: assert_shares_memory
Apart: embedding.weight and head.weight
Told by: embedding.weight and head.weight
"""

from copy import deepcopy

from torch import nn

embedding, head = nn.Embedding(20, 8), nn.Linear(8, 20, bias=False)
head.weight = embedding.weight
head = deepcopy(head)  # mended: head.requires_grad_(True)
