"""What people answer wrongly in notebook 09 on networks, and what the checks tell them."""

from exercise_answers import right_answers, wrong_answers

NORM = """
def norm(x, weight, bias):
    centered = x - x.mean(-1, keepdim=True)
    variance = (centered**2).mean(-1, keepdim=True)
    return centered / (variance + 1e-5).sqrt() * weight + bias
"""
APPEND = """
def append(room, length, new):
    filled = length + new.shape[2]
    room[:, :, length:filled] = new
    return room[:, :, :filled]
"""
CACHE = """
def cache_bytes(blocks, heads, width, positions, users, bytes_each):
    return 2 * blocks * heads * width * positions * users * bytes_each

users = 8
"""

WRONG = [
    ("n09-norm", NORM.replace("(centered**2).mean(-1, keepdim=True)", "x.var(-1, keepdim=True)"), "divided by d − 1"),
    ("n09-norm", NORM.replace(".sqrt()", ""), "its root is missing"),
    ("n09-norm", NORM.replace("centered / (", "x / ("), "was not subtracted"),
    ("n09-norm", NORM.replace(" / (variance + 1e-5).sqrt()", ""), "the spread stays"),
    ("n09-norm", NORM.replace(" * weight + bias", ""), "are not applied"),
    ("n09-norm", NORM.replace("mean(-1, keepdim=True)", "mean()"), "together"),
    ("n09-norm", NORM.replace("(variance + 1e-5).sqrt()", "(variance.sqrt() + 1e-5)"), "under the root"),
    ("n09-norm", NORM.replace("centered = x -", "centered = x; centered -="), "itself was changed"),
    ("n09-norm", NORM.replace("x.mean(-1, keepdim=True)", "x.mean(-1)"), "raised RuntimeError"),
    ("n09-tie", "pass", "weights of their own"),
    ("n09-tie", "with torch.no_grad(): scores.weight.copy_(embed.weight)", "there are two storages"),
    ("n09-tie", "scores.weight.data = embed.weight.data", "two parameters"),
    ("n09-tie", "scores.weight = torch.nn.Parameter(embed.weight)", "two parameters"),
    ("n09-tie", "scores.weight = embed.weight\nembed.weight.requires_grad_(False)", "no longer asks"),
    ("n09-tie", "scores = embed.weight", "not a module"),
    (
        "n09-append",
        "def append(room, length, new): return torch.cat([room[:, :, :length], new], dim=2)",
        "did not get into",
    ),
    ("n09-append", APPEND.replace("return room[:, :, :filled]", "return room"), "all of `room`"),
    (
        "n09-append",
        APPEND.replace("return room[:, :, :filled]", "return room[:, :, length:filled]"),
        "only what is new",
    ),
    ("n09-append", APPEND.replace("return room[:, :, :filled]", "return room[:, :, :filled].clone()"), "is a copy"),
    (
        "n09-append",
        APPEND.replace("room[:, :, length:filled] = new", "room[:, :, : new.shape[2]] = new"),
        "somewhere else",
    ),
    (
        "n09-append",
        APPEND.replace("room[:, :, length:filled] = new", "room[:, :, length:filled] = new; room[:, :, filled:] = 0"),
        "positions after",
    ),
    ("n09-append", APPEND.replace("    return room[:, :, :filled]", ""), "returned nothing"),
    (
        "n09-append",
        APPEND.replace("room[:, :, length:filled] = new", "room[:, length:filled] = new"),
        "raised RuntimeError",
    ),
    ("n09-bytes", CACHE.replace("2 * blocks", "blocks"), "the keys alone"),
    ("n09-bytes", CACHE.replace(" * bytes_each", ""), "counts numbers"),
    ("n09-bytes", CACHE.replace("blocks * heads", "heads"), "one block's"),
    ("n09-bytes", CACHE.replace("heads * width", "width"), "one head's"),
    ("n09-bytes", CACHE.replace("positions * users", "positions * positions * users"), "the square"),
    ("n09-bytes", CACHE.replace("users = 8", "users = 16"), "once of a value"),
    ("n09-bytes", CACHE.replace("users = 8", "users = 4"), "with the weights in memory, too"),
    ("n09-bytes", CACHE.replace("users = 8", "users = 7.5"), "is 7.5"),
]

ALSO_RIGHT = [
    ("n09-norm", "def norm(x, weight, bias): return torch.nn.functional.layer_norm(x, x.shape[-1:], weight, bias)"),
    ("n09-norm", "def norm(x, weight, bias):\n"
     "    variance, mean = torch.var_mean(x, -1, correction=0, keepdim=True)\n"
     "    return torch.addcmul(bias, (x - mean) * (variance + 1e-5).rsqrt(), weight)"),
    ("n09-tie", "embed.weight = scores.weight"),
    ("n09-tie", "del scores.weight; scores.register_parameter('weight', embed.weight)"),
    ("n09-append", "def append(room, length, new):\n"
     "    room.narrow(2, length, new.shape[2]).copy_(new)\n"
     "    return room.narrow(2, 0, length + new.shape[2])"),
    ("n09-append", "def append(room, length, new):\n"
     "    for at in range(new.shape[2]):\n"
     "        room[:, :, length + at] = new[:, :, at]\n"
     "    return room[:, :, : length + new.shape[2], :]"),
    ("n09-bytes", "import math\n"
     "def cache_bytes(*sizes): return 2 * math.prod(sizes)\n"
     "users = (256 * 1024) // cache_bytes(2, 4, 8, 64, 1, 4)"),
    ("n09-bytes", "def cache_bytes(blocks, heads, width, positions, users, bytes_each):\n"
     "    key = torch.empty(users, heads, positions, width)\n"
     "    return 2 * blocks * key.numel() * bytes_each\n"
     "users = 2**18 // 2**15"),
]  # fmt: skip

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_right_answer_is_right = right_answers(ALSO_RIGHT)
