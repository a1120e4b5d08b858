"""Scenarios of hooks, as source that runs on both libraries (see `same_source`), after `PRELUDE`."""

PRELUDE = """
graph = torch.autograd.graph

def new(*values):
    return torch.tensor(values or [1.0, 2.0], requires_grad=True)

def telling(name, change=None):
    def hook(g):
        see(name, g)
        return None if change is None else g * change
    return hook

x, w, u = new(), new(3.0, 4.0), new(5.0, 6.0)
"""

STORIES = {
    "the order of all kinds of hooks": """
        def run(how, *wanted):
            x, w = new(), new(3.0, 4.0)
            a = x * 2
            b = a * w
            c = b.sum()
            a.register_hook(telling("a1"))
            a.retain_grad()
            a.register_hook(telling("a2", 10))
            a.register_hook(telling("a3"))
            x.register_hook(telling("x1", 5))
            w.register_hook(telling("w1", 3))
            b.register_hook(telling("b", 2))
            x.register_post_accumulate_grad_hook(lambda t: see("post x", t.grad))
            b.grad_fn.register_prehook(lambda g: see("b pre", g))
            b.grad_fn.register_hook(lambda gi, go: see("b post", gi, go))
            a.grad_fn.register_prehook(lambda g: (see("a pre", g), (g[0] + 1,))[1])
            a.grad_fn.register_hook(
                lambda gi, go: (see("a post", gi, go), tuple(None if g is None else g + 1 for g in gi))[1]
            )
            a.register_hook(telling("a4"))
            inputs = [dict(x=x, w=w, a=a, b=b, c=c)[each] for each in wanted] or None
            if how == "backward":
                attempt(lambda: c.backward(inputs=inputs))
            else:
                attempt(lambda: torch.autograd.grad(c, inputs))
            see(x.grad, w.grad, a.grad)
        run("backward")
        for wanted in ("x", "w", "a", "b", "c", "xa", "ab", "xb", "xwabc"):
            for how in ("backward", "grad"):
                see(wanted, how)
                run(how, *wanted)
    """,
    "what hooks may return": """
        for answer in (
            3, "a", torch.ones(3), torch.ones(2).double(), (torch.ones(2),), [torch.ones(2)],
            torch.ones(2, dtype=torch.int64), torch.ones(2, dtype=torch.complex64), torch.ones(2, 1), torch.ones(1),
            None, (), (None,), (None, None, None), (torch.ones(2),) * 3, (torch.ones(2), 3), torch.ones(2),
        ):
            for place in ("leaf", "tensor", "post", "pre", "post one", "pre one", "accumulated"):
                x.grad = None
                q = x * w
                if place == "leaf": handle = x.register_hook(lambda g: answer)
                if place == "tensor": handle = q.register_hook(lambda g: answer)
                if place == "post": handle = q.grad_fn.register_hook(lambda gi, go: answer)
                if place == "pre": handle = q.grad_fn.register_prehook(lambda go: answer)
                if place == "post one": handle = q.grad_fn.register_hook(lambda gi, go: (answer, None))
                if place == "pre one": handle = q.grad_fn.register_prehook(lambda go: (answer,))
                if place == "accumulated": handle = x.register_post_accumulate_grad_hook(lambda t: answer)
                attempt(lambda: q.sum().backward())
                see(x.grad)
                handle.remove()
    """,
    "refusals": """
        attempt(lambda: x.register_hook(3))
        attempt(lambda: (x * w).sum().backward())
        for name in ("register_hook", "register_post_accumulate_grad_hook"):
            attempt(lambda: getattr(x.detach(), name)(lambda g: g))
            attempt(lambda: getattr(x * 2, name)(lambda g: g))
        attempt(lambda: x.detach().retain_grad())
        see(x.retain_grad(), x.retains_grad, (x * 2).retains_grad, x.detach().retains_grad)
        def raising(*given): raise ValueError("mine")
        x, w = new(), new()
        for register in (
            x.register_hook, (x * 2).register_hook, x.register_post_accumulate_grad_hook,
        ):
            with register(raising):
                attempt(lambda: (x * w).sum().backward())
            see(x.grad, torch.is_grad_enabled())
    """,
    "handles": """
        h1 = x.register_hook(telling("1"))
        h2 = x.register_hook(telling("2"))
        h3 = x.register_hook(telling("3"))
        see(h1, h2.id - h1.id, h3.id - h2.id)
        (x * 1).sum().backward()
        h2.remove()
        (x * 1).sum().backward()
        h2.remove()
        with x.register_hook(telling("4")) as handle:
            see(handle)
            (x * 1).sum().backward()
        (x * 1).sum().backward()
        def once(g):
            see("once")
            h4.remove()
        h4 = x.register_hook(once)
        h5 = x.register_hook(telling("5"))
        (x * 1).sum().backward()
        (x * 1).sum().backward()
        def adding(g):
            x.register_hook(telling("added"))
        x.register_hook(adding)
        (x * 1).sum().backward()
        y = x * 2
        handle = y.register_hook(telling("y"))
        del y
        handle.remove()
    """,
    "hooks and in-place writes": """
        a = x * 1
        a.register_hook(telling("before", 2))
        a.retain_grad()
        a.mul_(3)
        a.register_hook(telling("after", 5))
        a[0].mul_(7)
        a.register_hook(telling("last"))
        a.sum().backward()
        see(x.grad, a.grad)
        base = x * 1
        v = base[:1]
        v.register_hook(telling("view"))
        v.retain_grad()
        base.mul_(2)
        attempt(lambda: (base.sum() + v.sum()).backward())
        see(v.grad, x.grad)
        leaf = torch.ones(2)
        leaf.requires_grad_()
        leaf.register_hook(telling("leaf"))
        with torch.no_grad():
            leaf.mul_(3)
        (leaf * w).sum().backward()
        see(leaf.grad)
    """,
    "hooks and detach_": """
        a = x * 1
        a.register_hook(telling("a"))
        b = a * 2
        a.detach_()
        b.sum().backward()
        see(a.grad, a, x.grad)
    """,
    "gradients that hooks see, with create_graph": """
        a = x * x
        a.register_hook(lambda g: (see(g, torch.is_grad_enabled()), g * x)[1])
        g, = torch.autograd.grad((a * w).sum(), x, create_graph=True)
        see(g)
        see(torch.autograd.grad(g.sum(), [x, w]))
        a = x * x
        a.retain_grad()
        (a * a).sum().backward(create_graph=True)
        see(a.grad, x.grad)
    """,
    "hooks after accumulation": """
        def step(t):
            see("step", t.grad)
            with torch.no_grad():
                t.sub_(t.grad)
            t.grad = None
        x.register_post_accumulate_grad_hook(step)
        (x * w).sum().backward()
        see(x, x.grad)
        (x * x).sum().backward()
        see(x, x.grad)
        see(torch.autograd.grad((x * w).sum(), x))
        (x * w).sum().backward(inputs=[w])
        see(x.grad)
    """,
    "backward within a hook": """
        def inner(g):
            see("in", g)
            (u * g).sum().backward()
        x.register_hook(inner)
        (x * w).sum().backward()
        see(x.grad, w.grad, u.grad)
    """,
    "register_multi_grad_hook": """
        for mode in ("all", "any"):
            a = x * 2
            b = a * w
            handle = graph.register_multi_grad_hook((x, a, w, u), lambda gs: see(gs), mode=mode)
            see(handle)
            b.sum().backward(retain_graph=True)
            b.sum().backward(inputs=(x,), retain_graph=True)
            attempt(lambda: torch.autograd.grad(b.sum(), a, retain_graph=True))
            (b.sum() + u.sum()).backward(retain_graph=True)
            handle.remove()
            b.sum().backward()
            with graph.register_multi_grad_hook((x, w), lambda gs: see(gs), mode=mode):
                (x * w).sum().backward()
            (x * w).sum().backward()
        attempt(lambda: graph.register_multi_grad_hook((x,), see, mode="q"))
        attempt(lambda: graph.register_multi_grad_hook((torch.ones(2), x), see))
        attempt(lambda: graph.register_multi_grad_hook((torch.ones(2), x), see, mode="any"))
    """,
    "gradient edges": """
        e = graph.get_gradient_edge(x)
        see(e.node, e.output_nr, type(e))
        attempt(lambda: graph.get_gradient_edge(torch.ones(2)))
        y = x * 2
        e = graph.get_gradient_edge(y)
        see(e.node, e.output_nr)
        z = (y * y).sum()
        whole = graph.get_gradient_edge(z)
        attempt(lambda: torch.autograd.grad(z, e, retain_graph=True))
        attempt(lambda: torch.autograd.grad(z, [e, x], retain_graph=True))
        attempt(lambda: torch.autograd.grad(whole, x, retain_graph=True))
        attempt(lambda: torch.autograd.grad(e, x, torch.ones(2), retain_graph=True))
        attempt(lambda: torch.autograd.grad(e, x, torch.ones(3), retain_graph=True))
        attempt(lambda: torch.autograd.grad(e, x, retain_graph=True))
        attempt(lambda: torch.autograd.backward(e, torch.ones(2), retain_graph=True))
        see(x.grad)
        attempt(lambda: torch.autograd.backward(whole, inputs=[x], retain_graph=True))
        see(x.grad)
        attempt(lambda: torch.autograd.backward(z, inputs=[e], retain_graph=True))
        see(x.grad)
        attempt(lambda: torch.autograd.backward(z, inputs=[graph.get_gradient_edge(x)], retain_graph=True))
        see(x.grad)
    """,
    "increment_version": """
        t = torch.ones(2)
        before = t._version
        graph.increment_version(t)
        graph.increment_version([t, t])
        see(t._version - before)
        y = x * 1
        s = y.sin()
        graph.increment_version(y)
        attempt(lambda: s.sum().backward())
    """,
    "saved_tensors_hooks": """
        def pack(t):
            see("pack", t, torch.is_grad_enabled())
            return t.detach() * 10
        def unpack(t):
            see("unpack", t, torch.is_grad_enabled())
            return t
        with graph.saved_tensors_hooks(pack, unpack):
            y = x * w
            z = x.exp() * 3
            plain = torch.ones(2) * 2
        see(y.grad_fn._saved_self, y.grad_fn._saved_other, y.grad_fn._saved_self is x)
        y.sum().backward()
        see(x.grad, w.grad)
        attempt(lambda: y.grad_fn._saved_self)
        see(z.grad_fn.next_functions[0][0]._saved_result)
        g, = torch.autograd.grad(z.sum(), x, create_graph=True)
        see(g)
        see(torch.autograd.grad(g.sum(), x))
        def full(number):
            return graph.saved_tensors_hooks(lambda t: number, lambda n: torch.full((2,), float(n)))
        with full(5):
            y = x * w
        with full(7):
            y2 = x * w
            with full(9):
                y3 = x * w
            y4 = x * w
        see(torch.autograd.grad((y + y2 + y3 + y4).sum(), x))
        with graph.save_on_cpu():
            y = (x * 3).exp() * w
        see(torch.autograd.grad(y.sum(), [x, w]))
    """,
    "saved_tensors_hooks that go wrong": """
        with graph.saved_tensors_hooks(lambda t: t, lambda t: 3):
            y = x * w
        attempt(lambda: y.sum().backward())
        attempt(lambda: y.grad_fn._saved_self)
        def raising(t): raise ValueError("no")
        def writing(t):
            t.add_(1)
            return t
        def made(pack, unpack=lambda t: t):
            with graph.saved_tensors_hooks(pack, unpack):
                return (x * 2) * w
        attempt(lambda: made(raising))
        attempt(lambda: made(writing))
        see(x, w)
        attempt(lambda: made(lambda t: t.detach(), raising).sum().backward())
        attempt(lambda: made(lambda t: t.detach()))
    """,
    "disable_saved_tensors_hooks": """
        def use():
            with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
                return x * w
        with graph.disable_saved_tensors_hooks("not now"):
            attempt(use)
            see(x * w)
            with graph.disable_saved_tensors_hooks("nor now"):
                attempt(use)
            attempt(use)
        attempt(use)
        def within():
            with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
                with graph.disable_saved_tensors_hooks("not here"):
                    see("in")
        attempt(within)
    """,
    "hooks of one saved tensor": """
        y = x * w
        s = y.grad_fn._raw_saved_self
        attempt(lambda: s.register_hooks(lambda t: (see(t), t * 2)[1], lambda t: t * 3))
        attempt(lambda: s.register_hooks(lambda t: t, lambda t: t))
        see(torch.autograd.grad(y.sum(), [x, w]))
        attempt(lambda: s.register_hooks(lambda t: t, lambda t: t))
        y = x * w
        s = y.grad_fn._raw_saved_self
        y.sum().backward()
        attempt(lambda: s.register_hooks(lambda t: t, lambda t: t))
        y = x.exp()
        s = y.grad_fn._raw_saved_result
        attempt(lambda: s.register_hooks(lambda t: (see(t), t * 2)[1], lambda t: t * 3))
        see(y.grad_fn._saved_result)
        attempt(lambda: x.exp().grad_fn._raw_saved_result.register_hooks(3, 4))
    """,
    "the order in which tensors are packed": """
        def pack(t):
            see(t.detach().clone())
            return t.detach()
        for operator in (
            lambda: x * w, lambda: x / w, lambda: torch.addcmul(x, w, u), lambda: x**w, lambda: x @ w,
            lambda: torch.atan2(x, w), lambda: torch.where(x > 1, x, w), lambda: x.sigmoid(), lambda: x.sum(),
            lambda: x.prod(), lambda: torch.addcdiv(x, w, u), lambda: torch.lerp(x, w, u),
            lambda: x[None] @ w[:, None], lambda: torch.maximum(x, w), lambda: (x * 1).mul_(w),
            lambda: (x * 1).exp_(), lambda: x.var(), lambda: torch.hypot(x, w),
            lambda: x[torch.tensor([0])],
        ):
            see("operator")
            with graph.saved_tensors_hooks(pack, lambda t: t):
                attempt(operator)
    """,
}
