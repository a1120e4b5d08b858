"""Scenarios of custom functions, as source that runs on both libraries (see `same_source`).

Each story begins after `PRELUDE`: `fn` makes a Function of a forward, a backward and a setup_context; `new` a leaf.
"""

PRELUDE = """
Function = torch.autograd.Function

def fn(forward, backward=None, setup_context=None):
    given = {"forward": forward, "backward": backward, "setup_context": setup_context}
    return type("F", (Function,), {name: staticmethod(each) for name, each in given.items() if each is not None})

def new(*values):
    return torch.tensor(values or [1.0, 2.0, 3.0], requires_grad=True)

def kept(ctx, x):
    y = x.exp()
    ctx.save_for_backward(y)
    return y

Exp = fn(kept, lambda ctx, g: g * ctx.saved_tensors[0])

def cubed(ctx, x):
    ctx.save_for_backward(x)
    return x**3

Cube = fn(cubed, lambda ctx, g: g * 3 * ctx.saved_tensors[0] ** 2)
x, w = new(), new(3.0, 5.0, 7.0)
"""

STORIES = {
    "what forward finds": """
        class Named(Function):
            @staticmethod
            def forward(ctx, x, n=2):
                see(n, ctx.needs_input_grad, ctx.saved_tensors, type(ctx), torch.is_grad_enabled(), x.requires_grad)
                see(ctx.to_save, ctx.dirty_tensors, ctx.non_differentiable, ctx.requires_grad, x is outside)
                ctx.save_for_backward(x)
                see(ctx.saved_tensors)
                ctx.n = n
                return x * n
            @staticmethod
            def backward(ctx, g):
                see(ctx.saved_tensors, ctx.needs_input_grad, torch.is_grad_enabled())
                return g * ctx.n, None
        outside = x
        y = Named.apply(x, 3)
        see(y, y.grad_fn, y.grad_fn.next_functions, y.grad_fn.n, y.grad_fn.needs_input_grad, y.grad_fn.saved_tensors)
        see(y.grad_fn.metadata, repr(y), repr(y.grad_fn), str(type(y.grad_fn)))
        for kind in (torch.autograd.graph.Node, torch.autograd.function.FunctionCtx):
            see(isinstance(y.grad_fn, kind))
        y.sum().backward()
        see(x.grad)
        class Heir(Named): pass
        see(Heir.apply(x, 2))
        with torch.no_grad():
            see(Named.apply(x, 2))
        see(Named.apply(torch.ones(3), 2))
    """,
    "several results, not all tensors": """
        F = fn(lambda ctx, x: (x * 2, 5, None, "a"), lambda ctx, *g: (see(*g), g[0])[1])
        y = F.apply(x)
        see(y)
        y[0].sum().backward()
        see(x.grad, len(y[0].grad_fn._input_metadata))
        see(fn(lambda ctx, x: [x * 2, x * 3]).apply(x))
        see(fn(lambda ctx, x: ()).apply(x), fn(lambda ctx, x: None).apply(x), fn(lambda ctx, x: {"a": x * 2}).apply(x))
    """,
    "results that nobody uses": """
        for wanted in (True, False):
            for used in (0, 1):
                def forward(ctx, x):
                    ctx.set_materialize_grads(wanted)
                    return x * 2, x.double() * 3
                y = fn(forward, lambda ctx, *g: (see(*g), None)[1]).apply(x)
                y[used].sum().backward()
                see(x.grad)
    """,
    "attributes of ctx": """
        def forward(ctx, x):
            ctx.factor = 3
            return x * 1
        y = fn(forward, lambda ctx, g: g * ctx.factor).apply(x)
        y.grad_fn.factor = 7
        see(y.grad_fn.factor)
        attempt(lambda: y.grad_fn.other)
        y.sum().backward()
        see(x.grad, y.grad_fn.factor)
    """,
    "derivatives of derivatives": """
        for F in (Exp, Cube):
            y = F.apply(x)
            g, = torch.autograd.grad(y.sum(), x, create_graph=True)
            see(g)
            g, = torch.autograd.grad((g * g).sum(), x, create_graph=True)
            see(g)
            see(torch.autograd.grad(g.sum(), x))
            attempt(lambda: y.sum().backward())
            attempt(lambda: y.sum().backward())
    """,
    "once_differentiable": """
        once = torch.autograd.function.once_differentiable
        @once
        def backward(ctx, g):
            see(torch.is_grad_enabled(), g.requires_grad)
            return g * 2 * ctx.saved_tensors[0].detach()
        F = fn(cubed, backward)
        y = F.apply(x)
        y.sum().backward()
        see(x.grad)
        y = F.apply(x)
        g, = torch.autograd.grad(y.sum(), x, create_graph=True)
        see(g)
        v = torch.ones(3, requires_grad=True)
        y = F.apply(x)
        g, = torch.autograd.grad(y, x, v, create_graph=True)
        see(g, g.grad_fn, g.grad_fn.next_functions)
        attempt(lambda: g.sum().backward())
        F = fn(lambda ctx, x, w: x * w, once(lambda ctx, g: (g, None)))
        g = torch.autograd.grad(F.apply(x, w), [x, w], v, create_graph=True, allow_unused=True)
        see(g)
        attempt(lambda: g[0].sum().backward())
        see(backward.__name__)
    """,
    "autograd within": """
        def forward(ctx, x):
            with torch.enable_grad():
                d = x.detach().requires_grad_()
                y = (d**2).sum()
            ctx.save_for_backward(*torch.autograd.grad(y, d))
            return y.detach()
        y = fn(forward, lambda ctx, g: g * ctx.saved_tensors[0]).apply(x)
        y.backward()
        see(y, x.grad)
        def backward(ctx, g):
            with torch.enable_grad():
                d = ctx.saved_tensors[0].detach().requires_grad_()
                Cube.apply(d).sum().backward()
            return g * d.grad
        x.grad = None
        fn(cubed, backward).apply(x).sum().backward()
        see(x.grad, torch.is_grad_enabled())
    """,
    "hooks": """
        y = Exp.apply(x)
        y.register_hook(lambda g: g * 2)
        y.retain_grad()
        y.grad_fn.register_prehook(lambda g: (g[0] * 3,))
        y.grad_fn.register_hook(lambda i, o: (see(i, o), (i[0] * 5,))[1])
        y.sum().backward()
        see(x.grad, y.grad)
        F = fn(lambda ctx, x, y: x * y, lambda ctx, g: (see(ctx.needs_input_grad), (g, g * 2))[1])
        for second in (w, torch.ones(3)):
            y = F.apply(x, second)
            y.grad_fn.register_hook(lambda i, o: see(i, o))
            y.grad_fn.register_prehook(lambda o: see(o))
            y.sum().backward(inputs=[x], retain_graph=True)
            see(torch.autograd.grad(y.sum(), x, retain_graph=True))
    """,
    "outputs that are given twice, or twice the same input": """
        def forward(ctx, x):
            y = x * 2
            return y, y
        p, q = fn(forward, lambda ctx, g, h: (see(g, h), g + h)[1]).apply(x)
        see(p is q, p, q)
        p.sum().backward()
        see(x.grad)
        p, q = fn(lambda ctx, x: (x, x), lambda ctx, g, h: g * 2 + h * 5).apply(x)
        see(p, q, p is q)
        (p.sum() + q.sum()).backward()
        see(x.grad)
        p, q = fn(lambda ctx, x, w: (x, w), lambda ctx, g, h: (g * 2, h * 3)).apply(x, w)
        see(p, q, p is x)
        (p * q).sum().backward()
        see(x.grad, w.grad)
        attempt(lambda: p.mul_(2))
        F = fn(lambda ctx, a, b: a * b, lambda ctx, g: (g * 2, g * 3))
        F.apply(x, x).sum().backward()
        see(x.grad)
    """,
    "writing to inputs": """
        def second(ctx, x, y):
            ctx.mark_dirty(y)
            y.add_(x)
            return y
        b = w * 1
        p = fn(second, lambda ctx, g: (g * 2, g * 3)).apply(x, b)
        see(p is b, p)
        p.sum().backward()
        see(x.grad, w.grad)
        def both(ctx, x, y):
            ctx.mark_dirty(y)
            y.add_(x)
            return x * 2, y
        F = fn(both, lambda ctx, g, h: (g * 2 + h, h * 3))
        b = w * 1
        p, q = F.apply(x, b)
        see(q is b, p, q)
        (p.sum() + q.sum() * 5).backward()
        see(x.grad, w.grad)
        b = w * 1
        def exp_(ctx, x):
            ctx.mark_dirty(x)
            x.exp_()
            ctx.save_for_backward(x)
            return x
        b = x * 1
        v = b[1:]
        r = fn(exp_, lambda ctx, g: g * ctx.saved_tensors[0]).apply(v)
        see(r is v, v, b, r._version)
        b.sum().backward()
        see(x.grad)
        def scaled(ctx, b, x):
            ctx.mark_dirty(b)
            return b.mul_(x)
        F = fn(scaled, lambda ctx, g: (None, g * 7))
        b = torch.ones(3)
        r = F.apply(b, x)
        see(r is b, b)
        b.sum().backward()
        see(x.grad)
        b = torch.ones(3)
        v = b[:2]
        r = F.apply(v, x[:2])
        see(r is v, b, v)
        attempt(lambda: b.sum().backward())
        see(x.grad)
    """,
    "tensors from elsewhere": """
        see(fn(lambda ctx, x: torch.ones(2, requires_grad=True)).apply(x))
        see(fn(lambda ctx, x: torch.ones(2, requires_grad=True)).apply(torch.ones(2)))
        k = new()
        attempt(lambda: fn(lambda ctx, x: k).apply(x))
        see(k)
        k = new()
        def forward(ctx, x):
            ctx.mark_non_differentiable(k)
            return k
        attempt(lambda: fn(forward).apply(x))
        see(k)
        def forward(ctx, x):
            ctx.mark_non_differentiable(x)
            return x
        attempt(lambda: fn(forward).apply(x))
        see(x)
        attempt(lambda: fn(lambda ctx, xs, d: xs[0] * d["k"]).apply([x], {"k": 3}))
    """,
    "inference mode": """
        with torch.inference_mode():
            r = Exp.apply(torch.ones(2))
            see(r, r.is_inference())
            r = Exp.apply(x)
            see(r, r.is_inference())
        attempt(lambda: Exp.apply(r))
        attempt(lambda: fn(lambda ctx, r, x: r * x, lambda ctx, g: (None, g)).apply(r, x))
        attempt(lambda: fn(lambda ctx, r, x: (ctx.save_for_backward(r), r * x)[1]).apply(r, x))
    """,
    "dtypes and sizes": """
        d = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
        fn(lambda ctx, x: x.float(), lambda ctx, g: (see(g), g.double())[1]).apply(d).sum().backward()
        see(d.grad)
        fn(lambda ctx, x: x.float(), lambda ctx, g: g).apply(d).sum().backward()
        see(d.grad)
        c = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.abs()
        fn(forward, lambda ctx, g: g * ctx.saved_tensors[0] / ctx.saved_tensors[0].abs()).apply(c).sum().backward()
        see(c.grad)
        fn(forward, lambda ctx, g: g).apply(c).sum().backward()
        see(c.grad)
        fn(lambda ctx, x: x.expand(2, 3) * 1, lambda ctx, g: g).apply(x).sum().backward()
        see(x.grad)
        attempt(lambda: fn(lambda ctx, x: x.sum(), lambda ctx, g: g).apply(x).backward())
        fn(lambda ctx, x: x.sum(), lambda ctx, g: g.expand(3)).apply(x).backward()
        see(x.grad)
    """,
}
