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
WAITING = """
def waiting(root):
    counts, stack = {{root: {first}}}, [root]
    while stack:
        for source in stack.pop().inputs:
            if source not in counts:
                counts[source] = 0
                {push}
            {count}
    {last}
    return counts
"""
BACKWARD = """
def backward(root, gradient):
    missing, arrived, ready = waiting(root), {{root: {first}}}, [root]
    while ready:
        node = ready.pop()
        grad = arrived.pop(node)
        {all}
        if node.rule is None:
            node.grad = {leaf}
            continue
        for source, part in zip(node.inputs, node.rule(grad)):
            arrived[source] = {arrive}
            missing[source] -= 1
            if missing[source] == 0:
                ready.append(source)
"""
ADDED = "grad if node.grad is None else node.grad + grad"
SUMMED = "arrived[source] + part if source in arrived else part"
RECURSIVE = """
def backward(root, gradient):
    if root.rule is None:
        root.grad = gradient if root.grad is None else root.grad + gradient
        return
    for source, part in zip(root.inputs, root.rule(gradient)):
        backward(source, part)
"""


def backward(first: str = "gradient", all: str = "pass", leaf: str = ADDED, arrive: str = SUMMED) -> str:
    return BACKWARD.format(first=first, all=all, leaf=leaf, arrive=arrive)


def waiting(
    first: str = "0", push: str = "stack.append(source)", count: str = "counts[source] += 1", last: str = ""
) -> str:
    return WAITING.format(first=first, push=push, count=count, last=last)


test_wrong_answers = wrong_answers(
    [
        ("a09-multiply", PRODUCT + "grad * a, grad * b", "The two are swapped"),
        ("a09-multiply", PRODUCT + "b, a", "leaves out `grad`"),
        ("a09-multiply", PRODUCT + "grad * (a + b)", "should return two gradients"),
        ("a09-multiply", PRODUCT + "(grad * b).sum(), (grad * a).sum()", "shape"),
        ("a09-fitted", "def fitted(grad, size): return grad", "has size (2, 3, 4)"),
        ("a09-fitted", FITTED.format(front="sum(0)", kept="sum(dim)"), "keepdim"),
        ("a09-fitted", FITTED.format(front="mean(0)", kept="mean(dim, keepdim=True)"), "That is a mean"),
        ("a09-fitted", FITTED.format(front="sum(-1)", kept="sum(dim, keepdim=True)"), "has size"),
        ("a09-fitted", FITTED.format(front="select(0, 0)", kept="sum(dim, keepdim=True)"), "`fitted(grad, (3, 4))"),
        ("a09-matmul", MATMUL + "grad @ b, a @ grad", "raised RuntimeError"),
        ("a09-matmul", MATMUL + "(grad @ b.t()).t(), a.t() @ grad", "is transposed"),
        ("a09-matmul", MATMUL + "grad @ b.t()", "two gradients"),
        ("a09-matmul", MATMUL + "a.t() @ grad, grad @ b.t()", "gradient of a"),
        ("a09-waiting", waiting(count=""), "Count it every time"),
        ("a09-waiting", waiting(first="1"), "nothing sends a gradient to the root"),
        ("a09-waiting", waiting(push=""), "are missing"),
        ("a09-waiting", waiting(last="del counts[root]"), "The root belongs"),
        ("a09-waiting", waiting(count="counts[source] = 1"), "also of the same node"),
        ("a09-waiting", "def waiting(root): return len(root.inputs)", "a dictionary"),
        ("a09-backward", RECURSIVE, "called its rule twice"),
        ("a09-backward", backward(first="1.0"), "it is not 1 here"),
        ("a09-backward", backward(leaf="grad"), "yours starts over"),
        ("a09-backward", backward(arrive="part"), "gradients that arrive at the same node add up"),
        ("a09-backward", backward(all="node.grad = grad"), "Only leaves keep"),
        ("a09-backward", "def backward(root, gradient): root.grad = gradient", "is still None"),
    ]
)

test_unusual_right_answers = right_answers(
    [
        ("a09-multiply", "multiply_rule = lambda grad, a, b: [b * grad, a * grad]"),
        ("a09-multiply", PRODUCT + "torch.mul(grad, b), torch.einsum('i,i->i', grad, a)"),
        (
            "a09-fitted",
            "def fitted(grad, size):\n"
            "    front = grad.dim() - len(size)\n"
            "    dims = [d for d in range(grad.dim()) if d < front or size[d - front] == 1]\n"
            "    return grad.sum(dims, keepdim=True).reshape(size) if dims else grad",
        ),
        ("a09-fitted", "def fitted(grad, size): return grad.sum_to_size(size)"),
        ("a09-matmul", MATMUL + "torch.einsum('nm,km->nk', grad, b), torch.einsum('nk,nm->km', a, grad)"),
        ("a09-matmul", MATMUL + "[(b @ grad.t()).t(), (grad.t() @ a).t()]"),
        (
            "a09-waiting",
            "from collections import Counter\n"
            "def waiting(root):\n"
            "    counts, seen = Counter({root: 0}), set()\n"
            "    def visit(node):\n"
            "        if node in seen: return\n"
            "        seen.add(node)\n"
            "        for each in node.inputs: counts[each] += 1; visit(each)\n"
            "    visit(root)\n"
            "    return counts",
        ),
        (
            "a09-waiting",
            "def waiting(root):\n"
            "    nodes = [root]\n"
            "    for node in nodes: nodes += [each for each in dict.fromkeys(node.inputs) if each not in nodes]\n"
            "    return {node: sum(each.inputs.count(node) for each in nodes) for node in nodes}",
        ),
        (
            "a09-backward",
            "def backward(root, gradient):\n"
            "    order = []\n"
            "    def visit(node):\n"
            "        if node not in order:\n"
            "            for each in node.inputs: visit(each)\n"
            "            order.append(node)\n"
            "    visit(root)\n"
            "    grads = {root: gradient}\n"
            "    for node in reversed(order):\n"
            "        if node.rule is None: node.grad = (node.grad or 0.0) + grads[node]; continue\n"
            "        for each, part in zip(node.inputs, node.rule(grads[node])):\n"
            "            grads[each] = grads.get(each, 0) + part",
        ),
        ("a09-backward", backward(leaf="(node.grad or 0.0) + grad", arrive="arrived.get(source, 0.0) + part")),
    ]
)
