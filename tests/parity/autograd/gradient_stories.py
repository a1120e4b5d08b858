"""Gradients that are missing, that have another dtype, or whose way leads by an overwritten tensor or an error: source
that runs on both libraries (see `same_source`), after `PRELUDE`.
"""

PRELUDE = """
import gc
import weakref

graph, Function = torch.autograd.graph, torch.autograd.Function

def new(*values, **how):
    return torch.tensor(values or [1.0, 2.0], requires_grad=True, **how)

def node_of(tensor):
    return graph.get_gradient_edge(tensor).node

class Silent(Function):
    '''Its backward has no gradient to give.'''
    @staticmethod
    def forward(ctx, *given):
        return tuple(each * 2 for each in given) if len(given) > 1 else given[0] * 2
    @staticmethod
    def backward(ctx, *arrived):
        return tuple(None for _ in arrived)

x, w = new(), new(3.0, 4.0)
"""

STORIES = {
    "hooks hear that a leaf gets no gradient": """
        x.register_hook(lambda g: see("tensor", g))
        x.register_post_accumulate_grad_hook(lambda leaf: see("after", leaf.grad))
        node_of(x).register_prehook(lambda arrived: see("before", arrived))
        node = node_of(x)
        node.register_hook(lambda found, arrived: see("node", found, arrived))
        Silent.apply(x).sum().backward()
        see(x.grad)
        x.grad = torch.ones(2)
        Silent.apply(x).sum().backward()
        see(x.grad)
    """,
    "hooks hear that what was computed gets no gradient": """
        middle = x * 1
        middle.register_hook(lambda g: see("tensor", g))
        middle.retain_grad()
        x.register_hook(lambda g: see("leaf", g))
        see(torch.autograd.grad(Silent.apply(middle).sum(), x, allow_unused=True))
        var, mean = torch.var_mean(torch.stack([x, w]), dim=0)
        mean.register_hook(lambda g: see("mean", g))
        var.register_hook(lambda g: see("var", g))
        var.sum().backward()
        see(x.grad, w.grad, middle.grad)
    """,
    "a hook cannot put a gradient where none has come": """
        x.register_hook(lambda g: torch.ones(2))
        attempt(lambda: Silent.apply(x).sum().backward())
        middle = w * 1
        middle.register_hook(lambda g: torch.ones(2))
        attempt(lambda: Silent.apply(middle).sum().backward())
        see(x.grad, w.grad)
    """,
    "a hook for several tensors counts those that get no gradient": """
        graph.register_multi_grad_hook((x, w), lambda found: see("all", found))
        graph.register_multi_grad_hook((x, w), lambda first: see("any", first), mode="any")
        (Silent.apply(x) + w).sum().backward()
        Silent.apply(x).sum().backward()
    """,
    "hooks run after the flag of a leaf was taken back": """
        x.register_hook(lambda g: see("tensor", g))
        x.register_post_accumulate_grad_hook(lambda leaf: see("after", leaf.grad))
        y = x * 1
        x.requires_grad_(False)
        y.sum().backward()
        see(x.grad)
    """,
    "a hook of a leaf's node sees what a hook of the leaf has made of its grad": """
        x.register_hook(lambda g: g - 2)
        node = node_of(x)
        node.register_prehook(lambda arrived: (arrived[0] / 5,))
        x.register_post_accumulate_grad_hook(lambda leaf: [leaf.grad.add_(0.5), None][1])
        x.register_post_accumulate_grad_hook(lambda leaf: see(leaf.grad))
        node.register_hook(lambda found, arrived: see(found, arrived))
        x[0].backward()
        see(x.grad)
    """,
    "a leaf that has got another size since": """
        def later(change, use):
            leaf = torch.ones(3, 2, requires_grad=True)
            leaf.register_hook(lambda g: see("hook", g.tolist()))
            before = leaf * 2
            with torch.no_grad():
                change(leaf)
            attempt(lambda: see(use(leaf, before)))
            see(leaf.grad)
        for data in (torch.ones(4), torch.ones(1, 3, 2), torch.ones(2, 2), torch.ones(2, 3).t(), torch.ones(3, 2)):
            def give(leaf):
                leaf.data = data
            for change in (give, lambda leaf: leaf.set_(data), lambda leaf: leaf.unsqueeze_(0), lambda leaf: leaf.t_()):
                later(change, lambda leaf, before: before.sum().backward())
                later(change, lambda leaf, before: torch.autograd.grad(before.sum(), leaf, allow_unused=True))
                later(change, lambda leaf, before: (leaf * 3).sum().backward())
                later(change, lambda leaf, before: torch.autograd.grad((leaf * 3).sum(), leaf)[0].tolist())
    """,
    "a tensor pointed at another storage takes its history along, and lets no gradient through": """
        def pointed(change):
            leaf = torch.ones(3, requires_grad=True)
            made, other = leaf * 2, torch.ones(2, 2)
            squared = made * made
            node = change(made, other, leaf)
            see(node, node and node.next_functions, made.shape, made._version, other._version, other.requires_grad)
            attempt(lambda: squared.sum().backward())
            attempt(lambda: (made.sum() + other.sum()).backward())
        pointed(lambda made, other, leaf: made.set_(other).grad_fn)
        pointed(lambda made, other, leaf: made.set_(other.untyped_storage()).grad_fn)
        pointed(lambda made, other, leaf: made.set_(other.untyped_storage(), 1, (2,), (1,)).grad_fn)
        pointed(lambda made, other, leaf: made.set_().grad_fn)
        pointed(lambda made, other, leaf: other.set_(made).grad_fn)
        pointed(lambda made, other, leaf: other.set_(leaf).grad_fn)
        pointed(lambda made, other, leaf: made.detach().set_(other).grad_fn)
    """,
    "gradients of leaves whose dimensions of size 1 have strides of their own": """
        def strided(*stride):
            leaf = torch.empty_strided((1, 2), stride).fill_(1.0).requires_grad_()
            for use in (lambda x: x, lambda x: x * 2, lambda x: (x * 2)[0], lambda x: x.exp().max()):
                leaf.grad = None
                use(leaf).sum().backward()
                see(leaf.grad.stride(), leaf.grad)
        strided(1, 1)
        strided(7, 1)
        strided(2, 1)
        turned = torch.ones(2, 1, requires_grad=True)
        with torch.no_grad():
            turned.swapaxes_(0, -1)
        turned.sum().backward()
        see(turned.stride(), turned.grad.stride())
    """,
    "nodes of operators between a number and a tensor": """
        for name in ("zeta", "xlogy", "xlog1py"):
            operator = getattr(torch.special, name)
            for operands in ((w, w), (w, 2.0), (2.0, w), (w.detach(), w)):
                see(operator(*operands).grad_fn, operator(*operands).grad_fn.next_functions)
    """,
    "the gradient of an integral over no points, and over one": """
        for y in (torch.zeros(3, 0, requires_grad=True), torch.zeros(3, 1, requires_grad=True)):
            integral = torch.cumulative_trapezoid(y)
            see(integral.shape)
            see(torch.autograd.grad(integral.sum(), y)[0])
    """,
    "a leaf of one element that has got another size since": """
        for change in (lambda leaf: leaf.unsqueeze_(0), lambda leaf: leaf.squeeze_(), lambda leaf: leaf.t_()):
            leaf = torch.ones(1, 1, requires_grad=True)
            before = leaf.reshape(-1)
            with torch.no_grad():
                change(leaf)
            before.backward(torch.ones_like(before))
            see(leaf.grad)
    """,
    "a leaf that has got another dtype since": """
        for data in (torch.ones(2).double(), torch.ones(2).half(), torch.ones(2)):
            leaf = torch.ones(2, requires_grad=True)
            before = leaf * 2
            leaf.data = data
            attempt(lambda: see(torch.autograd.grad(before.sum(), leaf, retain_graph=True)))
            attempt(lambda: before.sum().backward())
            see(leaf.grad)
            leaf.grad = None
            (leaf * 3).sum().backward()
            see(leaf.grad)
    """,
    "the first gradient is converted to the tensor's dtype": """
        y = x * 2
        y.register_hook(lambda g: see(g))
        y.backward(torch.ones(2, dtype=torch.float64))
        x.register_hook(lambda g: see(g))
        x.backward(torch.ones(2, dtype=torch.float64))
        w.backward(torch.ones(2, dtype=torch.bfloat16))
        see(x.grad, w.grad)
    """,
    "what a function that is differentiable once leaves in the graph": """
        class Product(Function):
            @staticmethod
            def forward(ctx, a, number, b):
                ctx.save_for_backward(a, b)
                return a * b * number
            @staticmethod
            @torch.autograd.function.once_differentiable
            def backward(ctx, g):
                a, b = ctx.saved_tensors
                return g * b, None, g * a
        def described(node):
            return None if node is None else (type(node).__name__, [described(each) for each, _ in node.next_functions])
        first, second = torch.autograd.grad(Product.apply(x, 2, w).sum(), (x, w), torch.ones((), requires_grad=True),
                                            create_graph=True)
        see(described(first.grad_fn), described(second.grad_fn))
        attempt(lambda: first.sum().backward())
    """,
    "a result that was written into a view is differentiated twice": """
        for write in ("exp_", "sigmoid_", "relu_", "sqrt_", "tanh_"):
            leaf = new()
            base = leaf + 1
            view = base.view(-1)
            getattr(view, write)()
            y = view * view
            (found,) = torch.autograd.grad(y.sum(), leaf, create_graph=True)
            see(found.detach())
            attempt(lambda: found.sum().backward())
            see(leaf.grad)
        base = x + 1
        view = base.view(-1)
        view.exp_()
        del view
        (found,) = torch.autograd.grad((base * base).sum(), x, create_graph=True)
        see(torch.autograd.grad(found.sum(), x))
        base = x + 1
        view = base.view(-1)
        view.exp_()
        with torch.no_grad():
            base.add_(1)
        attempt(lambda: view.sum().backward())
    """,
    # Those that are opened in a backward corrupt PyTorch's memory: tests/library/autograd/test_hooks.py has ours.
    "hooks of saved tensors that are closed in a backward": """
        closed = graph.saved_tensors_hooks(lambda t: t, lambda t: (closed.__exit__(), t)[1])
        with graph.saved_tensors_hooks(lambda t: (see("packed"), t)[1], lambda t: t):
            with closed:
                y = x.sin()
                y.sum().backward()
            x.sin()
    """,
    "what a function saved is let go of when it cannot be saved": """
        refs = []
        class Kept(Function):
            @staticmethod
            def forward(ctx, x):
                y = x.clone()
                ctx.save_for_backward(y)
                refs.append(weakref.ref(y))
                return y
            @staticmethod
            def backward(ctx, g):
                return None if ctx.saved_tensors is None else g
        gc.collect()
        gc.disable()
        try:
            torch.utils.checkpoint.checkpoint(Kept.apply, x, use_reentrant=False).sum().backward()
            see([ref() is None for ref in refs])
        finally:
            gc.enable()
        see(x.grad)
    """,
    "products with several zeros in a cell are differentiated once": """
        for factors in ([1.0, 0.0, 0.0], [2.0, 0.0, 3.0]):
            start, many = new(1.0, 2.0), new(*factors)
            made = torch.scatter_reduce(start, 0, torch.tensor([0, 0, 0]), many, "prod")
            first = torch.autograd.grad(made.sum(), (start, many), create_graph=True)
            see([each.detach() for each in first])
            attempt(lambda: torch.autograd.grad(first[0].sum() + first[1].sum(), (start, many)))
    """,
    "a function may write only to views that operators may write to": """
        class Add(Function):
            @staticmethod
            def forward(ctx, x):
                x.add_(1)
                ctx.mark_dirty(x)
                return x
            @staticmethod
            def backward(ctx, g):
                return g
        attempt(lambda: Add.apply(x.view_as(x)))
        attempt(lambda: Add.apply(w.split_with_sizes([1, 1])[0]))
        attempt(lambda: Add.apply((w * 1).unbind()[0]))
        copy = x.clone()
        attempt(lambda: Add.apply(copy[:1]))
        copy.sum().backward()
        see(x.grad)
    """,
    "writes that are counted on demand": """
        before = x._version
        graph.increment_version(x)
        graph.increment_version([x, x])
        see(x._version - before)
    """,
}
