"""The cases that are timed. Each is one piece of code, written once for PyTorch and tensorglass, and once for raw
NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass

import lenet


@dataclass(frozen=True)
class Case:
    """`setup` and `code` run with `torch` as either library; `numpy_setup` and `numpy_code` with `numpy` as `np`."""

    name: str
    setup: str
    code: str
    numpy_setup: str = ""
    numpy_code: str = ""
    goal: float | None = None  #: the ratio to PyTorch on one thread that we aim for
    pytorch_setup: str = ""  #: for cases in which PyTorch uses its own fastest way


def _pair(size: str) -> tuple[str, str]:
    return (
        f"a = torch.linspace(0.1, 1, {size}).reshape(SIZE); b = torch.linspace(0.2, 2, {size}).reshape(SIZE)",
        f"a = np.linspace(0.1, 1, {size}, dtype=np.float32).reshape(SIZE); "
        f"b = np.linspace(0.2, 2, {size}, dtype=np.float32).reshape(SIZE)",
    )


def _sized(name: str, count: int, size: str, code: str, numpy_code: str, goal: float | None = None) -> Case:
    setup, numpy_setup = _pair(str(count))
    return Case(name, setup.replace("SIZE", size), code, numpy_setup.replace("SIZE", size), numpy_code, goal)


MILLION = 1 << 20

_CHAIN = """
a = torch.full((4, 4), 0.5, requires_grad=True)
def step(length):
    result = a
    for _ in range(length // 2):
        result = (result * a).tanh()
    a.grad = None
    result.sum().backward()
    return a.grad
"""
_MLP = """
x = torch.linspace(-1, 1, 128 * 64).reshape(128, 64)
w1 = torch.linspace(-0.1, 0.1, 64 * 256).reshape(64, 256).requires_grad_()
w2 = torch.linspace(-0.1, 0.1, 256 * 10).reshape(256, 10).requires_grad_()
a = torch.zeros(())
def step():
    loss = ((x @ w1).relu() @ w2).square().mean()
    loss.backward()
    with torch.no_grad():
        for weight in (w1, w2):
            weight -= 1e-6 * weight.grad
    gradient = w1.grad
    w1.grad = w2.grad = None
    return gradient
"""
_NUMPY_CHAIN = """
a = np.full((4, 4), 0.5, np.float32)
def step(length):
    for _ in range(length // 2):
        result = np.tanh(a * a)
    for _ in range(length // 2):
        result = a * (1 - a * a)
    return result
"""
_NUMPY_MLP = """
x = np.linspace(-1, 1, 128 * 64, dtype=np.float32).reshape(128, 64)
w1 = np.linspace(-0.1, 0.1, 64 * 256, dtype=np.float32).reshape(64, 256)
w2 = np.linspace(-0.1, 0.1, 256 * 10, dtype=np.float32).reshape(256, 10)
def step():
    global w1, w2
    hidden = np.maximum(x @ w1, 0)
    out = hidden @ w2
    loss = (out * out).mean()
    grad = out * (2 / out.size)
    grad2 = hidden.T @ grad
    grad1 = x.T @ ((grad @ w2.T) * (hidden > 0))
    w1 -= 1e-6 * grad1
    w2 -= 1e-6 * grad2
    return grad1
"""

SMALL, WIDE, LARGE = (16, "(4, 4)"), (4 * MILLION, "(4096, 1024)"), (4 * MILLION, "(2048, 2048)")

CASES = (
    _sized("small add (4×4)", *SMALL, "c = a + b", "c = a + b", 1.5),
    _sized("small add of fresh views", *SMALL, "c = a[1] + b[2]", "c = a[1] + b[2]"),
    _sized("small add, one transposed", *SMALL, "c = a.t() + b", "c = a.T + b"),
    _sized("small add with a number", *SMALL, "c = a + 1", "c = a + 1", 1.5),
    _sized("small add in place", *SMALL, "a.add_(b)", "a += b", 1.5),
    _sized("small exp", *SMALL, "c = a.exp()", "c = np.exp(a)", 1.5),
    _sized("small where", *SMALL, "c = torch.where(a < b, a, b)", "c = np.where(a < b, a, b)"),
    _sized("small sum", *SMALL, "c = a.sum(1)", "c = a.sum(1)"),
    _sized("small matmul", *SMALL, "c = a @ b", "c = a @ b"),
    _sized("small clone", *SMALL, "c = a.clone()", "c = a.copy()"),
    _sized("small zeros", *SMALL, "c = torch.zeros(4, 4)", "c = np.zeros((4, 4))"),
    _sized("small cat", *SMALL, "c = torch.cat([a, b])", "c = np.concatenate([a, b])"),
    _sized("transpose", *SMALL, "c = a.transpose(0, 1)", "c = a.transpose(1, 0)", 1.2),
    _sized("reshape", *SMALL, "c = a.reshape(2, 8)", "c = a.reshape(2, 8)", 1.2),
    _sized("view", *SMALL, "c = a.view(16)", "c = a.reshape(16)", 1.2),
    _sized("a[1]", *SMALL, "c = a[1]", "c = a[1]", 1.5),
    _sized("a[:, 1:3]", *SMALL, "c = a[:, 1:3]", "c = a[:, 1:3]", 1.5),
    _sized("a[[0, 2]]", *SMALL, "c = a[[0, 2]]", "c = a[[0, 2]]", 1.5),
    _sized("a[0, 1] = 3.0", *SMALL, "a[0, 1] = 3.0", "a[0, 1] = 3.0", 1.5),
    _sized("softmax, composed, 1024×1024", MILLION, "(1024, 1024)",
           "e = (a - a.amax(1, keepdim=True)).exp(); c = e / e.sum(1, keepdim=True)",
           "e = np.exp(a - a.max(1, keepdims=True)); c = e / e.sum(1, keepdims=True)"),
    _sized("add on 4 M", *LARGE, "c = a + b", "c = a + b", 0.95),
    _sized("add on 4 M, transposed", *LARGE, "c = a.t() + b.t()", "c = a.T + b.T", 0.95),
    _sized("exp on 4 M", *LARGE, "c = a.exp()", "c = np.exp(a)", 0.6),
    _sized("add on 16 M, fresh result", 16 * MILLION, "(4096, 4096)", "c = a + b", "c = a + b", 0.15),
    _sized("add on 4 M, in place", *LARGE, "a.add_(b)", "a += b", 1.05),
    _sized("relu on 4 M", *LARGE, "c = a.relu()", "c = np.maximum(a, 0)", 2.0),
    _sized("sum over rows, 4096×1024", *WIDE, "c = a.sum(0)", "c = a.sum(0)", 0.5),
    _sized("sum over the inner axis", *WIDE, "c = a.sum(1)", "c = a.sum(1)", 1.3),
    _sized("sum of all", *WIDE, "c = a.sum()", "c = np.asarray(a.sum())"),
    _sized("mean over the inner axis", *WIDE, "c = a.mean(1)", "c = a.mean(1)"),
    _sized("contiguous of a transpose, 4 M", *LARGE, "c = a.t().contiguous()", "c = np.ascontiguousarray(a.T)"),
    _sized("clone, 4 M", *LARGE, "c = a.clone()", "c = a.copy()"),
    _sized("cat, 2 × 4 M", *LARGE, "c = torch.cat([a, b])", "c = np.concatenate([a, b])"),
    Case("small add, recorded", "a = torch.ones(4, 4, requires_grad=True); b = torch.ones(4, 4)",
         "c = a + b", "a = np.ones((4, 4)); b = a", "c = a + b", 2.0),
    Case("chain of 20 operators, there and back", _CHAIN, "c = step(20)", _NUMPY_CHAIN, "c = step(20)", 1.3),
    Case("chain of 1000 operators, there and back", _CHAIN, "c = step(1000)", _NUMPY_CHAIN, "c = step(1000)", 1.3),
    Case("MLP training step, 64-256-10", _MLP, "c = step()", _NUMPY_MLP, "c = step()", 0.7),
    Case("LeNet training step, same code", lenet.STEP, "c = step()", lenet.NUMPY, "c = step()", 0.9),
    Case("LeNet training step, PyTorch's conv2d", lenet.STEP, "c = step()", lenet.NUMPY, "c = step()", 0.9,
         lenet.WITH_CONV2D),
    _sized("matmul 512²", 512 * 512, "(512, 512)", "c = a @ b", "c = a @ b", 1.05),
)  # fmt: skip

_SMALL_SETUP = """
a = torch.linspace(0.1, 1, 16).reshape(4, 4)
b = torch.linspace(0.2, 2, 16).reshape(4, 4)
v = torch.linspace(0.1, 1, 4)
i = torch.arange(16).reshape(4, 4)
s = torch.tensor(2.0)
x = torch.linspace(0.1, 1, 16).reshape(4, 4).requires_grad_()
y = torch.linspace(0.2, 2, 16).reshape(4, 4).requires_grad_()
def in_no_grad():
    with torch.no_grad():
        pass
def in_enable_grad():
    with torch.enable_grad():
        pass
def backward(loss):
    x.grad = None
    loss.backward()
    return x.grad
def accumulated():
    (x * a).sum().backward()
    return x.grad
def update():
    with torch.no_grad():
        x.sub_(a, alpha=1e-9)
"""

SMALL_CALLS = [
    Case(call, _SMALL_SETUP, call if " = " in call or call.endswith("_") else f"c = {call}")
    for call in """
a + b;  a * b;  a - 1.5;  a / b;  a ** 2;  -a;  a < b;  a.add_(b);  a.mul_(1.0);  a.zero_();  torch.add(a, b, alpha=2)
a.exp();  a.tanh();  a.sqrt();  a.clamp(0.2, 0.8);  a.clamp(min=0.2);  a.relu();  torch.where(a < b, a, b)
a.softmax(1);  a.sum();  a.sum(1);  a.mean();  a.amax(1);  a.max();  a.argmax(1);  a.norm();  a.norm(dim=1);  a.std()
a.cumsum(0);  torch.cat([a, b]);  torch.hstack([a, b]);  torch.stack([a, b]);  a.chunk(2)
a.view(2, 8);  a.t();  a.T;  a.reshape(-1);  a.permute(1, 0);  a.unsqueeze(0);  a.squeeze();  a.expand(2, 4, 4)
a.flatten();  a.contiguous();  a.t().contiguous()
a[1];  a[1, 2];  a[:, 1:3];  a[[0, 2]];  a[a > 0.5];  a[0, 1] = 3.0;  a[1] = v;  a[a > 5] = 0.0
a.index_select(0, i[0, :2])
torch.empty(4, 4);  torch.zeros(4, 4);  torch.ones(4);  torch.full((4, 4), 2.0);  torch.arange(10);  torch.zeros_like(a)
torch.tensor([1.0, 2.0]);  torch.tensor(3.0);  torch.tensor([[1, 2], [3, 4]]);  torch.rand(4, 4);  torch.randn(4, 4)
[torch.empty(4) for _ in range(20)];  a.new_zeros(2);  torch.eye(4)
s.item();  a.tolist();  a.numpy();  a.shape;  a.dim();  float(s)
a.clone();  a.detach();  a.to(torch.float64);  a.to(torch.float32);  i.float();  a.requires_grad;  a.data
a @ b;  a @ v;  a.mm(b);  torch.dot(v, v);  torch.addmm(a, a, b)
in_no_grad();  in_enable_grad();  torch.no_grad();  update()
x * y;  (x * y).sum();  x.exp();  x @ y;  backward((x * a).sum());  backward((x @ y).tanh().mean());  accumulated()
backward((x + y).relu().sum());  backward(x[1].sum());  torch.autograd.grad((x * y).sum(), x);  x.detach()
""".replace("\n", ";  ").split(";  ")
    if call
]  #: calls on a few elements, which mostly measure the library's overhead
