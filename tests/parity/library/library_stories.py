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
    "operators that are declared by a schema": """
        library = torch.library.Library("tgs", "DEF")
        see(library.define("twice(Tensor x, int n=2) -> Tensor"), repr(torch.ops.tgs.twice), repr(torch.ops.tgs))
        see(library.impl("twice", lambda x, n=2: x * n, "CPU"), repr(torch.ops.tgs.twice.default))
        see(torch.ops.tgs.twice(x), torch.ops.tgs.twice(x, n=3), torch.ops.tgs.twice.default(x, 4))
        torch.ops.tgs.twice(x).sum().backward()
        see(x.grad, torch.ops.tgs.twice.overloads(), torch.ops.tgs.twice.default.name(), str(torch.ops.tgs.twice))
        see(str(torch.ops.tgs.twice.default._schema), torch.ops.tgs.twice.default.namespace)
        see(hasattr(torch.ops.tgs, "twice"), hasattr(torch.ops.tgs, "thrice"), hasattr(torch.ops, "nobody"))
        attempt(lambda: torch.ops.tgs.twice())
        attempt(lambda: torch.ops.tgs.thrice)
        attempt(lambda: torch.ops.tgs.twice.other)
        attempt(lambda: torch.ops.nobody.thrice)
        see(library.define("pair(Tensor[] xs, float? f=None, *, bool both=True) -> (Tensor, Tensor)"))
        library.impl("pair", lambda xs, f=None, *, both=True: (xs[0] + 1, xs[-1] * (f or 2) + both), "CPU")
        see(torch.ops.tgs.pair([x, w]), torch.ops.tgs.pair([x, w], 3.0, both=False))
        see(library.define("grown(Tensor(a!) x) -> Tensor(a!)"), library.impl("grown", lambda x: x.add_(1), "CPU"))
        see(torch.ops.tgs.grown(torch.zeros(2)))
        see(library.define("of.one(Tensor x) -> Tensor"), library.impl("of.one", lambda x: x + 1, "CPU"))
        see(torch.ops.tgs.of(w), torch.ops.tgs.of.one(w), torch.ops.tgs.of.one.name(), torch.ops.tgs.of.overloads())
        attempt(lambda: library.define("nonsense"))
        attempt(lambda: torch.library.Library("tgs", "OTHER"))
        see(repr(torch.library.Library("tgs", "FRAGMENT")), repr(torch.library.Library("tgs", "IMPL", "CPU")))
        see(repr(torch.library.Library("aten", "IMPL", "Meta")))
        with torch.library._scoped_library("tgt", "DEF") as own:
            own.define("here(Tensor x) -> Tensor")
            see(hasattr(torch.ops.tgt, "here"))
        see(hasattr(torch.ops.tgt, "here"))
        library._destroy()
    """,
    "kernels": """
        torch.library.define("tgk::wave", "(Tensor x) -> Tensor")
        attempt(lambda: torch.library.define("tgk::wave", "Tensor x"))
        attempt(lambda: torch.library.define(3, "(Tensor x) -> Tensor"))
        see(torch.library.impl("tgk::wave", "cpu")(lambda x: x.cos()), torch.ops.tgk.wave(x.detach()))
        see(torch.library.register_fake("tgk::wave", lambda x: x.new_empty(3)) is None)
        see(torch.ops.tgk.wave(torch.ones(2, device="meta")).shape)
        torch.library.register_autograd("tgk::wave", lambda ctx, grad: grad * 7)
        see(torch.autograd.grad(torch.ops.tgk.wave(x).sum(), x), torch.ops.tgk.wave(x).shape)
        torch.library.define("tgk::all", "(Tensor x) -> Tensor")
        torch.library.impl("tgk::all", "default", lambda x: x.sin())
        see(torch.ops.tgk.all(x))
        library = torch.library.Library("tgk", "FRAGMENT")
        for name, key in (("a", "CompositeImplicitAutograd"), ("b", "CompositeExplicitAutograd"), ("c", "Autograd")):
            library.define(f"{name}(Tensor x) -> Tensor")
            library.impl(name, lambda x: x.exp(), key)
            see(getattr(torch.ops.tgk, name)(x))
        attempt(lambda: torch.library.register_fake("tgk::nobody", lambda x: x))
        attempt(lambda: torch.library.fallthrough_kernel())
    """,
    "other functions for an operator of custom_op": """
        @custom_op("tgc::more", mutates_args=())
        def more(x: Tensor) -> Tensor:
            return x + 1
        see(torch.ops.tgc.more(w.detach()), torch.ops.tgc.more.default(w.detach()))
        see(torch.library.register_kernel("tgc::more", "cpu", lambda x: x + 5)(x), more(w.detach()))
        with more.set_kernel_enabled("cpu", False):
            see(more(w.detach()))
        see(more(w.detach()), more.register_kernel("cuda")(len) is len)
        see(torch.library.register_vmap("tgc::more", lambda info, in_dims, x: (x + 1, 0)))
        see(more.register_fake(lambda x: x.new_empty(3)) is None)
        see(more(torch.ones(2, device="meta")).shape)
        more.register_autocast("cpu", torch.bfloat16)
        with torch.autocast("cpu"):
            see(more(w.detach()).dtype)
        see(more(w.detach()).dtype)
        attempt(lambda: more.register_autocast("other", torch.bfloat16))
    """,
}
