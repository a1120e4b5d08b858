"""What PyTorch's own tests of autograd look at and nothing else here did, as source that runs on both libraries (see
`same_source`), after `PRELUDE`.
"""

PRELUDE = """
import collections

grad, backward, graph = torch.autograd.grad, torch.autograd.backward, torch.autograd.graph
Function = torch.autograd.Function
forward_ad, checkpointing = torch.autograd.forward_ad, torch.utils.checkpoint

def new(*values, **how):
    return torch.tensor(values or [1.0, 2.0], requires_grad=True, **how)

x, w = new(), new(3.0, 4.0)
"""

STORIES = {
    "inputs by name": """
        see(grad((x * w).sum(), {"first": x, "second": w}))
        see(grad((x * w).sum(), {1: x}))
        see(grad(x.sum(), {"x": x, "w": w}, allow_unused=True), grad(x.sum(), {"w": w}, materialize_grads=True))
        see(grad(x * 2, {"x": x}, torch.ones(3, 2), is_grads_batched=True))
        attempt(lambda: grad(x.sum(), {}))
        attempt(lambda: grad(x.sum(), {x: 1}))
        backward((x * w).sum(), inputs={"x": x})
        see(x.grad, w.grad)
        attempt(lambda: backward(x.sum(), inputs={}))
    """,
    "what is no tensor": """
        for given in (None, 3, [3], [None], ["x"]):
            attempt(lambda: grad(given, x))
            attempt(lambda: backward(given))
        for given in (None, 3, [3]):
            attempt(lambda: grad(x.sum(), given))
        for given in (3, [3], iter([x]), ()):
            attempt(lambda: backward(x.sum(), inputs=given))
        see(x.grad)
        for given in (None, 3, [x], graph.get_gradient_edge(x)):
            attempt(lambda: graph.get_gradient_edge(given))
    """,
    "a leaf's node called by hand": """
        node = graph.get_gradient_edge(x).node
        attempt(lambda: node(torch.ones(2)))
        see(x.grad, x.grad._version)
        attempt(lambda: node(torch.ones(2)))
        attempt(lambda: node(None))
        see(x.grad)
        attempt(lambda: node())
    """,
    "modes by their modules": """
        see([name for name in ("no_grad", "enable_grad", "set_grad_enabled", "inference_mode")
             if getattr(torch.autograd.grad_mode, name) is not getattr(torch, name)])
        see(torch.autograd.anomaly_mode.detect_anomaly is torch.autograd.detect_anomaly)
    """,
    "anomalies in derivatives of derivatives": """
        class Outer(Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * 1
            @staticmethod
            def backward(ctx, g):
                return Inner.apply(g * ctx.saved_tensors[0])
        class Inner(Function):
            @staticmethod
            def forward(ctx, x):
                return x * 1
            @staticmethod
            def backward(ctx, g):
                return g * float("nan")
        def twice():
            with torch.autograd.detect_anomaly():
                (g,) = grad(Outer.apply(x).sum(), x, create_graph=True)
                g.sum().backward()
        told(twice)
        (g,) = grad(Outer.apply(x).sum(), x, create_graph=True)
        def once():
            with torch.autograd.detect_anomaly():
                g.sum().backward()
        told(once)
        seen = []
        def words():
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                attempt(twice)
            return ["induced by OuterBackward" in str(each.message) for each in caught]
        import warnings
        see(words())
    """,
    "create_graph in inference mode records nothing": """
        y = x.exp().sum()
        with torch.inference_mode():
            (found,) = grad(y, x, create_graph=True)
            see(found.is_inference(), found.requires_grad, found.tolist())
    """,
    "a view that has not noticed what was written to another": """
        for write in ("mul_(2)", "copy_(torch.ones(1))", "add_(w[:1])", "zero_()"):
            base = torch.ones(2)
            one, other = base[:1], base[1:]
            one.mul_(x[:1])
            attempt(lambda: eval(f"other.{write}", {"other": other, "torch": torch, "w": w}))
            see(other.grad_fn)
            attempt(lambda: eval(f"other.{write}", {"other": other, "torch": torch, "w": w}))
        base = torch.ones(2)
        one, other = base[:1], base[1:]
        one.mul_(x[:1])
        other[0] = 5
        see(other)
    """,
    "the gradient of a mean beside a variance": """
        m = torch.arange(6.0).reshape(2, 3).requires_grad_()
        for f in (torch.var_mean, torch.std_mean):
            for dim in (0, 1, None):
                _, mean = f(m, dim=dim)
                mean.grad_fn.register_hook(lambda found, arrived: see(found))
                mean.sum().backward()
                see(m.grad)
    """,
    "vander takes gradients along": """
        for N in (None, 1, 2, 4):
            for increasing in (False, True):
                v = torch.vander(x, N, increasing)
                see(v.requires_grad, v.detach())
    """,
    "what a node keeps, as it is kept": """
        pack, unpack = (lambda t: t), (lambda t: t)
        with graph.saved_tensors_hooks(pack, unpack):
            a = x ** 2
        b = a.exp()
        c = b ** 2
        kept, result, input = a.grad_fn._raw_saved_self, b.grad_fn._raw_saved_result, c.grad_fn._raw_saved_self
        see(kept.data is x, kept.unpack_hook is unpack, result.data is b, result.data.tolist(), result.unpack_hook)
        see(input.data is b, input.unpack_hook)
        chosen = torch.ones(2, 2, requires_grad=True)[:, torch.tensor([0])]
        nothing = chosen.grad_fn._raw_saved_indices
        see([type(each).__name__ for each in nothing])
        attempt(lambda: nothing[0].register_hooks(pack, unpack))
        attempt(lambda: nothing[1].register_hooks(pack))
        class Keeps(Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x, None)
                return x * 1
        kept = Keeps.apply(x)
        attempt(lambda: kept.grad_fn._raw_saved_tensors[1].register_hooks(pack, unpack))
    """,
    "tangents of outputs that are views, were written to, or have none": """
        class View(Function):
            @staticmethod
            def forward(ctx, x, how):
                ctx.how = how
                return x.narrow(0, 0, 1)
            @staticmethod
            def jvp(ctx, t, _):
                found = t.narrow(0, 0, 1)
                return {"view": found, "copy": found.clone(), "other": found.clone().view(1)}[ctx.how]
        class AsItIs(Function):
            @staticmethod
            def forward(ctx, x, how):
                ctx.how = how
                return x
            @staticmethod
            def jvp(ctx, t, _):
                return {"view": t.view_as(t), "same": t, "new": t * 2}[ctx.how]
        class InPlace(Function):
            @staticmethod
            def forward(ctx, x, how):
                ctx.how = how
                x.mul_(2)
                ctx.mark_dirty(x)
                return x
            @staticmethod
            def jvp(ctx, t, _):
                return {"in place": t.mul_(2) if ctx.how == "in place" else None, "new": t * 2, "same": t}[ctx.how]
        class Fixed(Function):
            @staticmethod
            def forward(ctx, x, how):
                ctx.how, out = how, x.clone()
                ctx.mark_non_differentiable(out)
                return x * 1, out
            @staticmethod
            def jvp(ctx, t, _):
                return t, t.clone() if ctx.how else None
        def moved(function, how, requires_grad):
            primal = torch.tensor([1.0, 2.0], requires_grad=requires_grad) * 1
            tangent = torch.tensor([3.0, 4.0])
            out = function.apply(forward_ad.make_dual(primal, tangent), how)
            outs = out if isinstance(out, tuple) else (out,)
            return [None if t is None else t.tolist() for t in (forward_ad.unpack_dual(each).tangent for each in outs)]
        cases = [(View, "view"), (AsItIs, "view"), (Fixed, "")]
        with forward_ad.dual_level():
            for function, hows in cases:
                for how in hows.split(" "):
                    for requires_grad in (False, True):
                        attempt(lambda: moved(function, how, requires_grad))
            attempt(lambda: moved(InPlace, "in place", False))
    """,
    "tangents that are moving, and levels that are not there": """
        with forward_ad.dual_level():
            dual = forward_ad.make_dual(x.detach(), w.detach())
            attempt(lambda: forward_ad.make_dual(torch.ones(2), dual))
            attempt(lambda: forward_ad.make_dual(torch.ones(2), dual * 2))
            attempt(lambda: forward_ad.make_dual(torch.ones(2), torch.ones(2), level=1))
            attempt(lambda: forward_ad.make_dual(torch.ones(2), torch.ones(2), level=-1))
            attempt(lambda: forward_ad.unpack_dual(dual, level=1))
            attempt(lambda: forward_ad.unpack_dual(dual, level=0).tangent.tolist())
    """,
}
