"""Misuses of custom functions, and their errors: source that runs on both libraries.

Each begins after `function_stories.PRELUDE`.
"""

REFUSALS = {
    "what backward may return": """
        for backward in (
            lambda ctx, g: (g, g), lambda ctx, g: [g], lambda ctx, g: 3.0, lambda ctx, g: (), lambda ctx, g: None,
            lambda ctx, g: g[:1], lambda ctx, g: torch.ones(4), lambda ctx, g: torch.ones(3, dtype=torch.int64),
            lambda ctx, g: g.double(), lambda ctx, g: (g, None, None), lambda ctx, g: torch.ones(2, 3),
            lambda ctx, g: g.to(torch.complex64), lambda ctx, g: torch.ones(3, dtype=torch.bool), lambda ctx, g: "g",
            lambda ctx, g: (g,), lambda ctx, g: (None,), lambda ctx, g: torch.ones(()), lambda ctx: 3,
            lambda ctx, g: g.half(),
        ):
            x.grad = None
            attempt(lambda: fn(lambda ctx, x: x * 2, backward).apply(x).sum().backward())
            see(x.grad)
        for backward in (
            lambda ctx, g: (g, g), lambda ctx, g: (g, None), lambda ctx, g: g, lambda ctx, g: (None, None, g),
            lambda ctx, g: (g, 3), lambda ctx, g: (g, 0.0),
        ):
            for second in (3, torch.ones(3), None, [w], w):
                x.grad = w.grad = None
                attempt(lambda: fn(lambda ctx, x, y: x * 2, backward).apply(x, second).sum().backward())
                see(x.grad, w.grad)
    """,
    "misuse": """
        class Empty(Function): pass
        attempt(lambda: Empty.apply(x))
        attempt(lambda: Function.apply(x))
        y = fn(lambda ctx, x: x * 1).apply(x)
        attempt(lambda: y.sum().backward())
        class Old(Function):
            def forward(ctx, x): return x * 1
            def backward(ctx, g): return g
        attempt(lambda: Old.apply(x).sum().backward())
        attempt(lambda: Old()(x))
        attempt(lambda: fn(lambda ctx, x: (ctx.save_for_backward(3), ctx.mark_dirty(x), x * 1)[2]).apply(x))
        attempt(lambda: fn(lambda ctx, x: (ctx.save_for_backward(x, None, 3), ctx.mark_dirty(3), x * 1)[2]).apply(x))
        F = fn(lambda ctx, x: x * 1)
        attempt(lambda: F.apply())
        attempt(lambda: F.apply(x, x, x))
        class Both(Exp):
            @staticmethod
            def vjp(ctx, g): return g
        attempt(lambda: Both.apply(x).sum().backward())
        class Other(Function):
            @staticmethod
            def forward(ctx, x): return x * 2
            @staticmethod
            def vjp(ctx, g): return g * 11
        attempt(lambda: Other.apply(x).sum().backward())
        see(x.grad, Function.vjp is Function.backward)
        for name in ("forward", "setup_context", "backward", "vjp", "jvp", "vmap"):
            attempt(lambda: getattr(Function, name)(None, None, None))
    """,
    "misuse of ctx": """
        def made(say):
            def forward(ctx, x):
                y = x * 2
                say(ctx, x, y)
                return y
            return fn(forward, lambda ctx, g: g)
        for say in (
            lambda ctx, x, y: ctx.save_for_backward(3), lambda ctx, x, y: ctx.save_for_backward(x, [x]),
            lambda ctx, x, y: ctx.save_for_backward(None, x), lambda ctx, x, y: ctx.mark_dirty(3),
            lambda ctx, x, y: ctx.mark_non_differentiable(3), lambda ctx, x, y: ctx.mark_dirty(x),
            lambda ctx, x, y: ctx.mark_non_differentiable(x, y), lambda ctx, x, y: ctx.save_for_backward(),
            lambda ctx, x, y: (ctx.save_for_backward(x), ctx.save_for_backward(y)), lambda ctx, x, y: ctx.nothing,
        ):
            attempt(lambda: made(say).apply(x))
            attempt(lambda: made(say).apply(x).grad_fn.saved_tensors)
            attempt(lambda: made(say).apply(torch.ones(2)))
        told(lambda: made(lambda ctx, x, y: ctx.mark_dirty(y)).apply(x))
        def dirty(ctx, x):
            ctx.mark_dirty(x)
            return x
        attempt(lambda: fn(dirty).apply(x))
        with torch.no_grad():
            attempt(lambda: fn(dirty).apply(x))
    """,
    "letting go of what was saved": """
        y = Cube.apply(x)
        y.sum().backward()
        attempt(lambda: y.grad_fn.saved_tensors)
        attempt(lambda: y.sum().backward())
        F = fn(lambda ctx, x: x * 2, lambda ctx, g: g)
        y = F.apply(x)
        y.sum().backward()
        attempt(lambda: y.sum().backward())
        attempt(lambda: y.grad_fn.saved_tensors)
        y = Cube.apply(x)
        y.sum().backward(retain_graph=True)
        see(y.grad_fn.saved_tensors)
        y.sum().backward()
        see(x.grad)
    """,
    "what was saved is overwritten": """
        a = x * 1
        y = Cube.apply(a)
        a.mul_(2)
        attempt(lambda: y.sum().backward())
        attempt(lambda: y.grad_fn.saved_tensors)
        y = Exp.apply(x)
        y.mul_(2)
        attempt(lambda: y.sum().backward())
        a = x * 1
        y = Cube.apply(a)
        a.data.mul_(2)
        attempt(lambda: y.sum().backward())
        see(x.grad)
    """,
    "errors of the user's own": """
        def wrong(ctx, *given): raise ValueError("mine")
        attempt(lambda: fn(lambda ctx, x: x * 1, wrong).apply(x).sum().backward())
        attempt(lambda: fn(wrong).apply(x))
        see(torch.is_grad_enabled())
        attempt(lambda: fn(lambda x: x * 1, None, wrong).apply(x))
        see(torch.is_grad_enabled())
        class Stop(Exception): pass
        def stop(ctx, g): raise Stop("here")
        attempt(lambda: fn(lambda ctx, x: x * 1, stop).apply(x).sum().backward())
    """,
}
