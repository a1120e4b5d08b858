"""The graph: what is recorded of operators as they run, so that `autograd` can walk it backwards.

Modules, from the ground up: `node` (an operator that ran), `saved_tensor` (what it kept for its derivative),
`accumulate_grad` (the leaves), `derivative` (how a derivative is declared), `formula_node` (the nodes that come of such
formulas), `inplace` (how a write changes the history of a tensor, its base and its views), `recorder` (how a node is
made when an operator runs), and `tensor_fields` (the attributes of a tensor that show all this).
"""
