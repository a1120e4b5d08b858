"""Scenarios of custom operators, as source that runs on both libraries (see `same_source`)."""

PRELUDE = """
Tensor, custom_op, infer_schema = torch.Tensor, torch.library.custom_op, torch.library.infer_schema
x = torch.tensor([1.0, -3.0], requires_grad=True)
w = torch.tensor([2.0, 5.0], requires_grad=True)

def softsign(x: Tensor) -> Tensor:
    see("inside", torch.is_grad_enabled())
    return x / (1 + x.abs())

def keep(ctx, inputs, output):
    ctx.save_for_backward(output)

def slope(ctx, grad):
    (output,) = ctx.saved_tensors
    return grad * (1 - output.abs()) ** 2
"""

STORIES = {
    "an operator without a derivative": """
        op = custom_op("tg::softsign_a", mutates_args=())(softsign)
        see(repr(op), op(x.detach()), op(x))
        with torch.no_grad():
            see(op(x))
        attempt(lambda: op(x).sum().backward())
    """,
    "an operator with one": """
        op = custom_op("tg::softsign_b", softsign, mutates_args=())
        see(op.register_autograd(slope, setup_context=keep))
        y = op(x)
        y.sum().backward()
        see(y, x.grad)
        point = torch.tensor([0.5, -2.0], dtype=torch.float64, requires_grad=True)
        g, = torch.autograd.grad(op(point).sum(), point, create_graph=True)
        see(g.detach(), torch.autograd.grad(g.sum(), point))
    """,
    "several arguments and results": """
        @custom_op("tg::spread", mutates_args=())
        def spread(x: Tensor, width: float, times: int = 2) -> tuple[Tensor, Tensor]:
            return x * width, x + times
        see(spread(x.detach(), 3), spread(x.detach(), width=0.5, times=1))
        def back(ctx, one, other):
            return one * ctx.width + other, None, None
        def note(ctx, inputs, output):
            see(len(inputs), len(output))
            ctx.width = inputs[1]
        spread.register_autograd(back, setup_context=note)
        one, other = spread(x, 3.0)
        see(one, other)
        (one + other).sum().backward()
        see(x.grad)
    """,
    "keyword-only arguments": """
        @custom_op("tg::times", mutates_args=())
        def times(x: Tensor, *, factor: float = 2.0) -> Tensor:
            return x * factor
        def note(ctx, inputs, keyword_only_inputs, output):
            see(len(inputs))
            ctx.factor = keyword_only_inputs["factor"]
        times.register_autograd(lambda ctx, grad: grad * ctx.factor, setup_context=note)
        times(x).sum().backward()
        times(x, factor=10.0).sum().backward()
        see(x.grad)
    """,
    "results that are refused": """
        for place, result in enumerate((lambda x: x, lambda x: x.view(-1), lambda x: x[:1])):
            def shared(x: Tensor) -> Tensor:
                return result(x)
            op = custom_op(f"tg::shared_{place}", shared, mutates_args=())
            attempt(lambda: op(torch.ones(2)))
    """,
    "an operator that writes": """
        @custom_op("tg::raise_by_one", mutates_args=("x",))
        def raise_by_one(x: Tensor) -> None:
            x.add_(1)
        a = torch.zeros(2)
        see(raise_by_one(a), a)
        attempt(lambda: raise_by_one.register_autograd(slope))
    """,
    "schemas": """
        from typing import Optional, Sequence
        def f(x: Tensor, a: int, b: float, c: bool, d: str, e: Optional[Tensor], g: Sequence[Tensor], h: list[int],
              j: torch.dtype, k: torch.device, l: int | float | bool, m: int | None = None, n: float = 2.5,
              o: str = "x", p: bool = True, r: torch.dtype = torch.float32, *, s: int = 3) -> tuple[Tensor, int]: ...
        see(infer_schema(f, mutates_args=()))
        see(infer_schema(f, mutates_args=("x",)), infer_schema(f, mutates_args="unknown"))
        see(infer_schema(softsign, mutates_args=(), op_name="tg::softsign"))
        def nothing(x: Tensor) -> None: ...
        def several(x: Tensor) -> list[Tensor]: ...
        see(infer_schema(nothing, mutates_args=()), infer_schema(several, mutates_args=()))
    """,
    "annotations that are refused": """
        def bare(x) -> Tensor: ...
        def silent(x: Tensor): ...
        def table(x: dict) -> Tensor: ...
        def returns_table(x: Tensor) -> dict: ...
        def many(*x: Tensor) -> Tensor: ...
        def count(x: int) -> Tensor: ...
        for function in (bare, silent, table, returns_table, many, count):
            attempt(lambda: infer_schema(function, mutates_args=("x",) if function is count else ()))
        attempt(lambda: infer_schema(softsign, mutates_args=("y",)))
    """,
    "what is left out because it is as by default": """
        @custom_op("tg::scaled", mutates_args=())
        def scaled(x: Tensor, other: Tensor | None = None, scale: float = 2.0, twice: bool = False) -> Tensor:
            return x * scale
        def note(ctx, inputs, output):
            see(inputs[1:])
            ctx.scale = inputs[2]
        answers = (
            lambda grad: grad, lambda grad: (grad,), lambda grad: (grad, None), lambda grad: (grad, None, None, None),
            lambda grad: (), lambda grad: (grad, grad), lambda grad: None,
        )
        for answer in answers:
            def back(ctx, grad):
                see(ctx.needs_input_grad)
                return answer(grad * ctx.scale)
            scaled.register_autograd(back, setup_context=note)
            for rest in ((), (None,), (None, 2), (None, 3.0), (w,), (None, 2.0, True)):
                attempt(lambda: torch.autograd.grad(scaled(x, *rest).sum(), x, allow_unused=True))
            attempt(lambda: torch.autograd.grad(scaled(x, twice=False).sum(), x, allow_unused=True))
    """,
    "lists of tensors": """
        from collections.abc import Sequence
        @custom_op("tg::added", mutates_args=())
        def added(parts: Sequence[Tensor], scale: float = 2.0) -> Tensor:
            return sum(parts) * scale
        def note(ctx, inputs, output):
            ctx.save_for_backward(*inputs[0])
            see(type(inputs[0]), inputs[1])
        answers = (
            lambda found: (found, None), lambda found: found, lambda found: (found,), lambda found: (*found, None),
            lambda found: ([found[0], None], None), lambda found: (found[:1], None), lambda found: (tuple(found), None),
        )
        for answer in answers:
            def back(ctx, grad):
                see(ctx.needs_input_grad)
                return answer([grad * part for part in ctx.saved_tensors])
            added.register_autograd(back, setup_context=note)
            for parts, rest in (([x, w], ()), ((x, w), (3.0,)), ([x], ()), ([x.detach(), w], (3.0,))):
                attempt(lambda: torch.autograd.grad(added(parts, *rest).sum(), w, allow_unused=True))
        @custom_op("tg::both", mutates_args=())
        def both(x: Tensor) -> list[Tensor]:
            return [x.sin(), x.cos()]
        def back(ctx, grads):
            see(type(grads), grads)
            return grads[0] - grads[1]
        both.register_autograd(back)
        found = both(x)
        see(type(found), found, both(x.detach()))
        found[0].sum().backward()
        see(x.grad)
    """,
    "what is written to": """
        @custom_op("tg::sine_", mutates_args={"into"})
        def sine_(into: Tensor) -> None:
            into.sin_()
        @custom_op("tg::sines_", mutates_args={"into"})
        def sines_(factor: float, into: list[Tensor]) -> None:
            for each in into:
                each.mul_(factor)
        @custom_op("tg::grown", mutates_args={"x"})
        def grown(x: Tensor, by: Tensor) -> Tensor:
            x.add_(by)
            return x * 2
        here = x.detach().clone()
        see(sine_(here), here._version, here)
        see(sines_(2.0, [here]), here._version, here)
        with torch.no_grad():
            sine_(here)
        see(here._version, grown(here, w.detach()), here)
        out = grown(here, w)
        see(out.requires_grad, here.requires_grad)
        attempt(lambda: out.sum().backward())
        attempt(lambda: grown.register_autograd(lambda ctx, grad: grad))
    """,
    "a derivative that is given from outside": """
        op = custom_op("tg::softsign_c", softsign, mutates_args=())
        see(torch.library.register_autograd(op, slope, setup_context=keep))
        see(torch.autograd.grad(op(x).sum(), x))
        torch.library.register_autograd("tg::softsign_c", lambda ctx, grad: grad * 7)
        see(torch.autograd.grad(op(x).sum(), x))
        attempt(lambda: torch.library.register_autograd("tg::nobody", slope))
        def named(x: Tensor, *, by: Tensor) -> Tensor:
            return x * by
        attempt(lambda: custom_op("tg::named", named, mutates_args=()))
        none = custom_op("tg::none", lambda x: None, mutates_args=(), schema="(Tensor x) -> Tensor")
        see(none(x.detach()))
        def placed(x: Tensor, at: torch.device = torch.device("cpu")) -> Tensor:
            return x
        see(infer_schema(placed, mutates_args=()))
    """,
}
