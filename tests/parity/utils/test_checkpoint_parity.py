"""`checkpoint` runs what PyTorch's runs, when it runs it, and gives the same gradients and errors."""

import pytest
from parity.same_source import disagreement

PRELUDE = """
tools = torch.utils.checkpoint
checkpoint = tools.checkpoint

def new():
    return torch.tensor([1.0, 2.0], requires_grad=True)

def telling(x):
    see("a")
    y = x.sin()
    see("b")
    z = y.exp()
    see("c")
    w = z * y
    see("d")
    return w + 1

x, w = new(), new()
"""

STORIES = {
    "both kinds, all kinds of functions": """
        def run(f, *args, **k):
            for reentrant in (False, True):
                see("run", reentrant)
                def go():
                    out = checkpoint(f, *args, use_reentrant=reentrant, **k)
                    see("made", out)
                    (out[0] if isinstance(out, tuple) else out).sum().backward()
                attempt(go)
                see([a.grad for a in args if isinstance(a, torch.Tensor)])
        run(telling, x)
        run(telling, x, early_stop=False)
        run(lambda x, w: x * w, x, w)
        run(lambda x, n: x.exp() * n, x, 3)
        run(lambda x, w: (x * w, x + w, 5), x, w)
        run(lambda x: x.detach(), x)
        run(lambda x: x + 1, x)
        run(lambda x, k=3: x.exp() * k, x, k=5)
        run(lambda x: x.exp() * w, x)
        run(telling, torch.ones(2))
        run(lambda x: x.exp()[0], x)
        run(lambda x: x.expand(3, 2).sum(0), x)
    """,
    "misuse": """
        told(lambda: checkpoint(lambda x: x + 1, torch.ones(2), use_reentrant=True))
        told(lambda: checkpoint(lambda x: x + 1, x))
        attempt(lambda: checkpoint(telling, x, use_reentrant=True, debug=True))
        attempt(lambda: checkpoint(telling, x, use_reentrant=False, determinism_check="odd"))
        attempt(lambda: checkpoint(telling, x, use_reentrant=True, n=3))
        attempt(lambda: checkpoint(telling, x, use_reentrant=False, n=3))
        attempt(lambda: checkpoint(telling, x, use_reentrant=False, context_fn=lambda: 3))
        attempt(lambda: checkpoint(telling, use_reentrant=False))
    """,
    "grad, inputs, twice": """
        for reentrant in (False, True):
            made = lambda: checkpoint(telling, x, use_reentrant=reentrant)
            y = made()
            attempt(lambda: torch.autograd.grad(y.sum(), x))
            y = made()
            attempt(lambda: y.sum().backward(inputs=[x]))
            see(x.grad)
            y = made()
            attempt(lambda: y.sum().backward(retain_graph=True))
            attempt(lambda: y.sum().backward())
            attempt(lambda: y.sum().backward())
            see(x.grad, y.grad_fn)
            x.grad = None
    """,
    "second derivatives": """
        y = checkpoint(lambda x: x.sin().exp() * x, x, use_reentrant=False)
        g, = torch.autograd.grad(y.sum(), x, create_graph=True)
        see(g)
        attempt(lambda: torch.autograd.grad(g.sum(), x))
    """,
    "one in another": """
        def inner(x):
            see("inner")
            return x.sin().exp()
        def outer(x):
            see("outer")
            y = checkpoint(inner, x * 2, use_reentrant=False)
            see("mid")
            z = checkpoint(inner, y.cos(), use_reentrant=False)
            see("end")
            return z * y
        checkpoint(outer, x, use_reentrant=False).sum().backward()
        see(x.grad)
        def deeper(x): return checkpoint(outer, x.sin(), use_reentrant=False)
        checkpoint(deeper, x, use_reentrant=False).sum().backward()
        see(x.grad)
    """,
    "another run than the first": """
        is_first = True
        def fewer(x):
            y = x.sin()
            return y.exp() * y if is_first else y * 2
        def more(x):
            y = x.sin()
            return y * 2 if is_first else y.exp() * y
        def longer(x):
            return (x.sin() if is_first else torch.cat([x, x]).sin()).exp()
        def finer(x):
            return (x.sin() if is_first else x.double().sin()).exp()
        for f in (fewer, more, longer, finer):
            for k in ({}, {"early_stop": False}, {"determinism_check": "none"}):
                is_first = True
                y = checkpoint(f, x, use_reentrant=False, **k)
                is_first = False
                attempt(lambda: y.sum().backward())
    """,
    "overwritten inputs": """
        a = x * 1
        y = checkpoint(lambda a: a.sin().exp(), a, use_reentrant=False)
        a.mul_(2)
        attempt(lambda: y.sum().backward())
    """,
    "without gradients": """
        with torch.no_grad():
            for reentrant in (False, True):
                see(checkpoint(telling, x, use_reentrant=reentrant))
    """,
    "reading saved tensors": """
        y = checkpoint(lambda x: x.exp(), x, use_reentrant=False)
        attempt(lambda: y.grad_fn._saved_result)
        attempt(lambda: y.grad_fn._saved_result)
        class F(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * 2
            @staticmethod
            def backward(ctx, g):
                ctx.saved_tensors
                return g * ctx.saved_tensors[0]
        y = checkpoint(F.apply, x, use_reentrant=False)
        attempt(lambda: y.sum().backward())
    """,
    "in sequence": """
        steps = [lambda x, i=i: (see(i), (x * (i + 1)).sin())[1] for i in range(5)]
        for reentrant in (False, True):
            for n in (1, 2, 3, 5):
                x.grad = None
                y = tools.checkpoint_sequential(steps, n, x, use_reentrant=reentrant)
                y.sum().backward()
                see(y, x.grad)
        told(lambda: tools.checkpoint_sequential(steps, 2, x))
        attempt(lambda: tools.checkpoint_sequential(steps, 2, x, use_reentrant=False, foo=3))
        attempt(lambda: tools.checkpoint_sequential(steps, 6, x, use_reentrant=False))
    """,
    "stopping early": """
        for early in (True, False):
            checkpoint(telling, x, use_reentrant=False, early_stop=early).sum().backward()
        def own(x):
            with torch.enable_grad():
                d = x.detach().requires_grad_()
                (d.sin() ** 2).sum().backward()
            return x * d.grad
        for early in (True, False):
            x.grad = None
            y = checkpoint(own, x, use_reentrant=False, early_stop=early)
            attempt(lambda: y.sum().backward())
            see(x.grad)
    """,
    "errors of the user's own": """
        def wrong(x):
            x.sin()
            raise ValueError("in forward")
        for reentrant in (False, True):
            attempt(lambda: checkpoint(wrong, x, use_reentrant=reentrant))
            see(torch.is_grad_enabled())
        calls = []
        def later(x):
            calls.append(1)
            if len(calls) > 1: raise ValueError("the second time")
            return x.sin()
        for reentrant in (False, True):
            calls.clear()
            y = checkpoint(later, x, use_reentrant=reentrant)
            attempt(lambda: y.sum().backward())
            see(torch.is_grad_enabled(), (x * w).grad_fn)
    """,
    "contexts": """
        import contextlib
        @contextlib.contextmanager
        def said(name):
            see(name)
            yield
            see("end", name)
        y = checkpoint(telling, x, use_reentrant=False, context_fn=lambda: (said("first"), said("second")))
        y.sum().backward()
    """,
    "random numbers": """
        for reentrant in (False, True):
            torch.manual_seed(3)
            x.grad = None
            y = checkpoint(lambda x: x * torch.rand(2), x, use_reentrant=reentrant)
            after = torch.get_rng_state().tolist()
            y.sum().backward()
            see((x.grad * x).sum().item() == y.sum().item(), torch.get_rng_state().tolist() == after)
    """,
    "hooks within": """
        def hooked(x):
            y = x.sin()
            y.register_hook(lambda g: (see(g), g * 2)[1])
            return y.exp()
        checkpoint(hooked, x, use_reentrant=False).sum().backward()
        see(x.grad)
        def telling_hook(t):
            see("hook", t)
            return t
        with torch.autograd.graph.saved_tensors_hooks(telling_hook, telling_hook):
            y = checkpoint(telling, x * 2, use_reentrant=False)
        y.sum().backward()
        see(x.grad)
    """,
}


@pytest.mark.parametrize("name", STORIES)
def test_checkpoint_behaves_as_in_pytorch(name):
    assert disagreement(STORIES[name], PRELUDE) is None
