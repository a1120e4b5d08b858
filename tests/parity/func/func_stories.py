"""Functions of functions as PyTorch's own tests call them, as source that runs on both libraries (see `same_source`),
after `PRELUDE`.
"""

PRELUDE = """
import collections

func = torch.func
x, w = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
one = torch.tensor(3.0)

def copied(value):
    if isinstance(value, torch.Tensor):
        return value.clone(memory_format=torch.contiguous_format)  # how results lie in memory is not at issue
    if isinstance(value, dict):
        return {key: copied(part) for key, part in value.items()}
    return tuple([copied(part) for part in value]) if isinstance(value, (tuple, list)) else value

def each(*functions):
    for function in functions:
        attempt(lambda: copied(function()))
"""

STORIES = {
    "inference mode": """
        made = None
        with torch.inference_mode():
            made = torch.tensor([1.0, 2.0])
            for given in (x, made):
                see(func.grad(lambda x: (x * x).sum())(given))
                see(func.grad(lambda x: (x * w).sum())(given))
                see(func.grad_and_value(lambda x: (x * x).sum())(given)[1])
                see(func.grad(func.grad(lambda x: (x ** 3).sum()))(given.sum()))
                pull = func.vjp(torch.sin, given)[1]
                see(pull(torch.ones(2)))
                see(func.jvp(torch.sin, (given,), (torch.ones(2),))[1])
                see(func.jvp(lambda x: x * x, (given,), (made,))[1])
                see(func.jacrev(lambda x: x * x)(given).diagonal())
                see(func.jacfwd(lambda x: x * x)(given).diagonal())
                see(func.hessian(lambda x: (x ** 3).sum())(given).diagonal())
            see(torch.is_inference_mode_enabled())
        see(func.grad(lambda x: x.sin().sum())(made))
        with torch.inference_mode(), torch.no_grad():
            see(func.grad(lambda x: (x * x).sum())(x))
    """,
    "what travels along": """
        for aux in (x, [x, (w, {"k": x})], [], ()):
            each(lambda: func.grad(lambda x: (x.sum(), aux), has_aux=True)(x),
                 lambda: func.grad_and_value(lambda x: (x.sum(), aux), has_aux=True)(x),
                 lambda: func.vjp(lambda x: (x.sum(), aux), x, has_aux=True)[2],
                 lambda: func.jvp(lambda x: (x.sum(), aux), (x,), (x,), has_aux=True)[2],
                 lambda: func.jacrev(lambda x: (x.sum(), aux), has_aux=True)(x)[1],
                 lambda: func.jacfwd(lambda x: (x.sum(), aux), has_aux=True)(x)[1])
    """,
    "which arguments count": """
        product = lambda x, w: (x * w).sum()
        refused = (0, 0), (), 2, (0, 2), None, 1.0, "0", [0], (0.0,)
        for argnums in (0, 1, -1, (0, 1), (1, 0), (-1, 0), (0, -2), -3, *refused):
            each(lambda: func.grad(product, argnums=argnums)(x, w),
                 lambda: func.grad_and_value(product, argnums=argnums)(x, w),
                 lambda: func.jacrev(product, argnums=argnums)(x, w))
        for argnums in (0, 1, (0, 1), (1, 0), *refused):
            attempt(lambda: func.jacfwd(product, argnums=argnums)(x, w))
    """,
    "integers": """
        whole = torch.tensor([1, 2])
        for given in (whole, whole > 1):
            each(lambda: func.jvp(torch.sin, (given,), (x,)), lambda: func.jvp(torch.sin, (x,), (given,)),
                 lambda: func.jacfwd(torch.sin)(given), lambda: func.jacrev(torch.sin)(given),
                 lambda: func.grad(torch.sum)(given), lambda: func.vjp(torch.sin, given))
        each(lambda: func.jvp(lambda x: x > 1.5, (x,), (w,)),
             lambda: func.jvp(lambda x: (x * 2, x.long()), (x,), (w,)),
             lambda: func.jvp(torch.max, (x, torch.tensor([2.0, 1.0])), (w, x)),
             lambda: func.jvp(lambda x: torch.sort(x, descending=True)[1], (x,), (w,)),
             lambda: func.jacfwd(lambda x: x.argmax())(x), lambda: func.jacfwd(lambda x: [x.long(), x])(x),
             lambda: func.vjp(lambda x: x > 1.5, x), lambda: func.jacrev(lambda x: x.long())(x))
    """,
    "nested values": """
        Pair = collections.namedtuple("Pair", ["left", "right"])
        class Own(dict):
            pass
        class Row(list):
            pass
        ordered = collections.OrderedDict([("b", x), ("a", w)])
        default = collections.defaultdict(list, {"b": x, "a": w})
        for given in (ordered, default, {"b": x, "a": w}):
            found = func.grad(lambda at: (at["a"] * at["b"]).sum())(given)
            see(type(found).__name__, list(found), *found.values())
        see(func.grad(lambda at: (at["a"] * at["b"]).sum())(default).default_factory)
        found = func.grad(lambda at: (at[0] * at[1]).sum())(collections.deque([x, w]))
        see(type(found).__name__, *found)
        found = func.grad(lambda at: (at.left * at.right).sum())(Pair(x, w))
        see(type(found).__name__, *found)
        for given in (Own(a=x), Row([x])):
            attempt(lambda: func.grad(lambda at: x.sum())(given))
        out, pull = func.vjp(lambda x: Pair(x * 2, {"k": x}), x)
        see(type(out).__name__, pull(Pair(x, {"k": w})))
        attempt(lambda: pull((x, {"k": w})))
        attempt(lambda: pull(Pair(x, collections.OrderedDict(k=w))))
        out = func.vmap(lambda x: Pair(x, collections.OrderedDict(k=x * 2)))(x)
        see(type(out).__name__, type(out.right).__name__, out.left, out.right["k"])
    """,
    "random numbers in slices": """
        draws = (
            lambda x: torch.rand(3), lambda x: torch.randn(7), lambda x: torch.randn(20), lambda x: torch.randperm(5),
            lambda x: torch.randn(2, 3, dtype=torch.float64), lambda x: torch.randint(9, (4,)),
            lambda x: torch.normal(1.0, 2.0, (3,)), lambda x: torch.rand_like(x.expand(5)),
            lambda x: (torch.rand(2), torch.randn(3), torch.randperm(3), torch.rand(1)),
            lambda x: func.vmap(lambda y: torch.randn(2) * y, randomness="different")(x.expand(3)),
        )
        in_place = (lambda x: x.clone().normal_(), lambda x: x.clone().exponential_(), lambda x: x.clone().random_(50))
        for randomness in ("different", "same"):
            for draw in (*draws, *in_place):
                torch.manual_seed(5)
                each(lambda: func.vmap(draw, randomness=randomness)(torch.ones(4)), lambda: torch.rand(2))
            torch.manual_seed(5)
            each(lambda: func.vmap(lambda x: torch.rand(2), randomness=randomness, chunk_size=2)(torch.ones(5)),
                 lambda: torch.rand(2))
        for draw in (lambda x: torch.bernoulli(x), lambda x: torch.normal(x, x), lambda x: x.multinomial(2)):
            torch.manual_seed(5)
            each(lambda: func.vmap(draw, randomness="different")(torch.full((3, 4), 0.5)), lambda: torch.rand(2))
    """,
    "random numbers in slices, from a generator of your own": """
        for randomness in ("different", "same", "error"):
            own = torch.Generator().manual_seed(3)
            draws = (
                lambda x: torch.rand(3, generator=own), lambda x: torch.randperm(4, generator=own),
                lambda x: x.clone().uniform_(generator=own), lambda x: torch.randint(9, (2,), generator=own),
            )
            for draw in draws:
                each(lambda: func.vmap(draw, randomness=randomness)(torch.ones(3)),
                     lambda: torch.rand(2, generator=own))
        for draw in (torch.poisson, lambda x: torch.binomial(x * 4, x)):
            attempt(lambda: func.vmap(draw)(torch.ones(3)))
        outer = lambda x: func.vmap(lambda y: torch.rand(2), randomness="same")(x.expand(2))
        attempt(lambda: func.vmap(outer)(torch.ones(3)))
        noisy = lambda x: x * torch.rand(2)
        torch.manual_seed(5)
        each(lambda: func.jacfwd(noisy)(x), lambda: func.hessian(lambda x: noisy(x).sum())(x),
             lambda: func.jacfwd(noisy, randomness="same")(x), lambda: torch.rand(2), lambda: func.jacrev(noisy)(x))
    """,
}
