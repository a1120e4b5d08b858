"""Part 2: right answers that few people give, and more wrong ones, with either library."""

import numpy
import pytest
from exercise_answers import COURSE, assert_told, right_answers, verdict_on, wrong_answers

EDGE = "p_ndim, p_numel, p_len, q_ndim, q_numel = "
FIVE = "one, two, three, four, five = "
COSTS = "held, stretched, result = "
WHO = "row, doubled, as_double, turned, picked = "
DATA = "nested, size, function, own_class, text = "
ALLOWED = "scaled, joined, picked, counted, written = "
PIN = "one_line, buffer, made_there, loader = "
FIGURES = "allocated_small, reserved_small, reserved_both = "
SHARED = "transpose, result, detached, contiguous_transpose, contiguous = "

RECORD_WITH_JSON = """
def record(x):
    return dict(shape=[*x.shape], dtype=f"{x.dtype}", largest=float(x.max()) if x.is_floating_point() else int(x.max()))
"""
CENTERED_BY_ADDING = """
def centered(data):
    x = torch.as_tensor(data, dtype=torch.float64)
    return torch.add(x, x.mean(), alpha=-1)
"""
SPLIT_FORKED = """
def split(count, seed):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return torch.randperm(count)
"""
LAYER_OF_EVERY_DTYPE = """
def layer(weights, x):
    return torch.matmul(weights, x.type_as(weights))
"""
LAYER_IN_DOUBLE = """
def layer(weights, x):
    return (weights.double() @ x.double()).to(weights.dtype)
"""
BRIGHTER_BY_WHERE = """
def brighter(image, by):
    wide = image.int() + by
    wide = torch.where(wide > 255, 255, torch.where(wide < 0, 0, wide))
    return wide.byte()
"""
DOUBLE_BY_CONTEXT = """
import contextlib
@contextlib.contextmanager
def default(dtype):
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)
def in_double(function):
    with default(torch.float64):
        return function()
"""
DOUBLE_BY_EXCEPT = """
def in_double(function):
    before = torch.zeros(1).dtype
    torch.set_default_dtype(torch.double)
    try:
        result = function()
    except BaseException:
        torch.set_default_dtype(before)
        raise
    torch.set_default_dtype(before)
    return result
"""
TURNED_BY_ATAN = "def turned(degrees): return degrees - 360 * torch.floor((degrees + 180) / 360)"
GROWTH_IN_DOUBLE = """
def growth(rate, days):
    return torch.expm1(days * torch.log1p(rate.double())).float()
"""
FLOATED_LAST = """
def backwards(x):
    return (x.clamp(min=0).flatten().flip(0).sqrt() / x.numel()).double()
"""
BACKWARDS_BY_INDEX = """
def backwards(x):
    flat = x.double().relu().reshape(-1)
    return flat[torch.arange(len(flat) - 1, -1, -1)].sqrt() / len(flat)
"""
SOFTMAX_BY_MAX = """
def stable_softmax(x):
    largest, _ = x.max(dim=-1, keepdim=True)
    powers = torch.exp(x - largest)
    return powers.div(powers.sum(dim=-1).unsqueeze(-1))
"""
SOFTMAX_OF_THE_LIBRARY = "def stable_softmax(x): return torch.softmax(x, -1)"
SOFTMAX_BY_ITS_LOGARITHM = "def stable_softmax(x): return x.log_softmax(dim=-1).exp()"
SOFTMAX_OF_NUMPY = """
def stable_softmax(x):
    powers = np.exp(x.numpy() - x.numpy().max(-1, keepdims=True))
    return torch.tensor(powers / powers.sum(-1, keepdims=True))
"""
WHOLE_BY_JOINING = """
def in_parts():
    left, right = torch.full((2, 2), 1.0), torch.full((2, 4), 2.0)
    whole = torch.cat([left, right], dim=1)
    left, right = whole.split([2, 4], dim=1)
    return whole, left, right
"""
WHOLE_BY_ONES = """
def in_parts():
    whole = torch.ones(2, 6)
    left, right = whole[:, :2], whole[:, 2:]
    right += 1
    return whole, left, right
"""
SAFE_BY_FLAGS = """
def to_tensor(array):
    if array.flags["WRITEABLE"] and min(array.strides) >= 0:
        return torch.as_tensor(array)
    return torch.from_numpy(np.array(array, order="C"))
"""
SENSOR_OF_A_TENSOR = """
class Sensor:
    def __init__(self, array):
        self.tensor = torch.from_numpy(array)
    def __dlpack__(self, *given, **wishes):
        return self.tensor.__dlpack__(*given, **wishes)
    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()
"""
LOADED_TWICE = """
torch.save(state, buffer)
loaded = torch.load(io.BytesIO(buffer.getvalue()))
"""
SHAPES_OF_ALL = """
def shapes(path):
    data = open(path, "rb").read()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length].decode())
    header.pop("__metadata__", None)
    return {name: tuple(each["shape"]) for name, each in header.items()}
"""
LOCK_BY_HAND = """
def keep_highest(best, value, lock):
    lock.acquire()
    try:
        best[0] = max(value, best[0].item())
    finally:
        lock.release()
"""
NUMBERED_BY_CUMSUM = """
def numbered(table):
    return table + torch.ones_like(table[0]).cumsum(0) - 1
"""
SEND_SPLIT = """
def send(tensors, device):
    return list(torch.stack(tensors).to(device).unbind())
"""
SEND_CAT = """
def send(tensors, device):
    return torch.cat(tensors).to(device).split([len(each) for each in tensors])
"""

RIGHT = [
    (
        "t01-edge",
        "p, q = torch.zeros(4, 0), torch.tensor(7)\n" + EDGE + "p.ndim, p.numel(), len(p), q.dim(), q.numel()",
    ),
    ("t01-edge", EDGE + "np.array([2, 0, 4, 0, 1])"),
    ("t01-batch", "def covariance(samples): return torch.einsum('...ki,...kj->...ij', samples, samples)"),
    ("t01-among", "def among(x, tensors): return [None for each in tensors if each is x] != []"),
    ("t01-record", RECORD_WITH_JSON),
    ("t01-slip", "delattr(weight, 'require_grad'); weight.requires_grad_()"),
    ("t12-centred", CENTERED_BY_ADDING),
    ("t02-times", "times = torch.tensor([1 + tenth / 10 for tenth in range(11)], dtype=torch.float64)"),
    ("t03-throws", "def throws(count): return (torch.rand(count, 2) * 6).long() + 1"),
    ("t03-split", SPLIT_FORKED),
    ("t04-layer", LAYER_OF_EVERY_DTYPE),
    ("t04-five", FIVE + "'float32', 'torch.uint8', 'float16', torch.float, torch.long"),
    ("t04-brighter", BRIGHTER_BY_WHERE),
    ("t04-energy", "def energy(x): return torch.sum(x.to(torch.float32) ** 2)"),
    ("t04-double", DOUBLE_BY_CONTEXT),
    ("t04-double", DOUBLE_BY_EXCEPT),
    ("t05-turned", TURNED_BY_ATAN),
    ("t05-growth", GROWTH_IN_DOUBLE),
    ("t11-translated", BACKWARDS_BY_INDEX),
    ("t07-bytes", COSTS + "48_000, 4 * 1000 * 500 * 8, np.int64(16_000_000)"),
    (
        "t07-bytes",
        "points, other = torch.zeros(1000, 1, 8), torch.zeros(500, 8)\n"
        + COSTS
        + "points.nbytes + other.nbytes, 16_000_000, (points - other).nbytes",
    ),
    ("t07-stride", "v = x.expand(2, 3, 4, 5); size, stride = v.size(), list(v.stride())"),
    ("t07-channels", "centered = torch.stack([channel - m for channel, m in zip(photo, mean)])"),
    ("t07-gaps", "gaps = torch.cdist(places[:, None], places[:, None])"),
    ("t08-channels", "brightness = batch.transpose(0, 1).flatten(1).mean(1)"),
    ("t08-shares", "def shares(x): return torch.div(x, x.sum(dim=x.dim() - 1, keepdim=True))"),
    (
        "t08-margin",
        "order = votes.sort(dim=1, descending=True)\n"
        "winner = votes.argmax(1)\nmargin = order.values[:, 0] - order.values[:, 1]",
    ),
    ("t08-measured", "there = ~log.isnan()\naverages = log.nansum(0) / there.sum(0)\nmissing = (log != log).sum(0)"),
    ("t08-so-far", "so_far = torch.stack([days[: n + 1].mean() for n in range(len(days))])"),
    ("t08-softmax", SOFTMAX_BY_MAX),
    ("t08-channels", "brightness = batch.double().mean((0, 2, 3))"),
    ("t09-zip", "zipped = torch.stack([p.float(), q.float()], 1).view(6)"),
    ("t09-places", "indices = torch.cartesian_prod(rows, columns).view(2, 3, 2).int()"),
    ("t10-heads", "scores = torch.einsum('bqhn,bkhn->bhqk', queries.double(), keys.double())"),
    ("t09-zip", "zipped = torch.empty(6, dtype=p.dtype)\nzipped[::2], zipped[1::2] = p, q"),
    ("t09-whole", WHOLE_BY_ONES),
    ("t09-large", "large = small[[0, 0, 1, 1]][:, [0, 0, 1, 1]]"),
    ("t09-places", "indices = torch.tensor([[[i, j] for j in range(3)] for i in range(2)])"),
    ("t10-letters", "columns, gram, form = ' ab -> b ', 'ax,bx->ab', 'p,pq,q'"),
    ("t10-heads", "scores = torch.einsum('...qhn,...khn->...hqk', queries, keys)"),
    ("t10-never", "def apply(u, w, x): return torch.mul(torch.dot(w, x), u)"),
    ("t12-who", WHO + "'View', 'a copy', 'COPY', 'view', 'copy'"),
    ("t12-who", WHO + "'a view', 'copy', ' copy', 'the view', 'Copy'"),
    ("t12-safe", SAFE_BY_FLAGS),
    ("t13-join", SENSOR_OF_A_TENSOR),
    ("t14-buffer", LOADED_TWICE),
    ("t14-small", "def packed(part): return pickle.dumps(part * 1)"),
    ("t14-data", DATA + "np.bool_(True), True, False, False, True"),
    (
        "t14-data",
        DATA + "(kind in 'nested size text'.split() for kind in 'nested size function own_class text'.split())",
    ),
    ("t14-header", SHAPES_OF_ALL),
    ("t15-make", "scores = a.new_zeros((2, 3), device=device)\nprecise = a.double().to(device)"),
    (
        "t15-make",
        "scores = torch.full((2, 3), 0.0, device=device)\n"
        "precise = torch.empty(2, 3, dtype=torch.double, device=device).copy_(a)",
    ),
    ("t15-meet", "def add(x, y): return y + x.to(y)"),
    ("t15-meet", "def add(x, y): return torch.add(x.to(device=y.device), y)"),
    ("t15-allowed", ALLOWED + "np.bool_(True), False, True, False, True"),
    ("t15-allowed", ALLOWED + "(each == 'goes' for each in ('goes', 'not', 'goes', 'not', 'goes'))"),
    ("t15-anywhere", NUMBERED_BY_CUMSUM),
    ("t15-anywhere", "def numbered(table): return torch.arange(table.size(-1), device=table.device).add(table)"),
    ("t16-send", SEND_SPLIT),
    ("t16-send", SEND_CAT),
    ("t16-pin", PIN + "np.bool_(False), True, False, True"),
    ("t16-pin", PIN + "(each == 'pays' for each in ('no', 'pays', 'no', 'pays'))"),
    ("t17-figures", FIGURES + "20 * 512, 2 << 20, 2 * 2**20 + 16 * 2**20"),
    ("t17-figures", FIGURES + "np.array([10_240, 2_097_152, 18_874_368])"),
    ("t18-shared", SHARED + "np.bool_(True), False, True, False, True"),
    (
        "t18-shared",
        "x = torch.zeros(2, 3)\n" + SHARED + "(t.untyped_storage().data_ptr() == x.untyped_storage().data_ptr() "
        "for t in (x.t(), x + 1, x.detach(), x.t().contiguous(), x.contiguous()))",
    ),
    ("t18-values", "def values_of(tensor): return tensor.data.view(-1)"),
    ("t18-lock", LOCK_BY_HAND),
    ("t18-tail", "tail = torch.from_file(path, True, 4).split(2)[1]"),
]

WRONG = [
    ("t01-edge", EDGE + "1, 4, 0, 1, 0", "0 of 5 are right"),
    ("t04-layer", LAYER_IN_DOUBLE, "it converts the weights"),
    ("t04-five", FIVE + "torch.float64, torch.int64, torch.float16, torch.float32, torch.int64", "3 of 5 are right"),
    ("t11-translated", FLOATED_LAST, "computed in float32, and converted last"),
    ("t07-sizes", "first, second, third, fourth, fifth = (1, 1), (6, 2), (2, 2, 6), 'error', (8, 7, 6, 5)", "3 of 5"),
    ("t07-stride", "size, stride = (2, 3, 4, 5), (15, 5, 0, 1)", "what an unsqueezed dimension of length 1 shows"),
    ("t07-channels", "photo -= mean[:, None, None]\ncentered = photo", "is not as it was given"),
    ("t07-gaps", "places[:] = 0\ngaps = (places[:, None] - places).abs()", "is not as it was given"),
    ("t08-so-far", "so_far = days.cumsum_(0) / torch.arange(1, 8)", "is not as it was given"),
    ("t08-softmax", SOFTMAX_OF_THE_LIBRARY, "calls `softmax`"),
    ("t08-softmax", SOFTMAX_BY_ITS_LOGARITHM, "calls `log_softmax`"),
    ("t08-softmax", SOFTMAX_OF_NUMPY, "computes outside of tensors"),
    ("t09-whole", WHOLE_BY_JOINING, "then copied"),
    ("t09-three", "query, key, value = (each.clone() for each in mixed.chunk(3, dim=-1))", "0 of 3 are right"),
    ("t12-who", WHO + "'copy', 'view', 'view', 'copy', 'view'", "0 of 5 are right"),
    ("t17-figures", FIGURES + "10_000, 2_000_000, 18 * 2**20", "`allocated_small` and `reserved_small`"),
    ("t15-make", "scores = torch.zeros(3, 2, device=device)\nprecise = a.to(device, torch.double)", "has shape (3, 2)"),
    ("t15-make", "scores = torch.ones(2, 3, device=device)\nprecise = a.to(device, torch.float64)", "`scores` holds"),
    ("t15-make", "scores = torch.zeros(2, 3, device=device)\nprecise = a.to(device)", "`precise` has dtype"),
    ("t15-meet", "def add(x, y): x.to(y.device) + y", "returned nothing"),
    ("t15-meet", "def add(x, y): return x.to(y.device) - y", "add(a, b)"),
    ("t15-meet", "def add(x, y): return x.clone().to(y.device) + y", "copies nothing"),
    ("t15-allowed", ALLOWED + "False, False, True, False, True", "is accepted, as a number is"),
    ("t15-allowed", ALLOWED + "True, True, True, False, True", "x has to be moved first"),
    ("t15-allowed", ALLOWED + "True, False, False, True, False", "`picked`, `counted` and `written`"),
    ("t15-anywhere", "def numbered(table): return table", "it should be"),
    ("t15-anywhere", "def numbered(table): return table + torch.tensor([[0.0], [1.0]]).to(table)", "it should be"),
    ("t15-anywhere", "numbered = there", "it should be a function"),
]  # fmt: skip

HIDDEN_TRANSFERS = [
    ("t15-make", "scores = torch.zeros(2, 3).to(device)\nprecise = a.to(device, torch.float64)", "which is a transfer"),
    ("t15-meet", "def add(x, y): return (x.cpu() + y.cpu()).to(y.device)", "transfers; 1 would do"),
    (
        "t15-anywhere",
        "def numbered(table): return table + torch.arange(table.shape[1]).to(table.device)",
        "moved bytes",
    ),
    ("t15-anywhere", "def numbered(table): return (table.cpu() + torch.arange(3)).to(table.device)", "moved bytes"),
    ("t16-send", "def send(tensors, device): return list(torch.stack([t.to(device) for t in tensors]))", "transfers"),
]

test_a_right_answer_of_its_own_kind_is_right = right_answers(RIGHT, np=numpy)
test_a_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG, np=numpy)


@pytest.mark.parametrize(("exercise_id", "attempt", "told"), HIDDEN_TRANSFERS)
def test_a_hidden_transfer_is_found(exercise_id, attempt, told):
    import tensorglass  # its notebooks run on a device that is not the CPU

    assert exercise_id in COURSE
    assert_told(verdict_on(tensorglass, exercise_id, attempt), told)
