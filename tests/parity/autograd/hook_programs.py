"""Generated programs about hooks: of every kind, on every tensor and node, between in-place writes, some taken away."""

import random

_CHANGES = ("None", "g * 2", "g + 1", "g.clone()", "g.mul_(1)")
_INPUTS = ("x", "w", "a", "b", "x, w", "a, b", "x, b", "x, w, a, b")


def program(seed: int) -> str:
    """One program; the same for the same seed."""
    choose = random.Random(seed)
    lines = [
        "x = torch.tensor([1.0, 2.0], requires_grad=True)",
        "w = torch.tensor([3.0, 4.0], requires_grad=True)",
        "handles = []",
        "a = x * 2",
        *_actions(choose, ["x", "w", "a"], ["a"], 3),
        "b = a * w",
        *_actions(choose, ["x", "w", "a", "b"], ["a", "b"], 4),
        "c = b * b",
        *_actions(choose, ["x", "a", "b", "c"], ["a", "b", "c"], 4),
        "see(a, b, c)",
        "out = c.sum()",
    ]
    inputs = choose.choice(_INPUTS)
    runs = (
        "out.backward(retain_graph=True)",
        "out.backward(retain_graph=True)",
        f"out.backward(inputs=[{inputs}], retain_graph=True)",
        f"torch.autograd.grad(out, [{inputs}], retain_graph=True, allow_unused=True)",
    )
    for _ in range(2):
        lines += [f"attempt(lambda: {choose.choice(runs)})", "see(x.grad, w.grad, a.grad, b.grad, c.grad)"]
        lines += _actions(choose, ["x", "a"], ["b"], 1)
    return "\n".join(lines) + "\n"


def _actions(choose: random.Random, tensors: list[str], nodes: list[str], most: int) -> list[str]:
    lines = []
    for _ in range(choose.randint(0, most)):
        name = f"h{choose.randrange(10**6)}"
        tensor, node, change = choose.choice(tensors), choose.choice(nodes), choose.choice(_CHANGES)
        action = choose.choice(("hook", "hook", "hook", "pre", "post", "retain", "remove", "write", "leaf", "view"))
        if action == "hook":
            call = f"{tensor}.register_hook(lambda g: (see('{name}', g), {change})[1])"
            lines.append(f"handles.append({call})")
        elif action == "pre":
            change = "None" if change == "None" else f"({change.replace('g', 'g[0]')},)"
            lines.append(f"handles.append({node}.grad_fn.register_prehook(lambda g: (see('{name}', g), {change})[1]))")
        elif action == "post":
            change = "None" if change == "None" else "tuple(None if g is None else g * 3 for g in i)"
            lines.append(
                f"handles.append({node}.grad_fn.register_hook(lambda i, o: (see('{name}', i, o), {change})[1]))"
            )
        elif action == "retain":
            lines.append(f"{tensor}.retain_grad()")
        elif action == "remove":
            lines.append("if handles: handles.pop(0).remove()")
        elif action == "write":
            lines.append(f"attempt(lambda: {node}.mul_(3))")
        elif action == "view":
            lines.append(f"attempt(lambda: {node}[0].mul_(3))")
        else:
            lines.append(
                f"attempt(lambda: {tensor}.register_post_accumulate_grad_hook(lambda t: see('{name}', t.grad)))"
            )
    return lines
