"""What people answer wrongly in notebook 10 of part 3, and what the checks tell them."""

from exercise_answers import right_answers, wrong_answers

PRODUCT = "def multiply_rule(grad, a, b): return "
FITTED = """
def fitted(grad, size):
    while grad.dim() > len(size):
        grad = grad.{front}
    for dim, length in enumerate(size):
        if length == 1:
            grad = grad.{kept}
    return grad
"""
MATMUL = "def matmul_rule(grad, a, b): return "
ROWS = "def rows_rule(grad, a, rows): "
TURN = """
def turn(node, grad):
    if node.rule is None:
        node.grad = {leaf}
        return {nothing}
    {before}
    return {sent}
"""
ADDED = "grad if node.grad is None else node.grad + grad"
SENT = "list(zip(node.inputs, node.rule(grad)))"


def turn(leaf: str = ADDED, nothing: str = "[]", before: str = "pass", sent: str = SENT) -> str:
    return TURN.format(leaf=leaf, nothing=nothing, before=before, sent=sent)


test_wrong_answers = wrong_answers(
    [
        ("a10-multiply", PRODUCT + "grad * a, grad * b", "The two are swapped"),
        ("a10-multiply", PRODUCT + "b, a", "leaves out `grad`"),
        ("a10-multiply", PRODUCT + "grad * (a + b)", "should return two gradients"),
        ("a10-multiply", PRODUCT + "(grad * b).sum(), (grad * a).sum()", "shape"),
        ("a10-fitted", "def fitted(grad, size): return grad", "has size (2, 3, 4)"),
        ("a10-fitted", FITTED.format(front="sum(0)", kept="sum(dim)"), "keepdim"),
        ("a10-fitted", FITTED.format(front="mean(0)", kept="mean(dim, keepdim=True)"), "That is a mean"),
        ("a10-fitted", FITTED.format(front="sum(-1)", kept="sum(dim, keepdim=True)"), "has size"),
        ("a10-fitted", FITTED.format(front="select(0, 0)", kept="sum(dim, keepdim=True)"), "fitted(grad, (3, 4))"),
        ("a10-matmul", MATMUL + "grad @ b, a @ grad", "raised RuntimeError"),
        ("a10-matmul", MATMUL + "(grad @ b.t()).t(), a.t() @ grad", "is transposed"),
        ("a10-matmul", MATMUL + "grad @ b.t()", "two gradients"),
        ("a10-matmul", MATMUL + "a.t() @ grad, grad @ b.t()", "gradient of a"),
        ("a10-rows", ROWS + "return grad[rows]", "has the size of what arrives"),
        ("a10-rows", ROWS + "return grad", "has the size of what arrives"),
        ("a10-rows", ROWS + "made = torch.zeros_like(a); made[rows] = grad; return made", "They have to add up"),
        ("a10-rows", ROWS + "made = torch.zeros_like(a); made[rows] += grad; return made", "They have to add up"),
        ("a10-rows", ROWS + "return torch.zeros_like(a)", "the gradient of a"),
        ("a10-rows", ROWS + "return torch.zeros_like(a).index_add_(0, rows, grad), rows", "one gradient"),
        ("a10-turn", turn(leaf="grad"), "yours starts over"),
        ("a10-turn", turn(nothing="None"), "returned nothing"),
        ("a10-turn", turn(before="node.grad = grad"), "Only leaves keep"),
        ("a10-turn", turn(sent="list(node.rule(grad))"), "a list of pairs"),
        ("a10-turn", turn(sent="list(zip(node.rule(grad), node.inputs))"), "(input, gradient)"),
        ("a10-turn", turn(sent="list(zip(node.inputs, node.rule(1.0)))"), "calls it"),
        ("a10-turn", turn(sent="[(each, grad) for each in node.inputs]"), "calls it 0 times"),
        (
            "a10-turn",
            turn(before="for each, part in zip(node.inputs, node.rule(grad)): each.grad = part", sent="[]"),
            "own turn",
        ),
    ]
)

test_unusual_right_answers = right_answers(
    [
        ("a10-multiply", "multiply_rule = lambda grad, a, b: [b * grad, a * grad]"),
        ("a10-multiply", PRODUCT + "torch.mul(grad, b), torch.einsum('i,i->i', grad, a)"),
        (
            "a10-fitted",
            "def fitted(grad, size):\n"
            "    front = grad.dim() - len(size)\n"
            "    dims = [d for d in range(grad.dim()) if d < front or size[d - front] == 1]\n"
            "    return grad.sum(dims, keepdim=True).reshape(size) if dims else grad",
        ),
        ("a10-fitted", "def fitted(grad, size): return grad.sum_to_size(size)"),
        ("a10-matmul", MATMUL + "torch.einsum('nm,km->nk', grad, b), torch.einsum('nk,nm->km', a, grad)"),
        ("a10-matmul", MATMUL + "[(b @ grad.t()).t(), (grad.t() @ a).t()]"),
        ("a10-rows", ROWS + "return torch.nn.functional.one_hot(rows, len(a)).to(grad.dtype).t() @ grad"),
        ("a10-rows", ROWS + "return torch.zeros_like(a).index_put_((rows,), grad, accumulate=True)"),
        (
            "a10-rows",
            "def rows_rule(grad, a, rows):\n"
            "    made = torch.zeros_like(a)\n"
            "    for row, each in zip(rows.tolist(), grad): made[row] += each\n"
            "    return made",
        ),
        ("a10-turn", turn(leaf="(node.grad or 0.0) + grad", nothing="()")),
        ("a10-turn", turn(sent="tuple([each, part] for each, part in zip(node.inputs, node.rule(grad)))")),
        ("a10-turn", turn(sent="zip(node.inputs, node.rule(grad))")),
    ]
)
