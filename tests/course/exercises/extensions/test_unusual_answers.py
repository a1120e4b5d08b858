"""Part 4: right answers that few people give, and more wrong ones, with either library."""

import numpy
from exercise_answers import right_answers, wrong_answers

KEEP = "input_tensor, output_tensor, factor, size, noise = "
CURE = "single, near_zero, transposed, noisy, all_zeros = "
CHEAPER = "camera, orbit, wind, blame = "
RULES = "rule_of_abs, rule_of_exp, rule_of_isnan, rule_of_remainder = "
WAYS = "experiment, from_elsewhere, contribution = "
TASKS = "calibration, network, decay, vocabulary = "
COUNT = "bytes_composed, bytes_fused, launches_saved = "
PAYS = "activation, product, one_operator, many_small = "
ASKED = "listing, turning, sending, adding, asking = "

FUNCTION = """
class {name}(torch.autograd.Function):
    @staticmethod
    def forward(ctx, {arguments}):
        {forward}

    @staticmethod
    def backward(ctx, gradient):
        {backward}
"""


def function(name, arguments, forward, backward):
    return FUNCTION.format(
        name=name,
        arguments=arguments,
        forward="\n        ".join(forward.split("; ")),
        backward="\n        ".join(backward.split("; ")),
    )


SECOND_STYLE = """
class {name}(torch.autograd.Function):
    @staticmethod
    def forward({arguments}):
        return {forward}

    @staticmethod
    def setup_context(ctx, inputs, output):
        {keep}

    @staticmethod
    def backward(ctx, gradient):
        {backward}
"""
MATMUL_LAZY = SECOND_STYLE.format(
    name="Matmul",
    arguments="a, b",
    forward="torch.mm(a, b)",
    keep="ctx.save_for_backward(inputs[1], inputs[0])",
    backward="b, a = ctx.saved_tensors\n        wanted_a, wanted_b = ctx.needs_input_grad\n"
    "        return (gradient @ b.mT if wanted_a else None), (a.mT @ gradient if wanted_b else None)",
)
MATMUL_ON_CTX = SECOND_STYLE.format(
    name="Matmul",
    arguments="a, b",
    forward="a @ b",
    keep="ctx.a, ctx.b = inputs",
    backward="wanted_a, wanted_b = ctx.needs_input_grad\n"
    "        return (gradient @ ctx.b.mT if wanted_a else None), (ctx.a.mT @ gradient if wanted_b else None)",
)
SOFTPLUS_TANH = function(
    "Softplus",
    "x",
    "ctx.save_for_backward(x); return x.relu() + (-x.abs()).exp().log1p()",
    "(x,) = ctx.saved_tensors; return gradient.mul((x / 2).tanh() * 0.5 + 0.5)",
)
SPLIT_SECOND_STYLE = """
class Split(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x - torch.floor(x), torch.floor(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.mark_non_differentiable(output[1])

    @staticmethod
    def backward(ctx, *gradients):
        return gradients[0]
"""
NUMERICAL_BY_EYE = """
def numerical(f, x, eps):
    steps = torch.eye(len(x), dtype=x.dtype) * eps
    return torch.stack([f(x + step) - f(x - step) for step in steps]) / (2 * eps)
"""
MENDED_OUTER = function(
    "Mended",
    "matrix, x, b",
    "ctx.save_for_backward(matrix, x); return torch.addmv(b, matrix, x)",
    "matrix, x = ctx.saved_tensors; return torch.outer(gradient, x), gradient @ matrix, gradient.clone()",
)
IS_RIGHT_IN_TWO_STEPS = """
def is_right(function, *inputs):
    doubles = tuple(torch.tensor(each.tolist(), dtype=torch.float64, requires_grad=True) for each in inputs)
    try:
        return torch.autograd.gradcheck(function, doubles) and torch.autograd.gradgradcheck(function, doubles)
    except Exception:
        return False
"""
PRODUCT_CONJ = function(
    "Product",
    "u, v",
    "ctx.save_for_backward(u.conj(), v.conj()); return torch.mul(v, u)",
    "u, v = ctx.saved_tensors; return v * gradient, u * gradient",
)
DERIVATIVE_RECURSIVE = """
def derivative(f, x, order):
    if order == 0:
        return f(x)
    def slope(at):
        return torch.func.grad(f)(at)
    return derivative(slope, x, order - 1)
"""
PENALTY_BY_SQUARES = """
def penalty(model, points):
    own = points.clone().requires_grad_()
    slopes = torch.autograd.grad(model(own), own, torch.ones(len(own)), create_graph=True)[0]
    return (slopes.square().sum(1).sqrt() - 1).pow(2).sum() / len(own)
"""
PRODUCT_BY_DOT = """
def product(f, x, v):
    at = x.clone().requires_grad_()
    slopes = torch.autograd.grad(f(at), at, create_graph=True)[0]
    return torch.autograd.grad((slopes * v).sum(), at)[0]
"""
NEWTON_BY_FUNC = """
def newton_step(f, x):
    slope = torch.func.grad(f)
    return x - slope(x) / torch.func.grad(slope)(x)
"""
BELL_FROM_X = function(
    "Bell",
    "x",
    "ctx.save_for_backward(x); return torch.exp(-(x**2))",
    "(x,) = ctx.saved_tensors; return -2 * x * (-x * x).exp() * gradient",
)
BELL_ON_CTX = function(
    "Bell",
    "x",
    "ctx.x = x; return torch.exp(-(x**2))",
    "return -2 * ctx.x * (-ctx.x * ctx.x).exp() * gradient",
)
COLUMNS_BY_LOOP = """
def by_columns(f, x):
    columns = []
    for place in range(len(x)):
        direction = torch.zeros_like(x)
        direction[place] = 1.0
        _, column = torch.func.jvp(f, (x,), (direction,))
        columns.append(column[:, None])
    return torch.cat(columns, dim=1)
"""
SAMPLES_BY_LOOP = """
def each_gradient(w, xs, ys):
    return torch.stack([torch.func.grad(error)(w, x, y) for x, y in zip(xs, ys)])
"""
BEND_BY_DOUBLE_GRAD = """
def bend(f, x, v):
    return torch.func.grad(lambda at: (torch.func.grad(f)(at) * v).sum())(x)
"""
SWISH = """
@torch.library.custom_op("course::{name}", mutates_args=())
def swish(x: torch.Tensor, beta: float) -> torch.Tensor:
    return {forward}

def keep(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])
    ctx.beta = inputs[1]

def back(ctx, gradient):
    x = ctx.saved_tensors[0]
    s = torch.sigmoid(x * ctx.beta)
    return {back}, None

swish.register_autograd(back, setup_context=keep)
"""
SWISH_BY_DIVISION = SWISH.format(
    name="swish_by_division",
    forward="x / (1 + torch.exp(-beta * x))",
    back="gradient * s * (1 + ctx.beta * x * (1 - s))",
)
SWISH_FACTORED = SWISH.format(
    name="swish_factored",
    forward="torch.mul(x, torch.sigmoid(x * beta))",
    back="(s + ctx.beta * x * s - ctx.beta * x * s**2) * gradient",
)
GRADIENT_BY_MEAN = "def gradient(A, y, p): return 2 * ((A @ p - y)[:, None] * A).mean(dim=0)"
RATE_BY_EIGENVALUES = "def largest_rate(hessian): return float(2 / torch.linalg.eigvalsh(hessian).max())"
MEAN_SQUARE_IN_BACKWARD = function(
    "MeanSquare",
    "p, A, y",
    "rest = torch.mv(A, p) - y; "
    "ctx.save_for_backward(rest @ A * (2 / rest.numel())); return rest.square().sum() / rest.numel()",
    "return ctx.saved_tensors[0] * gradient, None, None",
)
NEWTON_BY_SOLVE = """
def newton(loss, p, steps):
    if steps == 0:
        return p
    down = torch.linalg.solve(torch.func.hessian(loss)(p), torch.func.grad(loss)(p))
    return newton(loss, p - down, steps - 1)
"""
SOFTSIGN = """
class Softsign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        {forward}
        ctx.save_for_backward(y)
        return y

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, gradient):
        (y,) = ctx.saved_tensors
        {backward}
"""


def softsign(forward, backward="return gradient * (1 - y.abs()) ** 2"):
    return SOFTSIGN.format(
        forward="\n        ".join(forward.split("; ")), backward="\n        ".join(backward.split("; "))
    )


SOFTSIGN_IN_STEPS = softsign(
    "y = torch.empty_like(x); out, a = y.numpy(), x.detach().numpy(); "
    "numpy.abs(a, out=out); out += 1; numpy.divide(a, out, out=out)",
    "out = torch.empty_like(y); out.numpy()[...] = gradient.numpy() * (1 - numpy.abs(y.numpy())) ** 2; return out",
)
SOFTSIGN_BY_LOOP = softsign(
    "y = torch.empty_like(x); out, a = y.numpy(), x.detach().numpy(); "
    "out.flat = [each / (1 + builtins_abs(each)) for each in a.flat]"
).replace("builtins_abs", "abs")
PAIR_WITH_A_LIST = """
class Pair:
    kinds = [Ledger, Ledger]
    def count(self):
        return len(self.kinds)
    def make(self, index):
        try:
            return self.kinds[index]()
        except IndexError:
            raise RuntimeError("no such device") from None
"""
PAIR_OF_DICT = """
class Pair:
    def __init__(self):
        self.made = {index: Ledger() for index in range(2)}
    def count(self):
        return 2
    def make(self, index):
        if index not in self.made:
            raise RuntimeError(f"ledger:{index}")
        return self.made[index]
"""
SMALL_BY_KEYWORDS = """
class Small(Ledger):
    def allocate(self, nbytes, device, **wishes):
        if nbytes <= 1024 * 1024:
            return Ledger.allocate(self, nbytes, device, **wishes)
        raise RuntimeError(f"{nbytes} bytes are more than a MiB")
"""
SMALL_LIMITED = """
class Small(Ledger):
    limit = 1 << 20
    def allocate(self, nbytes, *rest, **wishes):
        if nbytes > self.limit:
            raise RuntimeError("out of memory")
        return super().allocate(nbytes, *rest, **wishes)
"""
PAIR = """
class Pair:
    backend = Ledger()
    def count(self):
        return {count}
    def make(self, index):
        {make}
"""
SMALL = """
class Small(Ledger):
    def allocate(self, nbytes, device, *, zeroed=False):
        {body}
        return super().allocate(nbytes, device, zeroed=zeroed)
"""

RIGHT = [
    ("e01-matmul", MATMUL_LAZY),
    ("e01-keep", KEEP + "'Save', 'SAVE', 'an attribute', 'Attribute', ' save'"),
    ("e01-keep", KEEP + "'save', 'save ', 'the attribute', ' attribute', 'save()'"),
    ("e02-softplus", SOFTPLUS_TANH),
    ("e01-split", SPLIT_SECOND_STYLE),
    ("e03-numerical", NUMERICAL_BY_EYE),
    ("e03-mended", MENDED_OUTER),
    ("e03-cure", CURE + "'Double', ' move', 'MEND', 'seed()', 'mend'"),
    ("e03-cure", CURE + "'torch.double', 'a move', 'mend ', 'Seed', 'Mend'"),
    ("e03-is-right", IS_RIGHT_IN_TWO_STEPS),
    ("e03-complex-product", PRODUCT_CONJ),
    ("e04-order", DERIVATIVE_RECURSIVE),
    ("e04-penalty", PENALTY_BY_SQUARES),
    ("e04-product", PRODUCT_BY_DOT),
    ("e04-newton", NEWTON_BY_FUNC),
    ("e04-bell", BELL_FROM_X),
    ("e05-columns", COLUMNS_BY_LOOP),
    ("e05-cheaper", CHEAPER + "'torch.jacrev', 'JACFWD', 'jvp()', ' vjp'"),
    ("e05-cheaper", CHEAPER + "'jacrev()', 'jacfwd ', 'a jvp', 'the vjp'"),
    ("e05-samples", SAMPLES_BY_LOOP),
    ("e05-bend", BEND_BY_DOUBLE_GRAD),
    ("e06-swish", SWISH_BY_DIVISION),
    ("e06-swish", SWISH_FACTORED),
    ("e06-rules", RULES + "'promote', 'float', 'predicate', 'Promote'"),
    ("e06-rules", RULES + "'PROMOTE ', ' FLOAT', 'Predicate', 'PROMOTE'"),
    ("e06-which-way", WAYS + "'a function', 'Custom_op', 'the table'"),
    ("e06-which-way", WAYS + "'Function', 'custom_op()', 'Table'"),
    ("e07-gradient", GRADIENT_BY_MEAN),
    ("e07-rate", RATE_BY_EIGENVALUES),
    ("e07-mean-square", MEAN_SQUARE_IN_BACKWARD),
    ("e07-newton", NEWTON_BY_SOLVE),
    ("e07-which", TASKS + "'a formula', 'Autograd', 'NEWTON', 'the function'"),
    ("e07-which", TASKS + "'Formula ', ' autograd', 'Newton', 'function()'"),
    ("e08-softsign", SOFTSIGN_IN_STEPS),
    ("e08-softsign", SOFTSIGN_BY_LOOP),
    ("e08-count", COUNT + "3 * 2 * 4 * 10**6, np.int64(8_000_000), 3 - 1"),
    ("e08-count", COUNT + "np.array([24_000_000, 8_000_000, 2])"),
    ("e08-pays", PAYS + "np.bool_(True), False, False, True"),
    ("e08-pays", PAYS + "(each == 'pays' for each in ('pays', '', '', 'pays'))"),
    ("e09-pair", PAIR_WITH_A_LIST),
    ("e09-pair", PAIR_OF_DICT),
    ("e09-small", SMALL_BY_KEYWORDS),
    ("e09-small", SMALL_LIMITED),
    ("e09-who", ASKED + "'To_host', 'None', 'from_host()', 'a ufunc', ' none '"),
    ("e09-who", ASKED + "'to_host()', 'none', 'From_Host', 'UFUNC', 'none'"),
]

WRONG = [
    ("e01-matmul", MATMUL_ON_CTX, "keeps a tensor as `ctx.a`"),
    ("e04-bell", BELL_ON_CTX, "keeps a tensor as `ctx.x`"),
    ("e01-keep", KEEP + "'save', 'attribute', 'save', 'attribute', 'save'", "`output_tensor` and `factor`"),
    ("e08-softsign", softsign("y = x / (1 + x.abs())"), "one of the library's kernels"),
    ("e08-softsign", softsign("a = x.detach(); y = a / (1 + a.abs())"), "one of the library's kernels"),
    ("e08-softsign", softsign("x.numpy; y = torch.nn.functional.softsign(x.detach())"), "the library's"),
    ("e08-softsign", softsign("y = x.new_tensor([[v / (1 + abs(v)) for v in r] for r in x.tolist()])"), "numpy()"),
    ("e09-pair", PAIR.format(count=3, make="return Ledger()"), "it should be 2"),
    ("e09-pair", PAIR.format(count=2, make="return self.backend"), "served by one backend"),
    ("e09-pair", PAIR.format(count=2, make="return Ledger()"), "`make(2)` raised nothing"),
    ("e09-pair", PAIR.format(count=2, make="return [Ledger(), Ledger()][index]"), "it should raise a RuntimeError"),
    ("e09-small", SMALL.format(body="pass"), "raised nothing"),
    ("e09-small", SMALL.format(body="if nbytes >= 2**20: raise RuntimeError('too much')"), "raised RuntimeError"),
    ("e09-small", SMALL.format(body="if nbytes > 2**20: raise MemoryError('no')"), "it should raise a RuntimeError"),
    ("e09-who", ASKED + "'none', 'none', 'from_host', 'ufunc', 'none'", "the bytes have to come back"),
    ("e09-who", ASKED + "'to_host', 'allocate', 'to_host', 'ufunc', 'none'", "`turning` and `sending`"),
    ("e09-who", ASKED + "1, 2, 3, 4, 5", "0 of 5 are right"),
]  # fmt: skip

test_a_right_answer_of_its_own_kind_is_right = right_answers(RIGHT, np=numpy)
test_a_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG, np=numpy)
