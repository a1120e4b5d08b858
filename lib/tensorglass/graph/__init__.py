"""The graph: what is recorded of operators as they run, so that `autograd` can walk it backwards.

Modules, from the ground up: `modes` (whether to record), `meta` (a tensor's place in the graph), `hooks`, `node` (an
operator that ran), `saved` (what it kept for its derivative), `derivative` (how a derivative is declared), `inplace`
(how a write changes the history of a tensor, its base and its views), `formula_node` (the nodes that formulas derive),
`recording` (how such a node comes about), `anomaly`, and `fields` (what a tensor says of all this).
"""
