"""Unexpected answers to the exercises of part 5: misconceptions, and other ways to be right."""

from exercise_answers import right_answers, wrong_answers

LINEAR = "def linear(x, weight, bias): return "
KAIMING = "def kaiming(outputs, inputs): return "
BILINEAR = "def bilinear(a, b, weight): return "
DESCEND = """\
def descend(loss_of, parameter, rate, steps):
    losses = []
    for _ in range(steps):
        {a}
    return losses
"""
MOMENTUM = """\
def momentum(p, gradient, state, rate):
    with torch.no_grad():
        {a}
"""
RATE = "def rate_at(epoch, first, every, factor): return "
WEIGH = """\
def weigh(optimizer):
"""
DIGITS = """\
class Digits:
    def __init__(self, raw, labels):
        self.raw, self.labels = {a}, labels
    def __len__(self):
        return len(self.raw)
    def __getitem__(self, i):
        return {b}
"""
BATCHES = """\
def batches(count, size, shuffle):
"""
COLLATE = """\
def collate(samples):
    pictures, labels = zip(*samples)
    return """
ACCUMULATE = """\
def accumulate(model, loss_of, parts):
    model.zero_grad()
    n = sum(len(y) for _, y in parts)
    total = 0.0
    for x, y in parts:
        """
CONVOLVE = """\
def convolve(images, weight):
"""
MIX = "def mix(picture, recipe): return "
POOL = "def max_pool(maps): return "
READ = """\
def read(batch, state, cell):
    states = []
    for row in batch.unbind(1):
        """
TABLE = """\
def table_gradient(codes, gradient, rows):
"""
TRAIN = """\
def train_on(codes, length, state, read):
    losses = []
    for piece in codes.split(length):
        """
CLIP = """\
def clip(parameters, longest):
"""
ATTENTION = "def attention(q, k, v): return "
CAUSAL = """\
def causal(q, k, v):
    n = q.shape[-2]
    scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    return """
HEADS = """\
def split(x, heads): return {}
def join(y): return {}"""
PIECES = "def in_pieces(q, k, v, length, attention): return "
NORM = """\
def norm(x, weight, bias):
    c = x - x.mean(-1, keepdim=True)
    return """
APPEND = """\
def append(room, length, new):
    filled = length + new.shape[2]
    """
CAST = "def half_linear(x, weight, bias, half): return "
STEP = """\
def scaled_step(parameters, scale, rate):
"""
REDUCE = """\
def all_reduce(gradients):
"""
PARALLEL = """\
def parallel(batch, weight, devices, apply):
"""
TOWARDS = """\
def towards(average, model, keep):
"""
BATCH = "def batch(images, rows): return "
ACCURACY = """\
def accuracy(reader, images, labels, rows):
"""
READY = """\
def ready(batch, device):
    pictures, labels = batch
    return """
SAVED = """\
def saved_bytes(forward, model):
    own = {{p.untyped_storage().data_ptr() for p in model.parameters()}}
    seen = {{}}
    def pack(t):
        s = t.untyped_storage()
        if s.data_ptr() not in own: seen[{key}] = {val}
        return t
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        out = forward()
    return sum(seen.values())
"""
BLOCKS = """\
def in_blocks(model, x):
    for child in model:
        x = """
SNAPSHOT = "def snapshot(model): return "
DROPOUT = "def dropout(x, p, training): return "

# fmt: off
WRONG = [
    ("n01-bilinear", BILINEAR + "torch.einsum('ni,oij,mj->no', a, weight, b)", "One letter, n, walks through both"),
    ("n01-kaiming", KAIMING + "(torch.rand(outputs, inputs) * 2 - 1) * math.sqrt(2 / inputs)",
     "Numbers between −b and b have a spread of b / sqrt"),
    ("n01-kaiming", KAIMING + "torch.full((outputs, inputs), math.sqrt(2 / inputs))",
     "is one number everywhere"),
    ("n01-kaiming", KAIMING + "torch.randn(outputs, inputs, generator=torch.Generator().manual_seed(0))",
     "It should be drawn anew; leave the seed to the caller"),
    ("n01-linear", LINEAR + "x @ weight.view(3, 2) + bias", "swaps rows and columns"),
    ("n01-linear", LINEAR + "x @ weight + bias", "fits only a square weight"),
    ("n01-linear", LINEAR + "...", "returned the dots"),
    ("n01-linear", LINEAR + "x @ weight.reshape(weight.shape[1], -1) + bias", "Transpose it"),
    ("n01-linear", LINEAR + "x @ weight.detach().t() + bias", "something on the way left the graph"),
    ("n02-chain", ("class Chain(Module):\n    def __init__(self, *modules):\n        super().__init__()\n"
         "        for i, m in enumerate(modules): self.i = m\n    def forward(self, x):\n"
         "        for c in self.children.values(): x = c(x)\n        return x\n"), "it should"),
    ("n02-chain", ("class Chain(Module):\n    def __init__(self, *modules):\n        super().__init__()\n"
         "        for i, m in enumerate(modules): setattr(self, str(i), m)\n    def forward(self, x):\n"
         "        for c in reversed(list(self.children.values())): x = c(x)\n        return x\n"),
     "given a tensor of shape"),
    ("n02-dropout", DROPOUT + "x * (torch.rand(x.shape[0], 1) >= p) / (1 - p) if training else x",
     "Draw one number for each number of"),
    ("n02-dropout", DROPOUT + "x * (torch.rand_like(x) >= 0.2) / 0.8 if training else x", "with p ="),
    ("n02-dropout", DROPOUT + "x * (torch.rand_like(x) >= p) / (1 - p) if training else x * (1 - p)",
     "While reading, it does nothing"),
    ("n02-dropout", DROPOUT + "x.detach() * (torch.rand_like(x) >= p) / (1 - p) if training else x",
     "something left the graph"),
    ("n02-held",
     "def held(model): return sum(t.untyped_storage().nbytes() for t in set(model.state_dict().values()))",
     "two names lead to one storage"),
    ("n02-snapshot", SNAPSHOT + "{n: t.view_as(t) for n, t in model.state_dict().items()}",
     "A view goes along with every step of the model; clone it"),
    ("n03-adam", ("\ndef adam(p, gradient, state, rate):\n" '    step = state["step"] = state.get("step", 0) + 1\n'
         "    with torch.no_grad():\n"
         '        mean = state["mean"] = 0.9 * state.get("mean", 0) + 0.1 * gradient\n'
         '        square = state["square"] = 0.999 * state.get("square", 0) + 0.001 * mean**2\n'
         "        p -= rate * (mean / (1 - 0.9**step)) / ((square / (1 - 0.999**step)).sqrt() + 1e-8)\n"),
     "after step"),
    ("n03-adam", ("\ndef adam(p, gradient, state, rate):\n" '    step = state["step"] = state.get("step", 0) + 1\n'
         "    with torch.no_grad():\n"
         '        mean = state["mean"] = 0.9 * state.get("mean", 0) + 0.1 * gradient\n'
         '        square = state["square"] = 0.999 * state.get("square", 0) + 0.001 * gradient**2\n'
         "        p -= rate * (mean / (1 - 0.9**step)) / ((square / (1 - 0.999**step)) + 1e-8)\n"),
     "Divide by the *root* of the mean square"),
    ("n03-descend", ("\ndef descend(loss_of, parameter, rate, steps):\n    losses = []\n    for _ in range(steps):\n"
         "        loss = loss_of(parameter); loss.backward(); losses.append(loss.item()); parameter.data "
         "-= rate * parameter.grad\n    return losses\n"), "went along the sum of all gradients so far"),
    ("n03-descend", ("\ndef descend(loss_of, parameter, rate, steps):\n    losses = []\n    for _ in range(steps):\n"
         "        loss = loss_of(parameter); loss.backward(); losses.append(loss.item()); parameter.data "
         "-= rate * parameter.grad.sign(); parameter.grad = None\n    return losses\n"),
     "is where plain steps of rate times gradient lead"),
    ("n03-descend",
     DESCEND.format(a=("loss = loss_of(parameter); losses.append(loss.detach()); parameter.data -= rate * "
         "torch.autograd.grad(loss, parameter)[0]")), "the losses in the list are tensors, and each keeps its"),
    ("n03-descend",
     DESCEND.format(a=("loss = loss_of(parameter); losses.append(loss.item()); parameter.data -= rate * "
         "torch.autograd.grad(loss, parameter)[0] / len(parameter)")),
     "is where plain steps of rate times gradient lead"),
    ("n03-descend", ("\ndef descend(loss_of, parameter, rate, steps):\n    losses = []\n    for _ in range(steps):\n"
         "        loss = loss_of(parameter); loss.backward(); losses.append(loss.item()); parameter.data "
         "+= rate * parameter.grad; parameter.grad = None\n    return losses\n"),
     "went up the gradient: each step is subtracted"),
    ("n03-momentum", ("\ndef momentum(p, gradient, state, rate):\n    with torch.no_grad():\n"
         "        state['velocity'] = 0.9 * state.get('velocity', 0) + 0.1 * gradient; p -= rate * "
         "state['velocity']\n"), "The velocity gains the whole gradient"),
    ("n03-momentum", ("\ndef momentum(p, gradient, state, rate):\n    with torch.no_grad():\n"
         "        v = state['velocity'] = 0.9 * state.get('velocity', 0) + gradient; p -= rate * "
         "(gradient + 0.9 * v)\n"), "after step"),
    ("n03-momentum",
     MOMENTUM.format(a="v = state.setdefault('velocity', gradient); v.mul_(0.9).add_(gradient); p -= rate * v"),
     "what is kept should be a tensor of its own"),
    ("n03-momentum",
     MOMENTUM.format(a=("v = state.get('velocity'); v = gradient if v is None else v.mul_(0.9).add_(gradient); "
         "state['velocity'] = v; p -= rate * v")), "what is kept should be a tensor of its own"),
    ("n03-momentum", ("\ndef momentum(p, gradient, state, rate):\n    with torch.no_grad():\n"
         "        state['velocity'] = 0.9 * state.get('velocity', 0) - gradient; p -= rate * "
         "state['velocity']\n"), "against the gradient is minus"),
    ("n03-rate", RATE + "first * factor * (epoch // every)", "factor ** n, not factor * n"),
    ("n03-rate", RATE + "first * factor ** (epoch / every)", "Use //, which gives integers"),
    ("n03-rate", RATE + "first * factor ** ((epoch + 1) // every)", "It falls one epoch too early"),
    ("n03-weigh", WEIGH + ("    ps = optimizer.param_groups[0]['params']\n"
         "    return sum(p.nbytes for p in ps), sum(p.grad.nbytes for p in ps if p.grad is not None), "
         "sum(t.nbytes for s in optimizer.state.values() for t in s.values() if isinstance(t, torch.Tensor))"),
     "There are two groups of parameters"),
    ("n03-weigh", WEIGH + ("    ps = [p for g in optimizer.param_groups for p in g['params']]\n"
         "    return sum(p.nbytes for p in ps), sum(p.nbytes for p in ps), sum(t.nbytes for s in "
         "optimizer.state.values() for t in s.values() if isinstance(t, torch.Tensor))"), ".grad is None"),
    ("n03-weigh", WEIGH + ("    ps = [p for g in optimizer.param_groups for p in g['params']]\n"
         "    return sum(p.nbytes for p in ps), sum(p.grad.nbytes for p in ps if p.grad is not None), 2 "
         "* sum(p.nbytes for p in ps)"), "Before the first step there is no state"),
    ("n04-batches",
     BATCHES + ("    return [torch.randperm(count)[i:i+size] if shuffle else torch.arange(count)[i:i+size] for "
         "i in range(0, count, size)]"), "In an order, each comes once"),
    ("n04-batches", BATCHES + ("    parts = list(torch.arange(count).split(size))\n"
         "    return [parts[i] for i in torch.randperm(len(parts))] if shuffle else parts"),
     "Shuffle the indices"),
    ("n04-collate", COLLATE + "torch.cat(pictures), torch.tensor(labels)", "stack keeps them"),
    ("n04-dataset", DIGITS.format(a="raw.float() / 16", b="self.raw[i], self.labels[i].item()"),
     "Convert in __getitem__"),
    ("n04-dataset", DIGITS.format(a="raw", b="self.raw[i] / 16, self.labels[i]"), ".item() gives it"),
    ("n04-flight", "batch_bytes = 256 * 3 * 224 * 224 * 4 + 8\nwaiting = 32 * batch_bytes",
     "There is a label for each picture"),
    ("n04-flight", "batch_bytes = 256 * (3 * 224 * 224 * 4 + 8)\nwaiting = 8 * 4",
     "That counts batches; how many bytes are they"),
    ("n04-ready", READY + "pictures.to(device).float().flatten(1) / 255, labels.byte().to(device).long()",
     "it should"),
    ("n05-accumulate",
     ACCUMULATE + ("loss = loss_of(model(x), y) / len(parts)\n        loss.backward()\n        total += loss.item()\n"
         "    return total"), "Weight them by pictures"),
    ("n05-accumulate",
     ACCUMULATE + ("loss = loss_of(model(x), y) * len(y)\n        loss.backward()\n        total += loss.item()\n"
         "    return total / n"), "each part was weighted by its pictures, but the sum was not divided"),
    ("n05-accumulate",
     ACCUMULATE + ("loss = loss_of(model(x), y) * len(y) / n\n        loss.backward(retain_graph=True)\n"
         "        total += loss\n    return total.item()"),
     "retain_graph=True saves everything for a second backward,"),
    ("n05-blocks", BLOCKS + "checkpoint(child, x, use_reentrant=False)\n    return x",
     "A checkpoint belongs around the blocks alone"),
    ("n05-blocks", ("def in_blocks(model, x): return torch.utils.checkpoint.checkpoint_sequential(model, 2, x, "
         "use_reentrant=False)"), "a checkpoint around each"),
    ("n05-blocks",
     BLOCKS + ("checkpoint(child, x, use_reentrant=False) if isinstance(child, nn.Sequential) else child(x)\n"
         "        x = x.detach().requires_grad_()\n    return x"), "there is no checkpoint in it"),
    ("n05-fits", "fits = (262_144 - 2 * 30_760) // 1280", "too large"),
    ("n05-saved", SAVED.format(key="id(t)", val="s.nbytes()"), "tell storages apart, not tensors"),
    ("n06-convolve",
     CONVOLVE + ("    return torch.einsum('nchwij,ocij->nohw', images.unfold(2, weight.shape[3], 1).unfold(3, "
         "weight.shape[2], 1), weight)"), "pictures, filters, rows of windows, columns of windows"),
    ("n06-mix", MIX + "(recipe.double() @ picture.double().flatten(1)).view(2, *picture.shape[1:])",
     "the values are right, but"),
    ("n06-pool", POOL + "maps.view(*maps.shape[:2], maps.shape[2] // 2, 2, maps.shape[3] // 2, 2).amax(3).amax(3)",
     "for maps of"),
    ("n06-sizes", ("conv1, pool1, conv2, pool2, parameters2 = (6, 28, 28), (6, 14, 14), (16, 10, 10), (16, 5, 5), "
         "16 * 25 + 16"), "Each filter is six channels deep, and has"),
    ("n06-sizes",
     "conv1, pool1, conv2, pool2, parameters2 = (28, 28, 6), (14, 14, 6), (10, 10, 16), (5, 5, 16), 2416",
     "the right numbers, in another order"),
    ("n06-sizes",
     "conv1, pool1, conv2, pool2, parameters2 = (6, 28, 28), (6, 27, 27), (16, 23, 23), (16, 22, 22), 2416",
     "they move by"),
    ("n06-tiles", ("tiles = torch.stack([torch.stack([image[2*i:2*i+2, 2*j:2*j+2] for j in range(4)]) for i in "
         "range(3)])"), "Four strides say where every tile is"),
    ("n07-clip", CLIP + ("    norm = torch.stack([p.grad.norm() for p in parameters]).sum()\n    if norm > longest:\n"
         "        for p in parameters: p.grad.mul_(longest / norm)\n    return norm.item()"),
     "norms of parts do not add up; their squares do"),
    ("n07-clip", CLIP + ("    norm = torch.cat([p.grad for p in parameters]).norm().item()\n"
         "    for p in parameters: p.grad.mul_(longest / norm)\n    return norm"), "clipping only shortens"),
    ("n07-clip", CLIP + ("    norm = torch.cat([p.grad for p in parameters]).norm().item()\n    if norm > longest:\n"
         "        for p in parameters: p.grad.sub_(norm - longest)\n    return norm"), "the gradients are"),
    ("n07-clip", CLIP + ("    norm = torch.cat([p.grad for p in parameters]).norm().item()\n    if norm > longest:\n"
         "        for p in parameters: p.data.mul_(longest / norm)\n    return norm"),
     "the gradients are as long as before"),
    ("n07-clip", CLIP + ("    for p in parameters: p.grad.clamp_(-longest, longest)\n"
         "    return torch.cat([p.grad for p in parameters]).norm().item()"), "the norm of all gradients is"),
    ("n07-clip", CLIP + ("    norm = max(p.grad.abs().max().item() for p in parameters)\n    if norm > longest:\n"
         "        for p in parameters: p.grad.mul_(longest / norm)\n    return norm"),
     "the norm of all gradients is"),
    ("n07-read", READ + ("state = cell(row, state)\n        states.append(state.detach())\n"
         "    return torch.stack(states, 1), state"), "Detach nothing here, or the cell could not learn from what"),
    ("n07-read", READ + "states.append(cell(row, state))\n    return torch.stack(states, 1), states[-1]",
     "The cell has to get the state that it made for the row"),
    ("n07-read",
     READ + "states.append(state)\n        state = cell(row, state)\n    return torch.stack(states, 1), state",
     "is not the state after row"),
    ("n07-read", READ + ("state = cell(row, state.detach())\n        states.append(state)\n"
         "    return torch.stack(states, 1), state"), "Detach nothing here, or the cell could not learn from what"),
    ("n07-table",
     TABLE + "    made = torch.zeros(rows, gradient.shape[1])\n    made[codes] += gradient\n    return made",
     "writing to the same row again replaces what was there"),
    ("n07-table",
     TABLE + "    made = torch.zeros(rows, gradient.shape[1])\n    made[codes] = gradient\n    return made",
     "writing to the same row again replaces what was there"),
    ("n07-table", TABLE + ("    return torch.zeros(rows, gradient.shape[1]).scatter_(0, codes[:, "
         "None].expand_as(gradient), gradient)"), "writing to the same row again replaces what was there"),
    ("n07-truncate", TRAIN + ("state = read(piece, state)\n        loss = (state**2).sum()\n"
         "        loss.backward(retain_graph=True)\n        losses.append(loss.item())\n    return losses"),
     "Detach it first"),
    ("n07-truncate", TRAIN + ("state = read(piece, state.detach())\n        loss = (state.detach()**2).sum()\n"
         "        losses.append(loss.item())\n    return losses"), "call backward for each piece"),
    ("n07-truncate",
     TRAIN + ("new = read(piece, state.detach())\n        loss = (new**2).sum()\n        loss.backward()\n"
         "        losses.append(loss.item())\n    return losses"), "Carry the numbers on"),
    ("n08-attention", ATTENTION + "(q @ k.transpose(-1, -2)).softmax(-1) / q.shape[-1] ** 0.5 @ v",
     "The mixtures are divided by the root of d; it is the scores that are divided"),
    ("n08-attention", ATTENTION + "(q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5).softmax(-2) @ v",
     "Each *query's* shares should add up to"),
    ("n08-attention", ATTENTION + "(q.detach() @ k.transpose(-1, -2).detach() / q.shape[-1] ** 0.5).softmax(-1) @ v",
     "something was detached"),
    ("n08-causal", CAUSAL + "scores.tril().softmax(-1) @ v", "Only minus infinity gets none"),
    ("n08-causal", CAUSAL + "(scores + torch.ones(n, n).tril()).softmax(-1) @ v",
     "the numbers are not those of causal attention"),
    ("n08-causal", CAUSAL + "scores.masked_fill(torch.ones(n, n).triu(0).bool(), float('-inf')).softmax(-1) @ v",
     "the diagonal is allowed"),
    ("n08-causal", CAUSAL + "scores.masked_fill(torch.ones(n, n).triu(2).bool(), float('-inf')).softmax(-1) @ v",
     "the triangle is one diagonal too large"),
    ("n08-heads", HEADS.format("x.view(x.shape[0], heads, x.shape[1], -1)", "y.transpose(1, 2).flatten(2)"),
     "Split the last dimension, then transpose"),
    ("n08-heads", ("def split(x, heads): return x.view(*x.shape[:2], heads, -1).transpose(1, 2).contiguous()\n"
         "def join(y): return y.transpose(1, 2).flatten(2)"), "view and transpose copy nothing"),
    ("n08-pieces",
     PIECES + ("torch.cat([attention(a, b, c) for a, b, c in zip(q.split(length, -2), k.split(length, -2), "
         "v.split(length, -2))], -2)"), "Each piece of the queries has to meet *all* keys, or its"),
    ("n08-pieces", PIECES + "torch.cat([attention(a, k, v) for a in q.chunk(length, -2)], -2)", "the pieces had"),
    ("n08-pieces", PIECES + "torch.cat([attention(a, k, v) for a in q.split(length)], -2)", "a piece had"),
    ("n09-append", APPEND + "return torch.cat([room[:, :, :length], new], 2)", "Assign to a slice of"),
    ("n09-append", APPEND + "room[:, :, length:filled] = new\n    return room[:, :, :filled].clone()", "A slice of"),
    ("n09-append", APPEND + "room[:, :, :filled] = new\n    return room[:, :, :filled]",
     "The new positions come after the first"),
    ("n09-bytes", ("def cache_bytes(blocks, heads, width, positions, users, bytes_each): return blocks * heads * "
         "width * positions * users * bytes_each\nusers = 16"), "That is the keys alone; values are kept as well"),
    ("n09-bytes", ("def cache_bytes(blocks, heads, width, positions, users, bytes_each): return 2 * blocks * heads "
         "* width * positions**2 * users * bytes_each\nusers = 8"),
     "The shares grow with the square of the positions; keys and"),
    ("n09-norm", NORM + "c / (c**2).mean(-1, keepdim=True).add(1e-5).sqrt().detach() * weight + bias",
     "mean and variance are computed from"),
    ("n09-norm", NORM + "(c / c.std(-1, keepdim=True)) * weight + bias", "The variance is divided by d −"),
    ("n09-norm", NORM + "c / ((c**2).mean(-1, keepdim=True).sqrt() + 1e-5) * weight + bias",
     "for numbers that hardly differ, the result is wrong"),
    ("n09-tie", "scores.weight.data = embed.weight.data", "Assign the parameter itself, not its data"),
    ("n09-tie", "scores.load_state_dict(embed.state_dict())", "Let both modules hold one parameter"),
    ("n09-tie", "embed = embed.weight; scores = embed", "is not a module with a weight"),
    ("n10-cast", CAST + "(x @ weight.t() + bias).to(half)",
     "Convert first, so that the product itself is half the work"),
    ("n10-cast", CAST + "x.to(half) @ weight.to(half).t().contiguous() + bias", "Half the bytes are the point"),
    ("n10-left", "a, b, c, d = 4097.0, 257.0, 1.0004, 70000.0", "To begin with the first"),
    ("n10-left", "a, b, c, d = 4096, 258, 1, 65504", "Then the one with the even fraction is taken"),
    ("n10-parallel", PARALLEL + ("    parts = batch.chunk(len(devices))\n"
         "    results = [apply(p.to(d), weight.detach().to(d).requires_grad_()) for p, d in zip(parts, "
         "devices)]\n    return torch.cat([x.to(devices[0]) for x in results])"),
     "Are the copies made by to(), which is recorded"),
    ("n10-parallel", PARALLEL + ("    parts = batch.chunk(len(devices), dim=1)\n"
         "    return torch.cat([apply(p.to(d), weight.to(d)).to(devices[0]) for p, d in zip(parts, "
         "devices)], 1)"), "the parts had"),
    ("n10-parallel", PARALLEL + ("    parts = batch.chunk(len(devices))\n"
         "    return torch.stack([apply(p.to(d), weight.to(d)).to(devices[0]) for p, d in zip(parts, "
         "devices)])"), "the result has shape"),
    ("n10-reduce", REDUCE + ("    mean = sum(g.to(gradients[0].device) for g in gradients) / 2\n"
         "    for g in gradients: g.copy_(mean)"), "Is the mean ready before the first is overwritten"),
    ("n10-reduce",
     REDUCE + ("    for i in range(len(gradients)): gradients[i] = sum(g.to(gradients[i].device) for g in "
         "gradients) / len(gradients)"), "Write in place"),
    ("n10-reduce", REDUCE + ("    mean = sum(g.to(gradients[0].device) for g in gradients) / len(gradients)\n"
         "    for g in gradients: g.set_(mean.to(g.device))"),
     "the tensors are on other storages than before; write into"),
    ("n10-step", STEP + ("    if any(p.grad.isnan().any() for p in parameters): return scale / 2\n"
         "    for p in parameters: p.data -= rate * p.grad / scale\n    return scale"), "Leave this step out"),
    ("n10-step", STEP + ("    if not all(p.grad.isfinite().all() for p in parameters): return scale * 2\n"
         "    for p in parameters: p.data -= rate * p.grad / scale\n    return scale"),
     "The scale was too large; halve it"),
    ("n10-step", STEP + ("    if not all(p.grad.isfinite().all() for p in parameters): return scale / 2\n"
         "    for p in parameters: p.data -= rate * p.grad * scale\n    return scale"), "the parameters are"),
    ("n12-accuracy", ACCURACY + ("    with torch.no_grad():\n"
         "        return (reader(batch(images, rows)).argmax(1) == labels[rows]).float().mean().item()"),
     "parts of at most"),
    ("n12-accuracy", ACCURACY + ("    reader.eval()\n    right = 0\n    with torch.no_grad():\n"
         "        for p in rows.split(32): right += (reader(batch(images, p)).argmax(1) == "
         "labels[p]).sum().item()\n    return right / len(rows)"),
     "afterwards the reader is no longer in training mode"),
    ("n12-batch", BATCH + "(images.float() / 8 - 1)[rows]", "Choose the rows first; the result has"),
    ("n12-batch", BATCH + "images[rows].float() / 8 - 1", "Compute in place"),
    ("n12-floor", "adam, momentum, plain = 3 * 236_584 + 129_384, 2 * 236_584 + 129_384, 236_584 + 129_384",
     "parameters, gradients, state"),
    ("n12-floor",
     "adam, momentum, plain = 4 * (236_584 + 129_384), 3 * (236_584 + 129_384), 2 * (236_584 + 129_384)",
     "To begin with the first"),
    ("n12-step",
     ("\ndef step(reader, optimizer, images, labels, rows):\n    optimizer.zero_grad()\n    total = 0.0\n"
         "    for part in rows.split(32):\n"
         '        loss = F.cross_entropy(reader(batch(images, part)), labels[part], reduction="sum") / '
         "len(part)\n        loss.backward()\n        total += loss.item()\n    optimizer.step()\n"
         "    return total\n"), "Weight each by its share of the rows"),
    ("n12-step",
     ("\ndef step(reader, optimizer, images, labels, rows):\n    optimizer.zero_grad()\n    total = 0.0\n"
         "    for part in rows.split(200):\n"
         '        loss = F.cross_entropy(reader(batch(images, part)), labels[part], reduction="sum") / '
         "len(rows)\n        loss.backward()\n        total += loss.item()\n    optimizer.step()\n"
         "    return total\n"), "Smaller parts, each with its own backward"),
    ("n12-step",
     ("\ndef step(reader, optimizer, images, labels, rows):\n    optimizer.zero_grad()\n    total = 0.0\n"
         "    for part in rows.split(32):\n"
         '        loss = F.cross_entropy(reader(batch(images, part)), labels[part], reduction="sum") / '
         "len(labels)\n        loss.backward()\n        total += loss.item()\n    optimizer.step()\n"
         "    return total\n"), "weight parts by their rows"),
    ("n13-towards", TOWARDS + ("    with torch.no_grad():\n"
         "        for a, b in zip(average.state_dict().values(), model.state_dict().values()):\n"
         "            a.copy_(keep * a + (1 - keep) * b)"),
     "Buffers are copied, not averaged, and parameters() leaves"),
    ("n13-towards", TOWARDS + ("    for a, b in zip(average.parameters(), model.parameters()):\n"
         "        a.data = keep * a.data + (1 - keep) * b.data\n"
         "    for a, b in zip(average.buffers(), model.buffers()): a.copy_(b)"), "write into those that were there"),
    ("n13-towards", TOWARDS + ("    with torch.no_grad():\n"
         "        for a, b in zip(average.parameters(), model.parameters()): a.lerp_(b, keep)\n"
         "        for a, b in zip(average.buffers(), model.buffers()): a.copy_(b)"),
     "is the share of the average, and not that of the model"),
]

ALSO_RIGHT = [
    ("n01-bilinear", BILINEAR + "torch.stack([(a @ w * b).sum(1) for w in weight], dim=1)"),
    ("n01-bilinear", BILINEAR + "(a[:, None, :, None] * weight * b[:, None, None, :]).sum((2, 3))"),
    ("n01-bilinear", BILINEAR + "(a[:, :, None] * b[:, None]).flatten(1) @ weight.flatten(1).t()"),
    ("n01-bilinear", BILINEAR + "torch.nn.functional.bilinear(a, b, weight)"),
    ("n01-kaiming", KAIMING + "torch.normal(0.0, math.sqrt(2 / inputs), (outputs, inputs))"),
    ("n01-kaiming", KAIMING + "(torch.rand(outputs, inputs) * 2 - 1) * math.sqrt(6 / inputs)"),
    ("n01-kaiming", KAIMING + "(torch.randint(2, (outputs, inputs)) * 2 - 1) * math.sqrt(2 / inputs)"),
    ("n01-kaiming", KAIMING + "torch.nn.init.kaiming_normal_(torch.empty(outputs, inputs), nonlinearity='relu')"),
    ("n01-kaiming",
     "def kaiming(outputs, inputs): return torch.nn.init.kaiming_uniform_(torch.empty(outputs, inputs))"),
    ("n01-linear", LINEAR + "torch.einsum('...i,oi->...o', x, weight) + bias"),
    ("n01-linear", LINEAR + "torch.tensordot(x, weight, dims=([-1], [1])) + bias"),
    ("n01-linear", LINEAR + "(x.unsqueeze(-2) * weight).sum(-1) + bias"),
    ("n01-linear", LINEAR + "torch.inner(x, weight) + bias"),
    ("n02-chain", ("class Chain(Module):\n    def __init__(self, *modules):\n        super().__init__()\n"
         "        import collections\n"
         "        collections.deque(map(lambda i: setattr(self, f'{i[0]}', i[1]), enumerate(modules)))\n"
         "    def forward(self, x):\n        import functools\n"
         "        return functools.reduce(lambda y, c: c(y), self.children.values(), x)\n")),
    ("n02-chain", ("class Chain(Module):\n    def __init__(self, *modules):\n        super().__init__()\n"
         "        self.children.update(zip(map(str, range(len(modules))), modules))\n"
         "    def forward(self, x):\n"
         "        for i in range(len(self.children)): x = getattr(self, str(i))(x)\n        return x\n")),
    ("n02-dropout", DROPOUT + "x.masked_fill(torch.rand_like(x) < p, 0.0) / (1 - p) if training else x"),
    ("n02-dropout", ("def dropout(x, p, training):\n    kept = torch.ones_like(x).bernoulli_(1 - p * training)\n"
         "    return x * kept / (1 - p * training)")),
    ("n02-held", ("def held(model):\n"
         "    return sum(dict((t.untyped_storage().data_ptr(), t.untyped_storage().nbytes()) for m in "
         "model.modules() for t in [*m._parameters.values(), *m._buffers.values()] if t is not None).values())")),
    ("n02-held", ("def held(model):\n    import itertools\n    seen = []\n"
         "    for t in itertools.chain(model.parameters(), model.buffers()):\n"
         "        if not any(t.untyped_storage().data_ptr() == s.data_ptr() for s in seen):\n"
         "            seen.append(t.untyped_storage())\n    return sum(s.nbytes() for s in seen)")),
    ("n02-one", ("def into_one(model):\n    ps = model.parameters()\n"
         "    vector = torch.empty(sum(p.numel() for p in ps))\n    at = 0\n    for p in ps:\n"
         "        n = p.numel()\n        vector[at:at + n] = p.detach().flatten()\n"
         "        p.data = vector.narrow(0, at, n).unflatten(0, p.shape)\n        at += n\n    return vector")),
    ("n02-one", ("def into_one(model):\n    ps = list(model.parameters())\n"
         "    vector = torch.nn.utils.parameters_to_vector(ps).detach().clone()\n"
         "    for p, part in zip(ps, vector.split([p.numel() for p in ps])):\n"
         "        p.data = part.reshape(p.shape)\n    return vector\n")),
    ("n02-snapshot", SNAPSHOT + "{n: t.to(t.device, copy=True) for n, t in model.state_dict().items()}"),
    ("n02-snapshot", SNAPSHOT + "{n: torch.empty_like(t).copy_(t) for n, t in model.state_dict().items()}"),
    ("n02-snapshot", ("def snapshot(model):\n    import io\n    file = io.BytesIO()\n"
         "    torch.save(model.state_dict(), file)\n    file.seek(0)\n    return torch.load(file)")),
    ("n03-adam", ("\ndef adam(p, gradient, state, rate):\n" '    step = state["step"] = state.get("step", 0) + 1\n'
         "    with torch.no_grad():\n"
         '        mean = state["mean"] = 0.9 * state.get("mean", 0) + 0.1 * gradient\n'
         '        square = state["square"] = 0.999 * state.get("square", 0) + 0.001 * gradient * gradient\n'
         "        p -= rate * (1 - 0.999**step) ** 0.5 / (1 - 0.9**step) * mean / (square.sqrt() + 1e-8 "
         "* (1 - 0.999**step) ** 0.5)\n")),
    ("n03-adam", ("\ndef adam(p, gradient, state, rate):\n    if not state:\n"
         "        state.update(step=0, mean=torch.zeros_like(p), square=torch.zeros_like(p))\n"
         '    state["step"] += 1\n    mean, square = state["mean"].lerp_(gradient, 0.1), '
         'state["square"].mul_(0.999).addcmul_(gradient, gradient, value=0.001)\n'
         '    root = square.div(1 - 0.999 ** state["step"]).sqrt_().add_(1e-8)\n'
         '    p.data.addcdiv_(mean, root, value=-rate / (1 - 0.9 ** state["step"]))\n')),
    ("n03-descend",
     DESCEND.format(a=("loss = loss_of(parameter); losses.append(loss.item()); parameter.data -= rate * "
         "torch.autograd.grad(loss, parameter)[0]"))),
    ("n03-descend", ("\ndef descend(loss_of, parameter, rate, steps):\n"
         "    losses, optimizer = [], torch.optim.SGD([parameter], lr=rate)\n    for _ in range(steps):\n"
         "        optimizer.zero_grad(); loss = loss_of(parameter); loss.backward(); optimizer.step(); "
         "losses.append(float(loss))\n    return losses\n")),
    ("n03-descend", DESCEND.format(a=("loss = loss_of(parameter); loss.backward(); losses.append(loss.item()); "
         "parameter.detach().sub_(parameter.grad, alpha=rate); parameter.grad.zero_()"))),
    ("n03-momentum", ("\ndef momentum(p, gradient, state, rate):\n    with torch.no_grad():\n"
         "        v = state.setdefault('velocity', torch.zeros_like(p)); v.mul_(0.9).add_(gradient); "
         "p.sub_(v, alpha=rate)\n")),
    ("n03-momentum", ("\ndef momentum(p, gradient, state, rate):\n    with torch.no_grad():\n"
         "        v = state['velocity'] = gradient.clone() if 'velocity' not in state else "
         "torch.add(gradient, state['velocity'], alpha=0.9); p.add_(v, alpha=-rate)\n")),
    ("n03-rate", RATE + "first * pow(factor, int(epoch / every))"),
    ("n03-rate", RATE + "first if epoch < every else factor * rate_at(epoch - every, first, every, factor)"),
    ("n03-weigh", WEIGH + ("    ps = [p for g in optimizer.param_groups for p in g['params']]\n"
         "    state = optimizer.state_dict()['state'].values()\n"
         "    size = lambda ts: sum(t.numel() * t.element_size() for t in ts if torch.is_tensor(t))\n"
         "    return size(ps), size(p.grad for p in ps), size(t for s in state for t in s.values())")),
    ("n03-weigh",
     WEIGH + ("    p = g = s = 0\n    for group in optimizer.param_groups:\n        for each in group['params']:\n"
         "            p += each.untyped_storage().nbytes()\n"
         "            g += 0 if each.grad is None else each.grad.untyped_storage().nbytes()\n"
         "            s += sum(t.nbytes for t in optimizer.state.get(each, {}).values() if hasattr(t, "
         "'nbytes'))\n    return [p, g, s][0], g, s")),
    ("n04-batches",
     BATCHES + ("    import random\n    order = list(range(count))\n    if shuffle:\n        random.shuffle(order)\n"
         "    return [torch.tensor(order[i:i+size]) for i in range(0, count, size)]")),
    ("n04-batches", ("def batches(count, size, shuffle):\n"
         "    order = torch.rand(count).argsort() if shuffle else torch.arange(count)\n"
         "    return [order[i : i + size] for i in range(0, count, size)]\n")),
    ("n04-collate", "def collate(samples): return torch.utils.data.default_collate(samples)"),
    ("n04-collate", ("def collate(samples):\n    out = torch.empty(len(samples), *samples[0][0].shape)\n"
         "    for i, (p, _) in enumerate(samples):\n        out[i] = p\n"
         "    return out, torch.as_tensor([l for _, l in samples])")),
    ("n04-dataset", DIGITS.format(a="raw", b="self.raw[i] / 16, int(self.labels[i])")),
    ("n04-dataset", ("\nclass Digits(torch.utils.data.Dataset):\n    def __init__(self, raw, labels):\n"
         "        self.raw, self.labels = raw, labels\n    def __len__(self):\n        return len(self.raw)\n"
         "    def __getitem__(self, i):\n"
         "        return [self.raw[i].to(torch.float32).div_(16), self.labels.tolist()[i]]\n")),
    ("n04-flight", "batch_bytes = (602_112 + 8) << 8\nwaiting = batch_bytes << 5"),
    ("n04-flight", ("picture, label = 3 * 224**2 * 4, 8\nbatch_bytes = 256 * picture + 256 * label\n"
         "waiting = sum([batch_bytes] * 32)\n")),
    ("n04-ready", READY + "pictures.to(device).flatten(1) / 16, labels.byte().to(device).long()"),
    ("n04-ready", READY + ("pictures.flatten(1).to(device).to(torch.float32).mul_(1 / 16), "
         "labels.type(torch.uint8).to(device).to(torch.int64)")),
    ("n05-accumulate", ("def accumulate(model, loss_of, parts):\n"
         "    n, total, ps = sum(len(y) for _, y in parts), 0.0, list(model.parameters())\n    for p in ps:\n"
         "        p.grad = torch.zeros_like(p)\n    for x, y in parts:\n        loss = loss_of(model(x), y)\n"
         "        for p, g in zip(ps, torch.autograd.grad(loss, ps)):\n"
         "            p.grad.add_(g, alpha=len(y) / n)\n        total += loss.item() * len(y) / n\n"
         "    return total")),
    ("n05-accumulate", ACCUMULATE + ("loss = loss_of(model(x), y)\n        (loss * len(x)).div(n).backward()\n"
         "        total += float(loss.detach()) * len(x)\n    return total / n")),
    ("n05-blocks", ("def in_blocks(model, x):\n    import functools\n"
         "    run = lambda x, c: checkpoint(c, x, use_reentrant=False) if isinstance(c, nn.Sequential) "
         "else c(x)\n    return functools.reduce(run, model, x)")),
    ("n05-blocks", ("def in_blocks(model, x):\n    for name, child in model.named_children():\n"
         "        x = checkpoint(child.forward, x, use_reentrant=False) if type(child).__name__ == "
         "'Sequential' else child(x)\n    return x")),
    ("n05-fits", "fits = divmod(262_144 - 123_040, 1280)[0]"),
    ("n05-fits", "fits = next(n for n in range(300) if 123_040 + 1280 * (n + 1) > 2**18)"),
    ("n05-saved", SAVED.format(key="s.data_ptr()", val="t.untyped_storage().size()")),
    ("n05-saved", ("def saved_bytes(forward, model):\n    kept = []\n"
         "    with torch.autograd.graph.saved_tensors_hooks(lambda t: (kept.append(t.untyped_storage()), "
         "t)[1], lambda t: t):\n        forward()\n"
         "    own = [p.untyped_storage().data_ptr() for p in model.parameters()]\n"
         "    return sum({s.data_ptr(): len(s) for s in kept if s.data_ptr() not in own}.values())")),
    ("n06-convolve",
     CONVOLVE + ("    h, w = weight.shape[2:]\n    H, W = images.shape[2] - h + 1, images.shape[3] - w + 1\n"
         "    return sum(torch.einsum('nchw,oc->nohw', images[:, :, i:i+H, j:j+W], weight[:, :, i, j]) "
         "for i in range(h) for j in range(w))")),
    ("n06-convolve", CONVOLVE + ("    h, w = weight.shape[2:]\n    windows = images.unfold(2, h, 1).unfold(3, w, 1)\n"
         "    return torch.tensordot(windows, weight, dims=([1, 4, 5], [1, 2, 3])).movedim(-1, 1)")),
    ("n06-mix", MIX + "torch.tensordot(recipe, picture, dims=1)"),
    ("n06-mix", MIX + "(recipe[:, :, None, None] * picture).sum(1)"),
    ("n06-mix", MIX + "(picture.movedim(0, -1) @ recipe.t()).movedim(-1, 0)"),
    ("n06-pool", POOL + "torch.stack([maps[..., i::2, j::2] for i in (0, 1) for j in (0, 1)]).amax(0)"),
    ("n06-pool", POOL + "maps.unflatten(3, (-1, 2)).amax(-1).unflatten(2, (-1, 2)).amax(-2)"),
    ("n06-sizes", ("step = lambda c, n: (c, n - 4, n - 4)\nhalf = lambda s: (s[0], s[1] // 2, s[2] // 2)\n"
         "conv1 = step(6, 32); pool1 = half(conv1); conv2 = step(16, pool1[1]); pool2 = half(conv2)\n"
         "parameters2 = sum(p.numel() for p in torch.nn.Conv2d(6, 16, 5).parameters())")),
    ("n06-sizes", ("conv1, pool1, conv2, pool2, parameters2 = torch.Size([6, 28, 28]), torch.Size([6, 14, 14]), "
         "torch.Size([16, 10, 10]), torch.Size([16, 5, 5]), 2_416")),
    ("n06-tiles", "tiles = image.unflatten(1, (4, 2)).unflatten(0, (3, 2)).movedim(1, 2)"),
    ("n06-tiles", "tiles = image.reshape(3, 2, 4, 2).swapaxes(1, 2)"),
    ("n07-clip", CLIP + "    return torch.nn.utils.clip_grad_norm_(parameters, longest).item()"),
    ("n07-clip", CLIP + ("    import math\n"
         "    norm = math.hypot(*(x for p in parameters for x in p.grad.flatten().tolist()))\n"
         "    scale = min(1.0, longest / norm)\n    for p in parameters: p.grad *= scale\n    return norm")),
    ("n07-read", ("def read(batch, state, cell):\n    states = [state]\n    for i in range(batch.shape[1]):\n"
         "        states.append(cell(batch[:, i], states[-1]))\n"
         "    return torch.stack(states[1:]).transpose(0, 1), states[-1]")),
    ("n07-read", ("def read(batch, state, cell):\n    import itertools\n"
         "    states = list(itertools.accumulate(batch.unbind(1), lambda s, row: cell(row, s), "
         "initial=state))[1:]\n    return torch.cat([s.unsqueeze(1) for s in states], 1), states[-1]")),
    ("n07-table", TABLE + "    return torch.eye(rows)[codes].t() @ gradient"),
    ("n07-table", TABLE + ("    table = torch.zeros(rows, gradient.shape[1], requires_grad=True)\n"
         "    table[codes].backward(gradient)\n    return table.grad")),
    ("n07-table",
     TABLE + "    return torch.zeros(rows, gradient.shape[1]).index_put((codes,), gradient, accumulate=True)"),
    ("n07-table", TABLE + "    return torch.stack([gradient[codes == row].sum(0) for row in range(rows)])"),
    ("n07-truncate", TRAIN + ("state = read(piece, state)\n        loss = (state**2).sum()\n        loss.backward()\n"
         "        state = state.detach()\n        losses.append(loss.item())\n    return losses")),
    ("n07-truncate", TRAIN + ("state = read(piece, state.data)\n        (state @ state).backward()\n"
         "        losses.append(float(state.detach() @ state.detach()))\n    return losses")),
    ("n08-attention",
     ATTENTION + ("torch.einsum('...nm,...me->...ne', torch.softmax(torch.einsum('...nd,...md->...nm', q, k) * "
         "k.shape[-1] ** -0.5, -1), v)")),
    ("n08-attention", ("def attention(q, k, v):\n    s = (q / q.shape[-1] ** 0.25) @ (k / k.shape[-1] ** 0.25).mT\n"
         "    e = (s - s.amax(-1, keepdim=True)).exp()\n    return (e @ v) / e.sum(-1, keepdim=True)")),
    ("n08-causal", CAUSAL + "(scores + torch.full((n, n), float('-inf')).triu(1)).softmax(-1) @ v"),
    ("n08-causal", CAUSAL + ("torch.stack([scores[..., i, :i+1].softmax(-1).unsqueeze(-2).matmul(v[..., :i+1, "
         ":]).squeeze(-2) for i in range(n)], -2)")),
    ("n08-causal", ("def causal(q, k, v):\n    shares = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1).tril()\n"
         "    return shares / shares.sum(-1, keepdim=True) @ v")),
    ("n08-heads", HEADS.format("x.unflatten(-1, (heads, -1)).movedim(2, 1)", "torch.cat(y.unbind(1), -1)")),
    ("n08-heads", ("def split(x, heads): return x.as_strided((x.shape[0], heads, x.shape[1], x.shape[2] // heads), "
         "(x.stride(0), x.shape[2] // heads, x.stride(1), 1))\n"
         "def join(y): return torch.einsum('bhnd->bnhd', y).reshape(y.shape[0], y.shape[2], -1)")),
    ("n08-pieces", ("def in_pieces(q, k, v, length, attention):\n    made = q.new_empty(*q.shape[:-1], v.shape[-1])\n"
         "    for i in range(0, q.shape[-2], length):\n"
         "        made[..., i:i+length, :] = attention(q[..., i:i+length, :], k, v)\n    return made")),
    ("n08-pieces",
     PIECES + ("torch.cat([attention(q.narrow(-2, i, min(length, q.shape[-2] - i)), k, v) for i in range(0, "
         "q.shape[-2], length)], -2)")),
    ("n09-append", APPEND + "room.narrow(2, length, new.shape[2]).copy_(new)\n    return room.narrow(2, 0, filled)"),
    ("n09-append", APPEND + ("room.index_copy_(2, torch.arange(length, filled), new)\n"
         "    return room.split([filled, room.shape[2] - filled], 2)[0]")),
    ("n09-bytes", ("def cache_bytes(blocks, heads, width, positions, users, bytes_each):\n"
         "    return sum(torch.empty(users, heads, positions, width, dtype=torch.uint8).nbytes * "
         "bytes_each for _ in range(2 * blocks))\nusers = 2**18 >> 15")),
    ("n09-bytes", ("cache_bytes = lambda blocks, heads, width, positions, users, bytes_each: (heads * width) * "
         "positions * users * bytes_each * blocks * 2\nusers = int(262144 / cache_bytes(2, 4, 8, 64, 1, 4))")),
    ("n09-norm", NORM + "torch.addcmul(bias, c, weight * (c.square().mean(-1, keepdim=True) + 1e-5).rsqrt())"),
    ("n09-norm", ("def norm(x, weight, bias):\n    v, m = torch.var_mean(x, -1, correction=0, keepdim=True)\n"
         "    return (x - m) * torch.rsqrt(v + 1e-5) * weight + bias")),
    ("n09-tie", "embed.weight = scores.weight"),
    ("n09-tie", "embed.register_parameter('weight', scores.weight)"),
    ("n09-tie", "del scores.weight\nscores.weight = embed.weight"),
    ("n09-tie", ("embed = torch.nn.Embedding.from_pretrained(scores.weight, freeze=False); scores.weight = "
         "embed.weight")),
    ("n10-cast", CAST + "torch.addmm(bias.to(half), x.to(half), weight.to(half).t())"),
    ("n10-cast", CAST + "torch.einsum('ni,oi->no', x.to(half), weight.to(half)).add(bias.to(half))"),
    ("n10-cast", ("def half_linear(x, weight, bias, half):\n"
         "    x, weight, bias = (each.type(half) for each in (x, weight, bias))\n"
         "    return torch.baddbmm(bias, x[None], weight.t()[None])[0]")),
    ("n10-left", ("a, b, c, d = torch.tensor(4097.).half(), torch.tensor(257.).bfloat16(), 1 + "
         "torch.tensor(0.0004).half() * 0, torch.tensor(60000.).half() + 10000")),
    ("n10-left", "a, b, c, d = 2**12, 2**8, True + 0.0, 1e999"),
    ("n10-parallel", PARALLEL + ("    n = -(-len(batch) // len(devices))\n"
         "    made = [apply(p.to(d), weight.to(d)) for p, d in zip(batch.split(n), devices)]\n"
         "    return torch.cat([m.to(devices[0]) for m in made], dim=0)")),
    ("n10-parallel", PARALLEL + ("    copies = [weight.to(d) for d in devices]\n"
         "    parts = [p.to(d) for p, d in zip(torch.tensor_split(batch, len(devices)), devices)]\n"
         "    return torch.vstack([r.to(devices[0]) for r in map(apply, parts, copies)])")),
    ("n10-reduce", REDUCE + ("    first, *others = gradients\n    for g in others: first.add_(g.to(first.device))\n"
         "    first.div_(len(gradients))\n    for g in others: g.copy_(first)")),
    ("n10-reduce", REDUCE + ("    means = torch.stack([g.cpu() for g in gradients]).mean(0)\n"
         "    for g in gradients: g[:] = means.to(g.device)")),
    ("n10-step", STEP + ("    gs = [p.grad / scale for p in parameters]\n"
         "    if torch.cat([g.flatten() for g in gs]).isfinite().logical_not().any():\n"
         "        return scale / 2\n    for p, g in zip(parameters, gs):\n"
         "        p.detach().add_(g, alpha=-rate)\n    return scale")),
    ("n10-step", STEP + ("    import math\n"
         "    if not all(map(math.isfinite, (x for p in parameters for x in p.grad.tolist()))):\n"
         "        return 0.5 * scale\n    for p in parameters:\n        p.grad /= scale\n"
         "    torch.optim.SGD(parameters, lr=rate).step()\n    return scale")),
    ("n12-accuracy", ACCURACY + ("    with torch.inference_mode():\n"
         "        return sum(int((reader(batch(images, p)).argmax(-1) == labels[p]).sum()) for p in "
         "rows.split(64)) / len(rows)")),
    ("n12-accuracy", ACCURACY + ("    with torch.no_grad():\n"
         "        read = torch.cat([reader(batch(images, p)).argmax(1) for p in rows.split(50)])\n"
         "    return (read == labels[rows]).float().mean().item()")),
    ("n12-batch", BATCH + "images.index_select(0, rows).to(torch.float32).mul_(0.125).add_(-1)"),
    ("n12-batch", BATCH + "images[rows].div(8).sub_(1)"),
    ("n12-batch", ("def batch(images, rows):\n    made = torch.empty(len(rows), images.shape[1])\n"
         "    made.copy_(images[rows])\n    made /= 8\n    made -= 1\n    return made")),
    ("n12-floor", "adam, momentum, plain = ((2 + n) * 236_584 + 129_384 for n in (2, 1, 0))"),
    ("n12-floor", "plain = 236_584 * 2 + 129_384; momentum = plain + 236_584; adam = momentum + 236_584"),
    ("n12-step",
     ("\ndef step(reader, optimizer, images, labels, rows):\n    optimizer.zero_grad()\n    total = 0.0\n"
         "    for part in rows.split(16):\n"
         '        loss = F.cross_entropy(reader(batch(images, part)), labels[part], reduction="sum") / '
         "len(rows)\n        loss.backward()\n        total += loss.item()\n    optimizer.step()\n"
         "    return total\n")),
    ("n12-step", ("\ndef step(reader, optimizer, images, labels, rows):\n    for p in reader.parameters():\n"
         "        p.grad = None\n    total = 0.0\n    for part in rows.split(20):\n"
         '        loss = F.cross_entropy(reader(batch(images, part)), labels[part], reduction="sum") / '
         "len(rows)\n        loss.backward()\n        total += loss.item()\n    optimizer.step()\n"
         "    return total\n")),
    ("n13-towards", TOWARDS + ("    for a, b in zip(average.parameters(), model.parameters()):\n"
         "        a.data.mul_(keep).add_(b.data, alpha=1 - keep)\n"
         "    for (name, a), b in zip(average.named_buffers(), model.buffers()):\n        a[...] = b")),
    ("n13-towards",
     TOWARDS + ("    with torch.no_grad():\n        names = {n for n, _ in average.named_parameters()}\n"
         "        other = model.state_dict()\n        for n, t in average.state_dict().items():\n"
         "            t.lerp_(other[n], 1 - keep) if n in names else t.copy_(other[n])")),
]
# fmt: on

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_right_answer_is_right = right_answers(ALSO_RIGHT)
