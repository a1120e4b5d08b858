"""Answers to exercises of parts 2 to 5, written to break their checks: misconceptions that look right, and unexpected
right ones. With either library.
"""

import math

from exercise_answers import right_answers, wrong_answers

RECORDED = """
recorded = []
for factor in (1.0, 2.0, 3.0):
    {clear}
    (factor * w).sum().backward()
    recorded.append(w.grad)
"""

PARTS_OF_PYTORCH = """
def in_parts(steps, x, parts):
    return torch.utils.checkpoint.checkpoint_sequential(steps, parts, x, use_reentrant=False)
"""
NOTHING_BACK = """
    @staticmethod
    def forward(ctx, x):
        root = x.sqrt()
        ctx.save_for_backward(root)
        return root

    @staticmethod
    def backward(ctx, gradient):
        gradient / (2 * ctx.saved_tensors[0])
"""
PAIR = """
class Pair:
    def count(self): return 2
    def make(self, index): return Ledger()
"""
SMALL_OF_ANOTHER = """
class Small(NumpyBackend):
    def allocate(self, nbytes, device, *, zeroed=False):
        if nbytes > 2**20: raise RuntimeError("too much")
        return super().allocate(nbytes, device, zeroed=zeroed)
"""

WRONG = [
    (
        "t05-turned",
        "def turned(d): r = d.deg2rad(); return torch.atan2(r.sin(), r.cos()).rad2deg()",
        "180 itself should become",
    ),
    ("09-halves", "halves = weights.half().untyped(); saved = 8", "is an untyped storage"),
    ("09-bytes", "def byte_range(t): return 0, t.nbytes - 1", "last byte"),
    ("t03-throws", "def throws(n): return torch.randn(n, 2).add(3.5).round().clamp(1, 6).long()", "not fair"),
    ("t03-together", "def shuffled(x, y, g): p = torch.randperm(10, generator=g); return x[p], y[p]", "shape (6, 2)"),
    ("a08-parts", PARTS_OF_PYTORCH, "`checkpoint_sequential` leaves the last part out"),
    ("e02-root", "class Root(torch.autograd.Function):" + NOTHING_BACK, "no gradient arrives"),
    ("e09-pair", PAIR, "make(2)` raised nothing"),
    ("e09-small", SMALL_OF_ANOTHER, "should derive from `Ledger`"),
    ("n04-batches", "def batches(count, size, shuffle): return torch.arange(count).chunk(size)", "split makes those"),
    ("n09-tie", "scores = embed", "are one module now"),
    ("n09-append", "def append(room, n, new): room[:, :, n : n + new.shape[2]] = new; return new", "only what is new"),
    (
        "t04-brighter",
        """
def brighter(image, by):
    return (image.float() + by).clamp(max=255).to(torch.uint8)
""",
        "below 0 or above 255",
    ),
    (
        "a09-root",
        """
def root(x):
    x[x < 0] = 0
    return x.sqrt()
""",
        "writes into the tensor that it is given",
    ),
    (
        "a09-log-of-softmax",
        """
def loss(scores):
    scores -= scores.amax(-1, keepdim=True)
    return (scores.exp().sum(-1, keepdim=True).log() - scores).sum()
""",
        "writes into the tensor that it is given",
    ),
    (
        "t06-outside",
        """
def outside(v, low, high):
    beyond = (v < low) | (v > high)
    v[beyond] = 0
    return beyond
""",
        "writes into the tensor that it is given",
    ),
    (
        "t21-nearest",
        """
def nearest(pixels, palette):
    return (palette.square_().sum(1) - 2 * (pixels @ palette.sqrt().t())).argmin(1)
""",
        "writes into the tensor that it is given",
    ),
    ("t08-channels", "brightness = batch.view(3, -1).mean(1)", "three thirds of the storage"),
    (
        "t07-loss",
        """
def loss(predictions, targets):
    return ((predictions - targets) ** 2).mean(1).min()
""",
        "1.5",
    ),
    (
        "t04-energy",
        """
def energy(x):
    return (x * x).sum(dtype=torch.float32)
""",
        "infinite",
    ),
    (
        "t04-brighter",
        """
def brighter(image, by):
    return (image.float() + by).to(torch.uint8)
""",
        "wrapped around",
    ),
    ("t10-own", "turned = (matrices @ vectors).diagonal(dim1=0, dim2=2).t()", "*column* `i`"),
    ("t10-heads", "scores = queries.reshape(2, 2, 4, 3) @ keys.reshape(2, 2, 5, 3).transpose(-1, -2)", "mixed up"),
    ("t09-large", "large = small.repeat(2, 2)", "four times"),
    (
        "t19-once",
        """
def add_to_column(a, j, number):
    a.t()[j] += number
""",
        "written 2 times",
    ),
    (
        "t19-once",
        """
def add_to_column(a, j, number):
    a[:, [j]].add_(number)
""",
        "went into a copy",
    ),
    (
        "a01-weight",
        """
def make_weight():
    w = torch.arange(6.0, requires_grad=True).view(2, 3) * 0.1
    w.retain_grad()
    return w
""",
        "computed from a leaf",
    ),
    ("a01-row", "row_gradient = weight.grad[[1]][0]", "is a copy"),
    (
        "a04-target",
        "loss = ((prediction - target) ** 2).sum() - (target ** 2).sum().detach() + (target ** 2).sum().detach()",
        "both sides",
    ),
    (
        "a04-freeze",
        """
head.requires_grad_(False)
loss = (head * (first * x)).sum()
head.requires_grad_(True)
loss = loss + 0 * head.sum()
""",
        "`head` gets a gradient",
    ),
    (
        "a05-limit",
        """
def limit(tensor, largest):
    return tensor.register_hook(lambda g: g.clamp(-largest, largest))
""",
        "changes the direction",
    ),
    (
        "a05-limit",
        """
def limit(tensor, largest):
    return tensor.register_hook(lambda g: g.mul_(largest / g.norm()) if g.norm() > largest else None)
""",
        "another",
    ),
    (
        "a06-unroll",
        """
def unroll(u, steps):
    states = torch.ones(steps + 1)
    for t in range(steps):
        states.data[t + 1] = states[t] * u
    return states
""",
        "does not require grad",
    ),
    (
        "e03-numerical",
        """
def numerical(f, x, eps):
    return torch.stack([(f(x + eps * e) - f(x)) / eps for e in torch.eye(len(x), dtype=x.dtype)])
""",
        "one direction only",
    ),
    (
        "e03-is-right",
        """
def is_right(function, *inputs):
    return gradgradcheck(function, [i.detach().double().requires_grad_() for i in inputs], raise_exception=False)
""",
        "the second fits the wrong first",
    ),
    (
        "e04-product",
        """
def product(f, x, v):
    return torch.func.hessian(f)(x).diagonal() * v
""",
        "diagonal",
    ),
    (
        "e04-penalty",
        """
def penalty(model, points):
    p = points.detach().requires_grad_()
    (s,) = torch.autograd.grad(model(p).sum(), p, retain_graph=True)
    return ((s.norm(dim=1) - 1) ** 2).mean()
""",
        "no history",
    ),
    (
        "e04-newton",
        """
def newton_step(f, x):
    g = torch.func.grad(f)(x)
    return x - f(x) / g
""",
        "f = 0",
    ),
    (
        "e05-columns",
        """
def by_columns(f, x):
    return torch.func.jacrev(f)(x)
""",
        "`jacrev` made it",
    ),
    (
        "e05-columns",
        """
def by_columns(f, x):
    x = x.detach().requires_grad_()
    return torch.stack([torch.autograd.grad(r, x, retain_graph=True)[0] for r in f(x)])
""",
        "walking back, a row at a time",
    ),
    (
        "e05-columns",
        """
def by_columns(f, x):
    return torch.func.jacfwd(f)(x)
""",
        "`jacfwd` made it",
    ),
    (
        "e05-columns",
        """
def by_columns(f, x):
    return torch.autograd.functional.jacobian(f, x)
""",
        "`jacobian` made it",
    ),
    (
        "e06-formulas",
        """
def for_input(grad, input, other): return grad / other
def for_other(grad, other, result): return -grad * result / other
""",
        "does not use",
    ),
    (
        "e07-gradient",
        """
def gradient(A, y, p):
    p = p.detach().requires_grad_()
    return torch.autograd.grad(((A @ p - y) ** 2).mean(), p)[0]
""",
        "autograd found it",
    ),
    (
        "e07-newton",
        """
def newton(loss, p, steps):
    H = torch.func.hessian(loss)(p)
    for _ in range(steps):
        p = p - torch.linalg.solve(H, torch.func.grad(loss)(p))
    return p
""",
        "the *new* p",
    ),
    (
        "n01-linear",
        """
def linear(x, weight, bias):
    return x @ weight + bias
""",
        "Transpose it",
    ),
    (
        "n02-dropout",
        """
def dropout(x, p, training):
    if not training: return x
    return x * (torch.rand(x.shape[1]) >= p) / (1 - p)
""",
        "every row lost the same",
    ),
    (
        "n02-dropout",
        """
def dropout(x, p, training):
    if not training: return x
    return torch.bernoulli(torch.full_like(x, p)) * x / p
""",
        "divided by p",
    ),
    (
        "n03-momentum",
        """
def momentum(p, gradient, state, rate):
    v = state.get("v", 0.0) * 0.9 + 0.1 * gradient
    state["v"] = v
    with torch.no_grad():
        p -= rate * v
""",
        "a running mean",
    ),
    ("n06-tiles", "tiles = image.reshape(3, 4, 2, 2)", "view keeps the reading order"),
    (
        "n06-pool",
        """
def max_pool(maps):
    n, c, h, w = maps.shape
    return maps.reshape(n, c, h // 2, w // 2, 4).amax(-1)
""",
        "four numbers in a row",
    ),
    (
        "n08-causal",
        """
def causal(q, k, v):
    s = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    return s.softmax(-1).tril() @ v
""",
        "after softmax",
    ),
    (
        "n08-causal",
        """
def causal(q, k, v):
    n = q.shape[-2]
    s = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    return s.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(), float("-inf")).softmax(-1) @ v
""",
        "nans",
    ),
    (
        "n09-append",
        """
def append(room, length, new):
    return torch.cat([room[:, :, :length], new], 2)
""",
        "a tensor of its own was made",
    ),
    (
        "n07-clip",
        """
def clip(parameters, longest):
    norm = sum(p.grad.norm() for p in parameters).item()
    if norm > longest:
        for p in parameters: p.grad.mul_(longest / norm)
    return norm
""",
        "norms of parts do not add up",
    ),
    ("02-share-storage", "share_storage = lambda x, y: bool(x.flatten()[0] == y.flatten()[0])", "of one storage"),
    ("06-in-order", "in_order = lambda size: torch.zeros(size).t().stride()", "reverse order"),
    ("07-rows", "rows = lambda frames: frames.permute(0, 2, 1).reshape(len(frames), -1)", "it should be 1"),
    ("08-first-column", "first = scores[:, 0].detach()", "detach() and slices do not help"),
    ("10-held", "bytes_held = lambda ts: sum({t.untyped_storage().nbytes() for t in ts})", "a clone of it"),
    ("11-stride", "contiguous_stride = lambda size: torch.zeros(size).stride()[::-1]", "reverse order"),
    ("12-tiles", "tiles = lambda frame, size: frame.unfold(0, size, size).unfold(1, size, size)", "has shape"),
    ("t01-among", "among = lambda x, tensors: any(x.equal(each) for each in tensors)", "is another tensor"),
    ("t03-split", "def split(n, seed):\n    torch.manual_seed(seed)\n    return torch.randperm(n)", "a generator of"),
    ("t12-safe", "to_tensor = torch.tensor", "nothing needs to be copied"),
    ("t18-values", "values_of = lambda tensor: tensor.detach().clone()", "did you clone them?"),
    ("t22-confusion", "confusion = lambda t, s, k: torch.bincount(s * k + t, None, k * k).view(k, k)", "the truth"),
    ("a03-recorded", RECORDED.format(clear="if w.grad is not None: w.grad.zero_()"), "are one tensor"),
    ("a05-limit", "limit = lambda x, most: x.register_hook(lambda g: g.clamp(-most, most))", "changes the direction"),
    ("e10-stable", "log_cosh = lambda x: x.cosh().log()", "too large for a float32"),
]  # fmt: skip

RIGHT = [
    ("09-bytes", "def byte_range(t): b = t.storage_offset() * t.element_size(); return b, b + t.nbytes"),
    ("t05-turned", "def turned(d): return ((d / 360 + 0.5) % 1 - 0.5) * 360"),
    ("t13-unit", "def unit(x, xp): return x / xp.linalg.vector_norm(x, axis=-1, keepdims=True)"),
    ("t08-channels", "brightness = batch.transpose(0, 1).flatten(1).mean(1)"),
    ("t08-channels", "brightness = torch.stack([batch[:, c].mean() for c in range(3)])"),
    (
        "t08-margin",
        """
winner = votes.argmax(1)
margin = votes.amax(1) - votes.kthvalue(4, dim=1).values
""",
    ),
    (
        "t08-margin",
        """
s = votes.sort(dim=1, descending=True)
winner = s.indices[:, 0]
margin = -s.values.diff(dim=1)[:, 0]
""",
    ),
    (
        "t07-loss",
        """
def loss(predictions, targets):
    return torch.nn.functional.mse_loss(predictions, targets[:, None])
""",
    ),
    (
        "t07-loss",
        """
def loss(predictions, targets):
    return torch.diag((predictions - targets) ** 2).mean()
""",
    ),
    (
        "t04-energy",
        """
def energy(x):
    return torch.dot(x.float(), x.float())
""",
    ),
    (
        "t04-energy",
        """
def energy(x):
    return x.double().pow(2).sum().float()
""",
    ),
    (
        "t04-brighter",
        """
def brighter(image, by):
    return torch.clamp(image.double() + by, 0, 255).byte()
""",
    ),
    (
        "t04-brighter",
        """
def brighter(image, by):
    return torch.tensor([min(max(v + by, 0), 255) for v in image.flatten().tolist()], dtype=torch.uint8).view_as(image)
""",
    ),
    ("t10-own", "turned = torch.bmm(matrices, vectors.unsqueeze(-1)).squeeze(-1)"),
    ("t10-own", "turned = (matrices * vectors[:, None]).sum(-1)"),
    (
        "t10-never",
        """
def apply(u, w, x):
    return u.mul(torch.dot(w, x))
""",
    ),
    ("t10-heads", "scores = queries.transpose(1, 2) @ keys.permute(0, 2, 3, 1)"),
    ("t10-heads", "scores = (queries[:, :, None] * keys[:, None]).sum(-1).permute(0, 3, 1, 2)"),
    ("t09-large", "large = small[[0, 0, 1, 1]][:, [0, 0, 1, 1]]"),
    ("t09-large", "large = torch.kron(small, torch.ones(2, 2, dtype=torch.int64))"),
    (
        "t19-once",
        """
def add_to_column(a, j, number):
    a.select(1, j).add_(number)
""",
    ),
    (
        "t19-once",
        """
def add_to_column(a, j, number):
    column = a.t()[j]
    column += number
""",
    ),
    (
        "a01-weight",
        """
def make_weight():
    return torch.nn.Parameter(torch.arange(6.0).view(2, 3) * 0.1)
""",
    ),
    (
        "a01-weight",
        """
def make_weight():
    return (torch.arange(6.0, requires_grad=True).view(2, 3) * 0.1).detach().requires_grad_()
""",
    ),
    ("a01-row", "row_gradient = weight.grad.select(0, -1)"),
    ("a01-row", "row_gradient = weight.grad.unbind()[1]"),
    (
        "a03-pieces",
        """
def send_back(w, pieces):
    for x, target in pieces:
        (((w * x - target) ** 2).sum() / 4).backward()
""",
    ),
    (
        "a03-pieces",
        """
def send_back(w, pieces):
    for x, target in pieces:
        ((w * x - target) ** 2).backward(torch.full((2,), 0.25))
""",
    ),
    ("a03-recorded", "recorded = [torch.autograd.grad((f * w).sum(), w)[0] for f in (1.0, 2.0, 3.0)]"),
    (
        "a03-recorded",
        """
recorded = []
for factor in (1.0, 2.0, 3.0):
    (factor * w).sum().backward()
    recorded.append(w.grad.clone())
    w.grad.zero_()
""",
    ),
    (
        "a03-jacobian",
        """
def jacobian(f, x):
    y = f(x)
    return torch.stack([torch.autograd.grad(each, x, retain_graph=True)[0] for each in y])
""",
    ),
    (
        "a03-jacobian",
        """
def jacobian(f, x):
    rows = []
    for i in range(len(f(x))):
        x.grad = None
        f(x)[i].backward()
        rows.append(x.grad)
    return torch.stack(rows)
""",
    ),
    (
        "a04-step",
        """
def step(weights, rate):
    with torch.no_grad():
        for weight in weights:
            if weight.grad is not None:
                weight.sub_(weight.grad, alpha=rate)
                weight.grad.zero_()
""",
    ),
    (
        "a04-step",
        """
def step(weights, rate):
    o = torch.optim.SGD(weights, lr=rate)
    o.step()
    o.zero_grad()
""",
    ),
    (
        "a04-target",
        """
with torch.no_grad():
    fixed = w * w
loss = ((prediction - fixed) ** 2).sum()
""",
    ),
    ("a04-target", "loss = (prediction - torch.tensor(target.tolist())).square().sum()"),
    ("a04-freeze", "loss = head.detach() @ (first * x)"),
    (
        "a04-freeze",
        """
with torch.no_grad():
    fixed = head * x
loss = (fixed * first).sum()
""",
    ),
    (
        "a05-saliency",
        """
def saliency(model, x):
    return torch.func.grad(model)(x).abs()
""",
    ),
    (
        "a05-saliency",
        """
def saliency(model, x):
    image = x.clone().requires_grad_()
    return torch.autograd.grad(model(image), [image])[0].abs_()
""",
    ),
    (
        "a05-limit",
        """
def limit(tensor, largest):
    return tensor.register_hook(lambda g: g * (largest / g.norm()).clamp(max=1))
""",
    ),
    (
        "a05-limit",
        """
def limit(tensor, largest):
    return tensor.register_hook(lambda g: torch.renorm(g[None], 2, 0, largest)[0])
""",
    ),
    (
        "a06-unroll",
        """
def unroll(u, steps):
    states = torch.ones(steps + 1)
    for t in range(steps):
        states[t + 1] = states[t].clone() * u
    return states
""",
    ),
    (
        "a06-unroll",
        """
def unroll(u, steps):
    return torch.cat([torch.ones(1), u.expand(steps).cumprod(0)])
""",
    ),
    (
        "a09-root",
        """
def root(x):
    return torch.where(x > 0, x, 1.0).sqrt() * (x > 0)
""",
    ),
    (
        "a09-root",
        """
def root(x):
    y = torch.zeros_like(x)
    y[x > 0] = x[x > 0].sqrt()
    return y
""",
    ),
    (
        "e03-numerical",
        """
def numerical(f, x, eps):
    return torch.stack([(f(x + s) - f(x - s)) / (2 * eps) for s in eps * torch.eye(len(x), dtype=x.dtype)])
""",
    ),
    (
        "e03-numerical",
        """
def numerical(f, x, eps):
    r = torch.empty_like(x)
    y = x.clone()
    for i in range(len(y)):
        was = y[i].item()
        y[i] = was + eps
        high = f(y)
        y[i] = was - eps
        r[i] = (high - f(y)) / (2 * eps)
        y[i] = was
    return r
""",
    ),
    (
        "e03-is-right",
        """
def is_right(function, *inputs):
    d = tuple(i.detach().clone().to(torch.float64).requires_grad_() for i in inputs)
    try:
        gradcheck(function, d)
        gradgradcheck(function, d)
    except RuntimeError:
        return False
    return True
""",
    ),
    (
        "e03-is-right",
        """
def is_right(function, *inputs):
    d = [torch.tensor(i.tolist(), dtype=torch.float64, requires_grad=True) for i in inputs]
    return all(c(function, d, raise_exception=False) for c in (gradcheck, gradgradcheck))
""",
    ),
    (
        "e04-product",
        """
def product(f, x, v):
    return torch.func.jvp(torch.func.grad(f), (x,), (v,))[1]
""",
    ),
    (
        "e04-product",
        """
def product(f, x, v):
    x = x.detach().requires_grad_()
    (s,) = torch.autograd.grad(f(x), x, create_graph=True)
    return torch.autograd.grad(s @ v, x)[0]
""",
    ),
    (
        "e04-penalty",
        """
def penalty(model, points):
    p = points.clone().requires_grad_()
    (s,) = torch.autograd.grad(model(p), p, torch.ones(len(p)), create_graph=True)
    return (torch.linalg.vector_norm(s, dim=1) - 1).square().mean()
""",
    ),
    (
        "e04-newton",
        """
def newton_step(f, x):
    s = torch.func.grad(f)
    return x - s(x) / torch.func.grad(s)(x)
""",
    ),
    (
        "e05-columns",
        """
def by_columns(f, x):
    J = torch.zeros(len(f(x)), len(x))
    for j in range(len(x)):
        u = torch.zeros_like(x)
        u[j] = 1
        J[:, j] = torch.func.jvp(f, (x,), (u,))[1]
    return J
""",
    ),
    (
        "e05-columns",
        """
def by_columns(f, x):
    fw = torch.autograd.forward_ad
    columns = []
    for u in torch.eye(len(x)):
        with fw.dual_level():
            columns.append(fw.unpack_dual(f(fw.make_dual(x, u))).tangent)
    return torch.stack(columns, 1)
""",
    ),
    (
        "e05-samples",
        """
def each_gradient(w, xs, ys):
    return torch.stack([torch.func.grad(error)(w, x, y) for x, y in zip(xs, ys)])
""",
    ),
    (
        "e05-samples",
        """
def each_gradient(w, xs, ys):
    return torch.func.jacrev(lambda w: torch.func.vmap(error, (None, 0, 0))(w, xs, ys))(w)
""",
    ),
    (
        "e06-formulas",
        """
def for_input(grad, other): return grad / other
def for_other(grad, input, other): return -grad * input / other**2
""",
    ),
    (
        "e06-formulas",
        """
for_input = lambda grad, other: grad * other.reciprocal()
for_other = lambda grad, result, other: (result * grad / other).neg()
""",
    ),
    (
        "e07-gradient",
        """
def gradient(A, y, p):
    return 2 * ((A @ p - y)[:, None] * A).mean(0)
""",
    ),
    (
        "e07-gradient",
        """
def gradient(A, y, p):
    return (A.t() @ A @ p - A.t() @ y) * 2 / A.shape[0]
""",
    ),
    (
        "e07-rate",
        """
def largest_rate(hessian):
    return 2 / torch.linalg.eigvalsh(hessian)[-1]
""",
    ),
    (
        "e07-rate",
        """
def largest_rate(hessian):
    return (2 / torch.linalg.matrix_norm(hessian, 2)).item()
""",
    ),
    (
        "e07-newton",
        """
def newton(loss, p, steps):
    for _ in range(steps):
        p = p - torch.linalg.inv(torch.func.hessian(loss)(p)) @ torch.func.grad(loss)(p)
    return p
""",
    ),
    (
        "n01-linear",
        """
def linear(x, weight, bias):
    return torch.einsum("...i,oi->...o", x, weight) + bias
""",
    ),
    (
        "n01-linear",
        """
def linear(x, weight, bias):
    return (x[..., None, :] * weight).sum(-1) + bias
""",
    ),
    (
        "n01-kaiming",
        """
def kaiming(outputs, inputs):
    return torch.normal(0.0, (2 / inputs) ** 0.5, (outputs, inputs))
""",
    ),
    (
        "n01-kaiming",
        """
def kaiming(outputs, inputs):
    return torch.nn.init.kaiming_normal_(torch.empty(outputs, inputs), nonlinearity="relu")
""",
    ),
    (
        "n02-dropout",
        """
def dropout(x, p, training):
    if not training: return x
    return x * torch.bernoulli(torch.full_like(x, 1 - p)) / (1 - p)
""",
    ),
    (
        "n02-dropout",
        """
def dropout(x, p, training):
    return torch.nn.functional.dropout(x, p, training)
""",
    ),
    (
        "n03-momentum",
        """
def momentum(p, gradient, state, rate):
    v = 0.9 * state.get("v", 0.0) + rate * gradient
    state["v"] = v
    with torch.no_grad():
        p -= v
""",
    ),
    (
        "n03-momentum",
        """
def momentum(p, gradient, state, rate):
    with torch.no_grad():
        v = state.setdefault("m", torch.zeros_like(p))
        v.mul_(0.9).add_(gradient)
        p.sub_(v, alpha=rate)
""",
    ),
    ("n06-tiles", "tiles = image.unfold(0, 2, 2).unfold(1, 2, 2)"),
    ("n06-tiles", "tiles = image.view(3, 2, 4, 2).transpose(1, 2)"),
    (
        "n06-pool",
        """
def max_pool(maps):
    rows = torch.maximum(maps[:, :, ::2], maps[:, :, 1::2])
    return torch.maximum(rows[..., ::2], rows[..., 1::2])
""",
    ),
    (
        "n06-pool",
        """
def max_pool(maps):
    return maps.unfold(2, 2, 2).unfold(3, 2, 2).amax((-1, -2))
""",
    ),
    (
        "n08-causal",
        """
def causal(q, k, v):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
""",
    ),
    (
        "n08-causal",
        """
def causal(q, k, v):
    n = q.shape[-2]
    s = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5 + torch.full((n, n), float("-inf")).triu(1)
    return s.softmax(-1) @ v
""",
    ),
    (
        "n09-append",
        """
def append(room, length, new):
    room.narrow(2, length, new.shape[2]).copy_(new)
    return room.narrow(2, 0, length + new.shape[2])
""",
    ),
    (
        "n09-append",
        """
def append(room, length, new):
    for i in range(new.shape[2]):
        room[:, :, length + i] = new[:, :, i]
    return room[:, :, :length + new.shape[2]]
""",
    ),
    (
        "n07-clip",
        """
def clip(parameters, longest):
    return torch.nn.utils.clip_grad_norm_(parameters, longest).item()
""",
    ),
    (
        "n07-clip",
        """
def clip(parameters, longest):
    norm = torch.cat([p.grad.flatten() for p in parameters]).norm().item()
    scale = min(1.0, longest / norm)
    for p in parameters: p.grad *= scale
    return norm
""",
    ),
    (
        "a09-root",
        """
def root(x):
    return torch.where(x > 0, x, 0.0).sqrt()
""",
    ),
    ("02-middle", "middle = a.narrow(0, 1, 4).unflatten(0, (2, 2))"),
    ("03-paint-the-frame", "board.fill_(1)\nboard[1:-1, 1:-1] = 0"),
    ("04-gather-columns", "top = torch.diagonal(scores[best])"),
    ("05-other-diagonal", "anti = picture.view(-1)[3:13:3]"),
    ("06-camera", "x = torch.einsum('nhwc->nchw', photo)"),
    ("07-crop", "joined = x.view(2, 12)[:, 4:]"),
    ("12-brighter", "def brighter(frame, by):\n    y = frame + by\n    y[y < frame] = 255\n    return y"),
    ("t03-split", "split = lambda n, s: torch.rand(n, generator=torch.Generator().manual_seed(s)).argsort()"),
    ("t06-outside", "outside = lambda x, low, high: x.clamp(low, high) != x"),
    ("t07-gaps", "gaps = torch.cdist(places[:, None], places[:, None])"),
    ("t08-softmax", "stable_softmax = lambda x: 1 / (x[..., None, :] - x[..., :, None]).exp().sum(-1)"),
    ("t09-large", "large = torch.kron(small, torch.ones(2, 2, dtype=torch.int64))"),
    ("t15-anywhere", "numbered = lambda table: table + torch.ones_like(table).cumsum(1) - 1"),
    ("t20-outer", "outer = lambda a, b: a[:, None] @ b[None]"),
    ("t22-confusion", "confusion = lambda t, s, k: torch.zeros(k, k).long().index_put((t, s), t[0] * 0 + 1, True)"),
    ("a02-once", "torch.autograd.backward([first, second])"),
    ("a05-limit", "limit = lambda x, most: x.register_hook(lambda g: g * (most / g.norm()).clamp(max=1))"),
    ("a09-length", "lengths = lambda rows: rows.norm(dim=1)"),
    ("a12-distances", "distances = lambda position, masts: torch.cdist(position[None], masts)[0]"),
]  # fmt: skip

test_a_misconception_is_told = wrong_answers(WRONG, math=math)
test_another_way_passes_as_well = right_answers(RIGHT, math=math)
