"""What people answer, wrongly and rightly, in the capstone of part 1."""

from exercise_answers import right_answers, wrong_answers

SMALL = "small = frame[::4, ::4]; red = small[..., 0]"
VIEW = "view(f.shape[0] // s, s, f.shape[1] // s, s, 3)"
UNFOLD = "unfold(0, s, s).unfold(1, s, s)"
TILES = "tiles(f, 32).permute(0, 1, 4, 2, 3)"

test_wrong_answers = wrong_answers(
    [
        ("12-views", f"planes = frame.reshape(3, 384, 512); {SMALL}", "scrambled"),
        ("12-views", f"planes = frame.permute(2, 1, 0); {SMALL}", "shape (3, 512, 384)"),
        ("12-views", f"planes = frame.permute(2, 0, 1).contiguous(); {SMALL}", "`planes` is a copy"),
        (
            "12-views",
            "planes = frame.permute(2, 0, 1); small = frame[range(0, 384, 4), ::4]; red = small[..., 0]",
            "`small` and `red`",
        ),
        (
            "12-views",
            "planes = frame.permute(2, 0, 1); small = frame[::4, ::4]; red = small[..., 2]",
            "`red` holds other pixels",
        ),
        (
            "12-views",
            "planes = frame.permute(2, 0, 1); small = frame[::4, ::4]; red = small[..., :1]",
            "shape (96, 128, 1)",
        ),
        (
            "12-tiles",
            "tiles = lambda f, s: f.reshape(f.shape[0] // s, f.shape[1] // s, s, s, 3)",
            "a piece of one row",
        ),
        ("12-tiles", f"tiles = lambda f, s: f.{VIEW}", "has shape (12, 32, 16, 32, 3)"),
        ("12-tiles", f"tiles = lambda f, s: f.{VIEW}.transpose(1, 2).contiguous()", "is a copy"),
        ("12-tiles", f"tiles = lambda f, s: f.{UNFOLD}.permute(0, 1, 4, 3, 2)", "its rows are columns"),
        ("12-tiles", f"tiles = lambda f, s: f.{UNFOLD}", "has shape"),
        (
            "12-pixelate",
            "def pixelate(f, s):\n"
            "    cut = tiles(f, s).reshape(-1, s, s, 3)\n"
            "    cut[:] = cut.float().mean((1, 2), keepdim=True)",
            "into a copy",
        ),
        ("12-pixelate", "def pixelate(f, s):\n    cut = tiles(f, s)\n    cut = cut.float().mean((2, 3))", "a name"),
        (
            "12-pixelate",
            "def pixelate(f, s):\n    cut = tiles(f, s)\n    cut[:] = cut.float().mean((2, 3, 4), keepdim=True)",
            "all three channels",
        ),
        (
            "12-pixelate",
            "def pixelate(f, s):\n    cut = tiles(f, s)\n    cut[:] = cut.float().mean((2, 3), keepdim=True).round()",
            "cut off",
        ),
        (
            "12-pixelate",
            "def pixelate(f, s):\n    cut = tiles(f, s)\n    cut[:] = cut.mean((2, 3), keepdim=True)",
            "raised RuntimeError",
        ),
        ("12-brighter", "brighter = lambda f, by: f + by", "wraps around"),
        ("12-brighter", "brighter = lambda f, by: (f + by).clamp(max=255)", "too late"),
        ("12-brighter", "brighter = lambda f, by: f.clamp_(max=255 - by).add_(by)", "the photograph has changed"),
        ("12-brighter", "brighter = lambda f, by: (f.float() + by).clamp(max=255)", "dtype torch.float32"),
        ("12-batch", "prepare = lambda f: tiles(f, 32).reshape(192, 32, 32, 3).float() / 255", "has shape"),
        ("12-batch", "prepare = lambda f: (tiles(f, 32).float() / 255).reshape(192, 3, 32, 32)", "scrambled"),
        ("12-batch", f"prepare = lambda f: ({TILES}.float() / 255).reshape(192, 3, 32, 32)", "the budget is"),
        (
            "12-batch",
            "prepare = lambda f: (tiles(f, 32).reshape(192, 32, 32, 3).float().div_(255)).permute(0, 3, 1, 2)",
            "not contiguous",
        ),
        ("12-batch", f"prepare = lambda f: {TILES}.float().reshape(192, 3, 32, 32)", "are not those"),
    ]
)

test_right_answers = right_answers(
    [
        (
            "12-views",
            "planes = frame.movedim(-1, 0); small = photo[40:424:4, 64:576:4, :]; red = photo[40:424:4, 64:576:4, 0]",
        ),
        (
            "12-views",
            "planes = torch.einsum('hwc->chw', frame); "
            "small = frame.as_strided((96, 128, 3), (7680, 12, 1)); red = small.select(2, 0)",
        ),
        ("12-tiles", f"tiles = lambda f, s: f.{UNFOLD}.permute(0, 1, 3, 4, 2)"),
        ("12-tiles", "tiles = lambda f, s: f.unflatten(1, (-1, s)).unflatten(0, (-1, s)).movedim(1, 2)"),
        (
            "12-tiles",
            "def tiles(f, s):\n"
            "    r, c, n = f.stride()\n"
            "    size = (f.shape[0] // s, f.shape[1] // s, s, s, 3)\n"
            "    return f.as_strided(size, (r * s, c * s, r, c, n))",
        ),
        (
            "12-pixelate",
            "def pixelate(f, s):\n"
            "    for row in tiles(f, s):\n"
            "        for cut in row:\n"
            "            cut.copy_(cut.float().mean((0, 1)))\n"
            "    return f",
        ),
        (
            "12-pixelate",
            "def pixelate(f, s):\n    cut = tiles(f, s)\n    cut.copy_(cut.sum((2, 3), keepdim=True) // (s * s))",
        ),
        ("12-brighter", "brighter = lambda f, by: (f.int() + by).clamp(max=255).to(torch.uint8)"),
        ("12-brighter", "brighter = lambda f, by: torch.where(f > 255 - by, 255, f + by).to(torch.uint8)"),
        (
            "12-batch",
            "def prepare(f):\n"
            "    x = torch.empty(192, 3, 32, 32)\n"
            "    x.view(12, 16, 3, 32, 32).copy_(tiles(f, 32).permute(0, 1, 4, 2, 3))\n"
            "    x /= 255\n"
            "    return x",
        ),
        (
            "12-batch",
            "def prepare(f):\n"
            "    x = torch.empty(12, 16, 3, 32, 32)\n"
            "    torch.div(tiles(f, 32).permute(0, 1, 4, 2, 3), 255, out=x)\n"
            "    return x.flatten(0, 1)",
        ),
    ]
)
