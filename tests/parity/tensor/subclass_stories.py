"""Classes derived from Tensor, and classes that define `__torch_function__`, as source that runs on both libraries."""

PRELUDE = """
import copy
import pickle
import sys

class Named(torch.Tensor):
    pass

class Special(Named):
    pass

class Other(torch.Tensor):
    pass

def kind(value):
    if isinstance(value, torch.Tensor):
        return (type(value).__name__, value.requires_grad, value.is_leaf, value._is_view(), value._version,
                value.grad_fn and value.grad_fn.name(), value.as_subclass(torch.Tensor).tolist())
    if isinstance(value, (tuple, list)):
        return type(value).__name__, [kind(each) for each in value]
    return type(value).__name__

x = torch.arange(4.0)
t = x.as_subclass(Named)
y = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
w = y.as_subclass(Named)
"""

STORIES = {
    "functions of layers ask objects that are no tensors": """
        class Computed:
            def __init__(self, value):
                self.value = value

            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                see(func.__name__, [kind.__name__ for kind in types if kind is not torch.Tensor])
                return func(*[each.value if isinstance(each, cls) else each for each in args], **(kwargs or {}))

        functions, x = torch.nn.functional, torch.arange(6.0).reshape(2, 3)
        weight = Computed(torch.arange(12.0).reshape(4, 3))
        see(functions.linear(x, weight), functions.linear(x, weight, torch.ones(4)))
        see(functions.linear(Computed(x), weight), functions.prelu(x - 3, Computed(torch.ones(1) / 4)))
        see(functions.bilinear(x, x, Computed(torch.ones(2, 3, 3))))

        class Quiet(Computed):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return func(*[each.value if isinstance(each, cls) else each for each in args], **(kwargs or {}))

        see(functions.dropout(Quiet(x), 0.5, False), functions.embedding(torch.tensor([1, 3]), Quiet(weight.value)))
        layer = torch.nn.Linear(3, 4, bias=False)
        del layer.weight
        layer.weight = weight
        see(layer(x))
        try:
            functions.linear(x, object())
        except TypeError as error:
            see(str(error).splitlines()[0])
    """,
    "results are of the class": """
        m = t.view(2, 2)
        for result in (
            t + 1, 1 + t, t - 1, 1 - t, t * 2, t / 2, 2 / (t + 1), t // 2, t % 2, t**2, 2**t, m @ m, -t, abs(t),
            ~(t > 0), t == 1, t != 1, t < 1, 1 < t, x + t, t + x, x - t, x * t, x / (t + 1), x @ t, t[0], t[1:],
            t[[0, 1]], t[t > 1], x[t.long()], t.sum(), t.max(0), torch.max(m, 1), t.split(2), t.unbind(), list(t),
            torch.cat([x, t]), torch.stack([t, t]), torch.where(x > 1, x, t), torch.zeros_like(t), t.new_zeros(2), t.T,
            t.data, t.real, m.mT, m.H, t.detach(), t.clone(), t.double(), t.to(torch.int64), torch.add(x, t),
            torch.add(t, 1, alpha=2), torch.matmul(x, t), torch.einsum("i,i->", t, t), torch.linalg.norm(t),
            torch.meshgrid(t, t, indexing="ij"), torch.fft.fft(t), torch.special.erf(t), torch.topk(t, 2),
            torch.broadcast_tensors(t, m),
            x.add(t), x.clone().add_(t), x.clone().copy_(t), torch.add(x, 1, out=torch.zeros(4).as_subclass(Named)),
            torch.add(t, 1, out=torch.zeros(4)), torch.sort(t), t.tolist(), t.shape, t.dtype, torch.softmax(t, 0),
            t.reshape(2, 2), t.reshape(-1), t.expand(2, 4), t.t(), m.transpose(0, 1), m.permute(1, 0), m.flatten(),
        ):
            see(kind(result))
    """,
    "what takes a tensor for its data gives a plain one": """
        for result in (
            torch.tensor(t), torch.as_tensor(t), torch.asarray(t), torch.asarray(t, copy=True), torch.full((2,), t[1]),
            torch.arange(t[3]), torch.is_tensor(t), torch.typename(t), t.type(), isinstance(t, torch.FloatTensor),
        ):
            see(kind(result))
    """,
    "making tensors of the class": """
        for make in (
            lambda: Named([1, 2, 3]), lambda: Named(2, 3).zero_(), lambda: Named(x), lambda: Named(y), lambda: Named(t),
            lambda: Named(), lambda: Named(data=[1, 2]), lambda: x.as_subclass(Special), lambda: w.as_subclass(Other),
            lambda: torch.Tensor._make_subclass(Named, x), lambda: torch.Tensor._make_subclass(Named, y, True),
            lambda: x.as_subclass(torch.Tensor), lambda: x.as_subclass(int), lambda: x.as_subclass(3),
            lambda: x.as_subclass(), lambda: torch.Tensor._make_subclass(int, x), lambda: torch.Tensor(y),
        ):
            try:
                see(kind(make()))
            except Exception as error:
                see(type(error).__name__, str(error))
        x.add_(1)
        see(t._version, t.data_ptr() == x.data_ptr(), t._base is x)
    """,
    "printing": """
        see(repr(t), str(w), repr(w * 2), f"{t[0]}", repr(t.view(2, 2).requires_grad_()), repr(torch.max(t, 0)))
    """,
    "classes that are strangers to each other": """
        u, v = x.as_subclass(Other), x.as_subclass(Special)
        for call in (
            lambda: t + u, lambda: u * t, lambda: torch.add(t, u), lambda: t.mul(u), lambda: torch.cat([t, u]),
            lambda: t + v, lambda: v + t, lambda: torch.stack([t, v]), lambda: torch.where(t > 1, t, u),
        ):
            try:
                see(kind(call()))
            except Exception as error:
                see(type(error).__name__, str(error).splitlines()[0])
    """,
    "gradients": """
        loss = (w * w).sum()
        see(kind(loss))
        loss.backward(retain_graph=True)
        see(type(y.grad).__name__, y.grad, type(w.grad).__name__)
        see(kind(torch.autograd.grad(loss, w, retain_graph=True)), kind(torch.autograd.grad(loss, y)))
        p = Named([1.0, 2.0]).requires_grad_()
        q = torch.tensor([3.0, 4.0], requires_grad=True)
        (p * q + torch.matmul(p, q) + torch.sin(p) * p.exp()).sum().backward()
        see(type(p.grad).__name__, p.grad, type(q.grad).__name__, q.grad)
        with torch.no_grad():
            p -= 0.1 * p.grad
            see(kind(p), type(p.grad).__name__)
        first = torch.autograd.grad((p**3).sum(), p, create_graph=True)[0]
        see(type(first).__name__, torch.autograd.grad(first.sum(), p)[0])
    """,
    "copies": """
        t.note = "mine"
        for made in (copy.copy(t), t.clone(), t.view(2, 2), t + 1):
            see(kind(made), getattr(made, "note", None))
        sys.modules["stories"] = type(sys)("stories")
        sys.modules["stories"].Named, Named.__module__, Named.__qualname__ = Named, "stories", "Named"
        made = pickle.loads(pickle.dumps(t))
        see(kind(made), made.note)
        try:
            copy.deepcopy(t)
        except RuntimeError as error:
            see(str(error))

        class Deep(torch.Tensor):
            def new_empty(self, *arguments, **keywords):
                return super().new_empty(*arguments, **keywords).as_subclass(Deep)

        see(kind(copy.deepcopy(x.as_subclass(Deep))))
    """,
    "a class that watches": """
        seen = []

        class Watched(torch.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                seen.append((func.__name__, [each.__name__ for each in types], len(args), sorted(kwargs or {})))
                return super().__torch_function__(func, types, args, kwargs)

        a = torch.ones(2, 2).as_subclass(Watched)
        plain = torch.ones(2, 2)
        for call in (
            lambda: a + 1, lambda: 1 + a, lambda: 1 - a, lambda: plain - a, lambda: plain + a, lambda: plain @ a,
            lambda: a @ a, lambda: -a, lambda: a == 1, lambda: 1 < a, lambda: a[0], lambda: a.__setitem__(0, 1),
            lambda: a.sum(dim=0), lambda: torch.sum(a, dim=0), lambda: torch.add(plain, a, alpha=2), lambda: a.shape,
            lambda: a.size(0), lambda: a.dim(), lambda: a.T, lambda: a.data, lambda: a.requires_grad, lambda: len(a),
            lambda: a.item, lambda: a.add_(1), lambda: a.__iadd__(1), lambda: torch.cat([plain, a]), lambda: list(a),
            lambda: a.numpy(), lambda: a.is_contiguous(), lambda: a.view(4), lambda: torch.is_tensor(a),
            lambda: torch.zeros_like(a), lambda: torch.equal(a, a), lambda: a.to(torch.float64), lambda: bool(a.all()),
            lambda: torch.tensor(a), lambda: a.as_subclass(torch.Tensor), lambda: torch.sum(input=a),
        ):
            seen.clear()
            call()
            see(seen)
    """,
    "a class with values of its own": """
        HANDLED = {}

        class Diagonal:
            def __init__(self, length, value):
                self.length, self.value = length, value

            def __torch_function__(self, func, types, args=(), kwargs=None):
                if func not in HANDLED:
                    return NotImplemented
                return HANDLED[func](*args, **(kwargs or {}))

        HANDLED[torch.mean] = lambda input: float(input.value) / input.length
        HANDLED[torch.add] = lambda input, other: ("sum", type(input).__name__, type(other).__name__)
        HANDLED[torch.Tensor.add] = lambda input, other: ("added", type(input).__name__, type(other).__name__)
        HANDLED[torch.cat] = lambda tensors, dim=0: [type(each).__name__ for each in tensors]
        HANDLED[torch.linalg.norm] = lambda A: A.value
        HANDLED[torch.Tensor.matmul] = lambda input, other: "product"
        d = Diagonal(5, 2)
        for call in (
            lambda: torch.mean(d), lambda: torch.add(d, 1), lambda: torch.add(x, d), lambda: x + d, lambda: x.add(d),
            lambda: torch.cat([x, d]), lambda: torch.linalg.norm(d), lambda: x @ d, lambda: torch.mul(d, 2),
            lambda: x * d, lambda: d + x, lambda: torch.tensor(d), lambda: torch.sin(d), lambda: torch.sum(d, dim=0),
        ):
            try:
                see(call())
            except Exception as error:
                see(type(error).__name__, str(error).splitlines()[0])
    """,
    "classes that have no say": """
        class Quiet(torch.Tensor):
            __torch_function__ = torch._C._disabled_torch_function_impl

        q = x.as_subclass(Quiet)
        for result in (q + 1, q[0], q.view(2, 2), q.add_(1), q.detach(), q.clone(), q.T, t + q, q.sum(), x + q):
            see(kind(result))
        see(repr(q))

        class Parameter(torch.Tensor):
            __torch_function__ = torch._C._disabled_torch_function_impl

            def __new__(cls, data, requires_grad=True):
                return torch.Tensor._make_subclass(cls, data, requires_grad)

            def __repr__(self):
                return "Parameter containing:\\n" + super().__repr__()

        p = Parameter(torch.ones(2, 2))
        see(repr(p), kind(p), kind(p @ p), isinstance(p, Parameter))
        (p @ torch.ones(2)).sum().backward()
        see(p.grad, type(p.grad).__name__)
    """,
    "torch.overrides": """
        def double(value):
            if torch.overrides.has_torch_function((value,)):
                return torch.overrides.handle_torch_function(double, (value,), value)
            return value * 2

        class Loud:
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return func.__name__, len(args)

        see(double(Loud()), double(x), kind(double(t)))
        for each in (Loud(), t, x, 3):
            see(torch.overrides.is_tensor_like(each))
        see(torch.overrides.has_torch_function([x, t]))
        see(torch.overrides.resolve_name(torch.add), torch.overrides.resolve_name(torch.Tensor.add))

        class Mixed(torch.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                with torch._C.DisableTorchFunctionSubclass():
                    return func(*args, **(kwargs or {}))

        see(kind(x.as_subclass(Mixed) + 1), kind(x.as_subclass(Mixed)[0]), kind(torch.sum(x.as_subclass(Mixed))))
    """,
    "a class pickles what tensors make of themselves, and more": """
        import io, pickle, sys, types
        class Named(torch.Tensor):
            def __reduce_ex__(self, protocol):
                function, arguments = super().__reduce_ex__(protocol)
                return again, (function, arguments, self.called)

        def again(function, arguments, called):
            made = function(*arguments)
            made.called = called + " again"
            return made

        home = sys.modules["home_of_named"] = types.ModuleType("home_of_named")
        home.Named, home.again = Named, again
        Named.__module__ = again.__module__ = "home_of_named"
        Named.__qualname__, again.__qualname__ = "Named", "again"
        x = torch.arange(3.0).as_subclass(Named)
        x.called = "x"
        read = pickle.loads(pickle.dumps(x))
        see(type(read), read.tolist(), read.called, len(torch.ones(2).__reduce_ex__(2)))
        with io.BytesIO() as file:
            torch.save({"x": x}, file)
            file.seek(0)
            read = torch.load(file, weights_only=False)["x"]
        see(type(read), read.tolist(), read.called)
        del sys.modules["home_of_named"]
    """,
}
