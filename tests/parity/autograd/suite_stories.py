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
        attempt(lambda: grad(x.sum(), collections.OrderedDict(x=x)))
        backward((x * w).sum(), inputs={"x": x})
        see(x.grad, w.grad)
        attempt(lambda: backward(x.sum(), inputs={}))
        attempt(lambda: backward(x.sum(), inputs=collections.OrderedDict(x=x)))
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
        attempt(lambda: grad(x.sum(), x, torch.ones(2, 1), is_grads_batched=True))
    """,
    "a leaf's node called by hand": """
        node = graph.get_gradient_edge(x).node
        attempt(lambda: node(torch.ones(2)))
        see(x.grad, x.grad._version)
        attempt(lambda: node(torch.ones(2)))
        attempt(lambda: node(None))
        see(x.grad)
        attempt(lambda: node())
        attempt(lambda: node(3))
        attempt(lambda: node(gradient=torch.ones(2)))
        attempt(lambda: (x * 2).grad_fn(gradient=torch.ones(2)))
    """,
    "the order of nodes can be changed": """
        a, b = x * 2, x * 3
        a.grad_fn._set_sequence_nr(b.grad_fn._sequence_nr() + 10)
        a.register_hook(lambda g: see("a"))
        b.register_hook(lambda g: see("b"))
        (a + b).sum().backward()
        output = (x * 2).grad_fn._input_metadata[0]
        see(output.is_nested_tensor, output.is_cpp_nested_tensor)
        see(type(a.grad_fn).__module__)
    """,
    "a decorated class is a function": """
        def decorate(mode):
            @mode
            class Made:
                def __init__(self):
                    see(torch.is_grad_enabled())
            see(Made.__name__, type(Made()).__name__)
        told(lambda: decorate(torch.no_grad()))
        told(lambda: decorate(torch.inference_mode()))
    """,
    "modes by their modules": """
        see([name for name in ("no_grad", "enable_grad", "set_grad_enabled", "inference_mode")
             if getattr(torch.autograd.grad_mode, name) is not getattr(torch, name)])
        see(torch.autograd.anomaly_mode.detect_anomaly is torch.autograd.detect_anomaly)
        threads = torch.autograd.set_multithreading_enabled
        with threads(False):
            see(torch.autograd.is_multithreading_enabled())
            (x * w).sum().backward()
        see(torch.autograd.is_multithreading_enabled())
        threads(False)
        see(torch.autograd.is_multithreading_enabled())
        threads(True)
        attempt(lambda: threads(1))
        alone = threads(False)(torch.autograd.is_multithreading_enabled)
        threads(True)
        see(alone(), torch.autograd.is_multithreading_enabled())
    """,
    "attributes that are gone, or cannot be deleted": """
        told(lambda: x.volatile)
        def delete(name):
            delattr(x, name)
        attempt(lambda: delete("requires_grad"))
        attempt(lambda: delete("_backward_hooks"))
        told(lambda: (x * 2).grad)
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
    "functions that are views and nothing else": """
        class Front(Function):
            @staticmethod
            def forward(ctx, x, is_pure, is_view):
                ctx._is_pure_view = is_pure
                return x.narrow(0, 0, 1) if is_view else x.clone()
            @staticmethod
            def backward(ctx, g):
                see("backward")
                return torch.cat([g, g * 0]) if len(g) == 1 else g, None, None
        class Two(Function):
            @staticmethod
            def forward(ctx, x, y):
                ctx._is_pure_view = True
                return x.narrow(0, 0, 1)
        for is_pure in (True, False):
            for is_view in (True, False):
                def run():
                    leaf = new()
                    copy = leaf.clone()
                    out = Front.apply(copy, is_pure, is_view)
                    out.mul_(3)
                    see(out, copy)
                    out.sum().backward()
                    return leaf.grad
                attempt(run)
        attempt(lambda: Two.apply(x, w))
        attempt(lambda: Two.apply(x, 1))
    """,
    "zeros for outputs that nobody used count as written": """
        class Pair(Function):
            @staticmethod
            def forward(ctx, x):
                return x * 1, x * 2
            @staticmethod
            def backward(ctx, one, other):
                see(one._version, other._version)
                return one
        Pair.apply(x)[0].sum().backward()
        grad(Pair.apply(x)[1].sum(), x, create_graph=True)
    """,
    "what is called when a backward is over": """
        engine = torch.autograd.Variable._execution_engine
        def last():
            see("last", x.grad)
        def first():
            see("first")
            engine.queue_callback(last)
        x.register_hook(lambda g: engine.queue_callback(first))
        (x * 2).sum().backward()
        (x * 2).sum().backward()
        attempt(lambda: engine.queue_callback(last))
        class Within(Function):
            @staticmethod
            def forward(ctx, x):
                return x * 1
            @staticmethod
            def backward(ctx, g):
                engine.queue_callback(lambda: see("outer"))
                inner = w.detach().requires_grad_()
                inner.register_hook(lambda g: engine.queue_callback(lambda: see("inner")))
                with torch.enable_grad():
                    (inner * 2).sum().backward()
                return g
        Within.apply(w).sum().backward()
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
        cases = [(View, "view copy other"), (AsItIs, "view same new"), (Fixed, " yes"), (InPlace, "new same")]
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
    "several backwards as one": """
        for is_group in (True, False):
            count = [0]
            def part(x):
                count[0] += 1
                y = x.sin().cos()
                return y, y.sin().cos()
            y, z = checkpointing.checkpoint(part, x, use_reentrant=False)
            import contextlib
            with checkpointing.GraphExecGroup() if is_group else contextlib.nullcontext():
                (of_y,) = grad(z, y, torch.ones(2))
                see(grad(y, x, of_y))
            see(count)
        out = checkpointing.checkpoint(lambda x: x.sin().cos(), x, use_reentrant=False)
        with checkpointing.GraphExecGroup():
            out.sum().backward(retain_graph=True)
            attempt(lambda: out.sum().backward())
            def nested():
                with checkpointing.GraphExecGroup():
                    pass
            try:
                nested()
            except RuntimeError as error:
                see(str(error)[:40])
        with checkpointing.set_checkpoint_debug_enabled(False):
            checkpointing.checkpoint(lambda x: x.sin(), x, use_reentrant=False).sum().backward()
    """,
    "gradcheck warns of gradients that are not there": """
        def silent(x):
            def hook(gradient):
                if gradient is None:
                    raise RuntimeError("nothing came")
            y = x.clone()
            y.register_hook(hook)
            return y
        wide = torch.ones(1, dtype=torch.float64, requires_grad=True)
        told(lambda: torch.autograd.gradcheck(silent, wide))
        told(lambda: torch.autograd.gradcheck(silent, wide, raise_exception=False))
        told(lambda: torch.autograd.gradcheck(lambda x: x * 2, wide))
    """,
}
