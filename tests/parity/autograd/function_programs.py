"""Generated custom functions: every kind of input and output, of saved values, and of later use."""

import itertools

INPUTS = {
    "leaf": "x = source",
    "computed": "x = source * 1",
    "view": "x = (source * 1)[1:]",
    "plain": "x = torch.tensor([1.0, 2.0, 3.0, 4.0])",
    "view of plain": "x = torch.tensor([1.0, 2.0, 3.0, 4.0])[1:]",
}

#: What forward does, what it returns, what backward returns.
BODIES = {
    "new": ("y = x * w[:len(x)] * 2", "y", "g * w[:len(g)] * 2"),
    "view": ("y = x[:2]", "y", "torch.cat([g * 2, g.new_zeros(ctx.n - 2)])"),
    "as it is": ("y = x", "y", "g * 2"),
    "written": ("y = x.mul_(3)", "y", "g * 5"),
    "two": ("y = x * 2; z = x * 3", "(y, z)", "g * 2 + h * 3"),
    "two views": ("y = x[:1]; z = x[1:]", "(y, z)", "torch.cat([g, h]) * 2"),
    "new and itself": ("y = x * 2; z = x", "(y, z)", "g * 2 + h * 7"),
    "one fixed": ("y = x * 2; z = x * 3", "(y, z)", "g * 2"),
    "integers": ("y = x * 2; z = x.argmax()", "(y, z)", "g * 2"),
    "detached": ("y = x.detach()", "y", "g * 2"),
}
_SAID = {"written": "ctx.mark_dirty(x)", "one fixed": "ctx.mark_non_differentiable(z)"}

_SAVED = ("", "x", "y", "x, y")

_AFTER = {
    "backward": "out.sum().backward(); see(source.grad)",
    "twice": "g, = torch.autograd.grad((out * out).sum(), source, create_graph=True, allow_unused=True); see(g); "
    "see(torch.autograd.grad(g.sum(), source, allow_unused=True))",
    "written": "attempt(lambda: out.mul_(2)); see(x, out); out.sum().backward(); see(source.grad)",
    "input written": "attempt(lambda: x.mul_(2)); attempt(lambda: out.grad_fn); out.sum().backward(); see(source.grad)",
    "in no_grad": "",
}


def programs(body: str) -> list[str]:
    """All programs with this kind of forward."""
    cases = itertools.product(INPUTS, _SAVED, _AFTER, (False, True))
    return [_program(body, given, saved, after, has_setup) for given, saved, after, has_setup in cases]


def _program(body: str, given: str, saved: str, after: str, has_setup: bool) -> str:
    work, returned, gradient = BODIES[body]
    is_pair = returned.startswith("(")
    arguments = "g, h" if is_pair else "g"
    notes = ["ctx.n = len(x)", _SAID.get(body, "pass"), f"ctx.save_for_backward({saved})" if saved else "pass"]
    if has_setup:
        unpacked = ["(x,) = inputs", f"{'y, z' if is_pair else 'y'} = output"]
        forward = _method("forward(x)", [work, f"return {returned}"])
        forward += _method("setup_context(ctx, inputs, output)", unpacked + notes)
    else:
        forward = _method("forward(ctx, x)", [work, *notes, f"return {returned}"])
    seen = f"see({arguments}, ctx.needs_input_grad, ctx.saved_tensors)"
    lines = [
        "source = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)",
        "w = torch.tensor([2.0, 3.0, 5.0, 7.0])",
    ]
    lines += [INPUTS[given], "class Fn(torch.autograd.Function):", *forward]
    lines += _method(f"backward(ctx, {arguments})", [seen, f"return {gradient}"])
    if after == "in no_grad":
        lines += ["with torch.no_grad(): out = Fn.apply(x)", "see(out, x)"]
    else:
        lines += ["out = Fn.apply(x)", "see(out, x, x._version)"]
        if is_pair:
            lines.append("out = out[0] * 1 + 0 * out[1].sum()")
        lines += _AFTER[after].split("; ")
    return "\n".join(lines) + "\n"


def _method(header: str, body: list[str]) -> list[str]:
    return ["    @staticmethod", f"    def {header}:", *("        " + line for line in body)]
