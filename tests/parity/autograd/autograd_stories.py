"""What autograd does in the corners of its interface, as source that runs on both libraries (see `same_source`)."""

PRELUDE = """
import copy
import pickle

grad, backward, graph = torch.autograd.grad, torch.autograd.backward, torch.autograd.graph

def new(*values):
    return torch.tensor(values or [1.0, 2.0], requires_grad=True)

x, w, u = new(), new(3.0, 4.0), new(5.0, 6.0)
"""

STORIES = {
    "an inference tensor cannot be written to outside, as out either": """
        with torch.inference_mode():
            made, square = torch.ones(2), torch.ones(2, 2)
        n = torch.ones(2)
        attempt(lambda: torch.add(n, 1, out=made))
        attempt(lambda: torch.sin(n, out=made))
        attempt(lambda: torch.sum(torch.ones(2, 2), 0, out=made))
        attempt(lambda: torch.mm(torch.ones(2, 2), torch.ones(2, 2), out=square))
        attempt(lambda: torch.max(torch.ones(2, 2), 0, out=(made, torch.tensor([0, 0]))))
        attempt(lambda: torch.cat([n[:1], n[:1]], out=made))
    """,
    "how often a gradient was written": """
        for create_graph in (False, True):
            a = new()
            for _ in range(3):
                (a * a).sum().backward(create_graph=create_graph)
                see(a.grad._version, a.grad)
        b = new()
        b.grad = torch.zeros(2)
        b.sum().backward()
        see(b.grad._version)
        given = torch.ones(2)
        c = new()
        c.backward(given)
        see(c.grad is given, c.grad._version)
        c.backward(given)
        see(c.grad._version, given)
        d = new() * 2
        d.retain_grad()
        d.sum().backward(retain_graph=True)
        see(d.grad._version, d.grad)
        d.sum().backward()
        see(d.grad._version, d.grad)
    """,
    "how the gradient of a sum lies in memory": """
        for size in ((1,), (1, 1), (2, 1), (1, 3), (3,), (2, 3)):
            for reduced in (
                lambda a: a.sum(), lambda a: (a * 1).sum(), lambda a: a.mean(), lambda a: a.sum(0),
                lambda a: a.sum(0, True), lambda a: a.sum(tuple(range(a.dim()))), lambda a: a.amax(0),
            ):
                a = torch.ones(size, requires_grad=True)
                result = reduced(a)
                see(grad(result, a, torch.ones(result.shape), retain_graph=True))
                result.backward(torch.ones(result.shape))
                see(a.grad)
    """,
    "modes within modes": """
        def modes():
            see(torch.is_grad_enabled(), torch.is_inference_mode_enabled())
        def made():
            modes()
            a = torch.ones(2, requires_grad=True)
            see(a.is_inference(), a * 2, (a * 2).is_inference(), x.view(2).is_inference(), x * 2)
        with torch.inference_mode():
            made()
            with torch.enable_grad():
                made()
                with torch.no_grad():
                    made()
                made()
            with torch.inference_mode(False):
                made()
            torch.set_grad_enabled(True)
            made()
        modes()
        with torch.no_grad():
            with torch.inference_mode(False):
                made()
            with torch.inference_mode():
                modes()
            modes()
        see(repr(torch.set_grad_enabled(True)))
    """,
    "what is made in inference mode and used outside": """
        with torch.inference_mode():
            view, made, detached, cloned = x.view(2), x * 2, x.detach(), x.clone()
        see(view, made, detached, cloned)
        for each in (view, made):
            for use in (
                lambda: each._version, lambda: each.requires_grad_(), lambda: each * x, lambda: each.retain_grad(),
                lambda: each.clone().requires_grad_(), lambda: (each + 1).is_inference(),
                lambda: each[0].is_inference(),
            ):
                attempt(use)
        attempt(lambda: view.add_(1))
        attempt(lambda: made.add_(1))
    """,
    "Variable": """
        Variable = torch.autograd.Variable
        a = torch.ones(2)
        see(isinstance(a, Variable), isinstance(2, Variable), Variable.__name__, issubclass(torch.Tensor, Variable))
        see(Variable(a) is a, Variable(a).data_ptr() == a.data_ptr(), Variable(a, True), Variable(x), Variable(x * 2))
        told(lambda: Variable(a, volatile=True))
    """,
    "hooks stay where detach_ cuts": """
        y = x * 2
        y.register_hook(lambda g: see("hook", g))
        y.retain_grad()
        z = y * 3
        y.detach_()
        see(y, y.retains_grad)
        z.sum().backward()
        see(y.grad, x.grad)
        y.requires_grad_()
        (y * 2).sum().backward()
        see(y.grad)
    """,
    "once too often": """
        for f in (
            lambda a: a * 2, lambda a: a + 2, lambda a: a / 2, lambda a: 2 / a, lambda a: a * a, lambda a: a.exp(),
            lambda a: a.max(), lambda a: a.max(0)[0], lambda a: a.sort()[0], lambda a: a[0], lambda a: a[[0, 1]],
            lambda a: a.clamp(0), lambda a: a.relu(), lambda a: a ** 2, lambda a: a.std(), lambda a: a.cumsum(0),
            lambda a: torch.where(a > 1, a, 0.0), lambda a: a.masked_fill(a > 1, 0), lambda a: a.lerp(a, 0.5),
            lambda a: a.gather(0, torch.tensor([0])), lambda a: a.take(torch.tensor([0])), lambda a: a.flip(0),
            lambda a: a.scatter(0, torch.tensor([0]), 1.0), lambda a: (a * 1).mul_(2), lambda a: (a + 1).fill_(2),
            lambda a: a.unbind()[0], lambda a: a.logaddexp(a), lambda a: a.nan_to_num(), lambda a: a.round(),
        ):
            a = new()
            loss = f(a).sum()
            loss.backward()
            attempt(loss.backward)
    """,
    "places in the graph": """
        y = x * 2
        place, of_leaf = graph.get_gradient_edge(y), graph.get_gradient_edge(x)
        z = y * 3
        see(type(place), place.node, place.output_nr, of_leaf.node, of_leaf.output_nr)
        unused = graph.get_gradient_edge(new() * 1)
        for call in (
            lambda: grad(z.sum(), place, retain_graph=True), lambda: grad(z.sum(), [place, x], retain_graph=True),
            lambda: grad(place, x, torch.ones(2), retain_graph=True), lambda: grad(place, x, retain_graph=True),
            lambda: grad(z.sum(), of_leaf, retain_graph=True), lambda: grad(z.sum(), unused, retain_graph=True),
            lambda: grad(z.sum(), unused, retain_graph=True, allow_unused=True),
            lambda: grad(z.sum(), unused, retain_graph=True, materialize_grads=True),
            lambda: grad(z.sum(), place, retain_graph=True, materialize_grads=True),
            lambda: backward(place, torch.ones(2), retain_graph=True), lambda: graph.get_gradient_edge(torch.ones(2)),
            lambda: backward(z.sum(), inputs=[of_leaf], retain_graph=True),
            lambda: backward(z.sum(), inputs=[place], retain_graph=True),
            lambda: z.sum().backward(inputs=[y], retain_graph=True), lambda: z.sum().backward(inputs=[]),
            lambda: z.sum().backward(inputs=[2]), lambda: z.sum().backward(inputs=torch.ones(2)),
        ):
            attempt(call)
            see(x.grad, y.grad if y.retains_grad else None)
    """,
    "arguments of grad and backward": """
        v, s = x * 3, (x * 2).sum()
        two, keep = torch.ones(2), dict(retain_graph=True)
        for call in (
            lambda: grad(s, u, **keep), lambda: grad(s, u, allow_unused=True, **keep), lambda: grad(v, x, **keep),
            lambda: grad(s, [x, u], materialize_grads=True, **keep), lambda: grad(s, [], **keep),
            lambda: grad(s, [x, u], materialize_grads=True, allow_unused=False), lambda: grad(s, [x, 2], **keep),
            lambda: grad(v, x, [two, two], **keep), lambda: grad(v, x, [], **keep),
            lambda: grad([v, s], x, [two, None], **keep),
            lambda: grad(v, x, torch.ones(3)), lambda: grad(v, x, two.to(torch.complex64)), lambda: grad(v, x, 2),
            lambda: grad(two, x), lambda: grad(s, two, **keep), lambda: grad(v, x, two.double(), **keep),
            lambda: grad(v, x, torch.eye(2), is_grads_batched=True, **keep), lambda: grad(x, x, two),
            lambda: grad(s, [x, u], torch.ones(3), is_grads_batched=True, materialize_grads=True, **keep),
            lambda: grad(s, x, torch.tensor(2.0), True, False, True),
            lambda: grad((s, s), (x, x), **keep), lambda: grad(v, [v, x], two, **keep),
            lambda: backward([v, v], two), lambda: backward(v),
            lambda: s.backward(foo=1), lambda: v.backward(2.0), lambda: (x > 0).backward(), lambda: two.backward(),
        ):
            told(call)
        see(x.grad)
    """,
    "copies of tensors with gradients": """
        (x * 2).sum().backward()
        y = x * 2
        for copied in (copy.copy, copy.deepcopy, lambda a: pickle.loads(pickle.dumps(a))):
            for each in (x, y, torch.ones(4)[1:]):
                def make():
                    made = copied(each)
                    see(made._version, made.grad)
                    return made
                attempt(make)
    """,
    "nodes called by hand": """
        node = (x * 2).grad_fn
        attempt(lambda: node(torch.ones(2)))
        attempt(lambda: node())
        attempt(lambda: node(torch.ones(2), torch.ones(2)))
        attempt(lambda: (2 % x).sum().backward())
        see(isinstance(node, graph.Node), issubclass(type(node), graph.Node), torch.is_anomaly_enabled())
    """,
    "the largest among NaNs": """
        nan = float("nan")
        for values in ([nan, 1.0, nan], [1.0, 2.0, 2.0], [nan, nan, nan]):
            for name in ("max", "min", "amax", "amin"):
                a = new(*values)
                getattr(a, name)().backward()
                see(str(a.grad.tolist()))
    """,
    "outputs that nobody used": """
        for many in (torch.std_mean, torch.var_mean):
            for values in ((0.5,), (1.0, 3.0)):
                for which in (0, 1):
                    a = new(*values)
                    see(str(grad(many(a, 0)[which], a)[0].tolist()))
        a, b = new(-1.5, 1.5), new(0.0, 1.0)
        a.acosh().sum().backward()
        torch.atan2(b, b * 2).sum().backward()
        see(a.grad, b.grad)
    """,
    "what is written from itself, or looks at what cannot have gradients": """
        a, first = torch.ones(1, 3), torch.tensor([0])
        attempt(lambda: a.index_add_(0, first, a.narrow(0, 0, 1)))
        attempt(lambda: a.index_copy_(0, first, a))
        def look_at(other):
            x.data = other
            return x
        attempt(lambda: look_at(torch.tensor([1, 2])))
        attempt(lambda: look_at(torch.ones(2, dtype=torch.float64)))
        attempt(lambda: w.set_(torch.ones(2)))
        attempt(lambda: w.set_(torch.ones(2, dtype=torch.int64)))
        for dtype in (torch.float16, torch.float32):
            attempt(lambda: torch.ones(2, dtype=dtype).__setitem__(0, 1j))
        for index in (0, slice(1, None), ...):
            attempt(lambda: (w.sum() * 1)[index])
    """,
    "writes to views of views that were made in a mode": """
        for mode in (torch.no_grad, torch.inference_mode, torch.enable_grad):
            for leaf in (True, False):
                base = torch.ones(4, requires_grad=True) if leaf else torch.ones(4, requires_grad=True).clone()
                with mode():
                    v, one = base.view(2, 2), base.view(2, 2).unbind()[0]
                for write in (
                    lambda: v.unbind()[0].mul_(2), lambda: v.split(1)[0].view(-1).mul_(2), lambda: one.mul_(2),
                    lambda: v[0].mul_(2), lambda: v[0].unbind()[0].mul_(2),
                ):
                    attempt(write)
    """,
    "a view that can no longer be made": """
        y = x.clone()
        first, second = y.unbind()
        y.mul_(2)
        see(repr(first))
        attempt(lambda: first * 2)
    """,
    "where a gradient lies along dimensions of length 1": """
        for make in (lambda: torch.arange(3.0).reshape(3, 1).t(), lambda: torch.arange(3.0).reshape(3, 1).t().clone()):
            a = make().requires_grad_()
            b = a * 2
            b.retain_grad()
            (b * b).sum().backward()
            see(a.grad, a.grad.stride(), b.grad.stride())
            for function in (lambda a: a * a, torch.exp, torch.sin, lambda a: a / 2, lambda a: a / a.exp()):
                see(torch.autograd.grad(function(a).sum(), a)[0].stride())
    """,
    "how a product's gradients lie": """
        a, weight = torch.arange(6.0).reshape(2, 3).requires_grad_(), torch.arange(12.0).reshape(4, 3).requires_grad_()
        turned = torch.arange(6.0).reshape(3, 2).t().requires_grad_()
        bias = torch.arange(4.0).requires_grad_()
        for function in (
            lambda a: a @ weight.t(),
            lambda a: torch.addmm(bias, a, weight.t(), alpha=2),
            lambda a: torch.einsum("ij,kj->ik", a, weight),
            lambda a: a.t() @ a,
            lambda a: a[:1] @ weight.t()[:, :1],
        ):
            for one in (a, turned):
                see(*[each.stride() for each in torch.autograd.grad(function(one).pow(2).sum(), (one, weight),
                                                                    allow_unused=True) if each is not None])
                first = torch.autograd.grad(function(one).pow(2).sum(), one, create_graph=True)[0]
                see(first.stride(), torch.autograd.grad(first.pow(2).sum(), one)[0].stride())
                function(one).pow(2).sum().backward()
                see(one.grad.stride(), one.grad, weight.grad)
        see((a @ weight.t()).grad_fn._saved_mat2_sym_strides, (a @ weight.t()).grad_fn._saved_self_sym_strides)
    """,
    "integers have no history": """
        for dtype in (torch.int64, torch.bool, torch.uint8):
            a = torch.zeros(3, dtype=dtype)
            attempt(lambda: a.copy_(x[:3].exp()).requires_grad)
            attempt(lambda: a.view(3)[:2].copy_(x[:2]).requires_grad)
            a[0] = x[0]
            a[1:] = x[1:3]
            see(a, a.requires_grad)
            attempt(lambda: a.add_(x[:3]))
    """,
    "what was overwritten, by the dtype's old name": """
        for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128):
            a = torch.ones(2, dtype=dtype, requires_grad=True)
            y = a.tanh()
            y.mul_(2)
            attempt(lambda: y.sum().abs().backward())
    """,
    "writes through views that read the elements in another way": """
        def parts(*writes):
            for write in writes:
                leaf = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
                c = leaf.clone()
                write(c)
                (c * c.conj() + c * (1 + 2j)).abs().sum().backward()
                see(c, leaf.grad)

        parts(lambda c: c.real.mul_(2), lambda c: c[1:].imag.add_(1), lambda c: c.conj().mul_(1j),
              lambda c: c[0].conj().mul_(2j), lambda c: c.real.copy_(c.imag), lambda c: c.conj().real.mul_(3),
              lambda c: torch.view_as_real(c).t()[0].exp_(), lambda c: torch.view_as_real(c)[0].fill_(2.0))

        def wholes(*writes):
            for write in writes:
                leaf = torch.arange(1.0, 9.0, requires_grad=True)
                flat = leaf * 1
                view = torch.view_as_complex(flat[2:6].view(2, 2))
                write(view)
                (flat * flat).sum().backward()
                see(flat, view, leaf.grad)

        wholes(lambda v: v.mul_(1j), lambda v: v[0].mul_(2 + 1j), lambda v: v.conj().mul_(1j), lambda v: v.real.mul_(5))
    """,
    "random numbers": """
        p = torch.ones(2) / 2
        for fill in (
            lambda t: t.uniform_(), lambda t: t.normal_(1, 2), lambda t: t.bernoulli_(0.5), lambda t: t.bernoulli_(p),
            lambda t: t.random_(), lambda t: t.random_(3), lambda t: t.random_(1, 3), lambda t: t.exponential_(),
            lambda t: t.cauchy_(), lambda t: t.geometric_(0.5), lambda t: t.log_normal_(),
        ):
            leaf = new()
            attempt(lambda: fill(leaf).grad_fn)
            with torch.no_grad():
                see(fill(leaf).requires_grad)
            y = leaf * 1
            see(fill(y) is y, y.grad_fn)
            y.sum().backward()
            see(leaf.grad)
        half = new(0.5, 0.5)
        for draw in (
            lambda: torch.bernoulli(half), lambda: half.bernoulli(0.5), lambda: torch.poisson(half),
            lambda: torch.normal(half, 1.0), lambda: torch.normal(0.0, half), lambda: torch.normal(half, half),
            lambda: torch.binomial(half, half), lambda: torch.multinomial(half, 1), lambda: torch.rand_like(half),
        ):
            drawn = draw()
            see(drawn.requires_grad, drawn.grad_fn)
            attempt(lambda: grad(drawn.sum(), half))
    """,
    "a walk back within vmap": """
        y = x**2
        see(torch.vmap(lambda v: grad(y, x, v)[0])(torch.eye(2)))
        attempt(lambda: grad(y, x, torch.ones(2)))
    """,
}

#: Each is run on a computed tensor, a leaf, a view of a computed one and a plain one, all of size (1, 2, 1).
RELABELLED = (
    "t.squeeze_()", "t.squeeze_(0)", "t.squeeze_((0, 2))", "t.squeeze_(5)", "t.unsqueeze_(0)", "t.transpose_(0, 1)",
    "t.swapaxes_(0, 1)", "t[0].t_()", "t.t_()", "t.as_strided_((2,), (1,))", "t.resize_(2)", "t.unsqueeze_(0).mul_(2)",
    "t.mul_(2).unsqueeze_(0)", "t.detach().unsqueeze_(0)", "part.unsqueeze_(0)", "part.unsqueeze_(0).mul_(2)",
    "t.transpose_(0, 1).transpose_(0, 1)", "(part.unsqueeze_(0), t.mul_(2))", "(t.unsqueeze_(0), part.sum())",
)  # fmt: skip
