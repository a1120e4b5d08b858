"""What people answer in notebook 07 of part 2, on broadcasting, and what the checks tell them."""

from exercise_answers import right_answers, wrong_answers

SIZES = "first, second, third, fourth, fifth = "
COSTS = "held, stretched, result = "
STRIDE = "size = (2, 3, 4, 5)\nstride = "
SUMMED = "def loss(predictions, targets): return ((predictions[:, 0] - targets) ** 2).sum()"
BY_ELEMENT = "def loss(predictions, targets): return (predictions[:, 0] - targets) ** 2"
ABSOLUTE = "def loss(predictions, targets): return (predictions[:, 0] - targets).abs().mean()"

WRONG = [
    ("t07-sizes", SIZES + "(3, 4), (6, 2), (2, 2, 6), 'error', (8, 7, 6, 5)", "(6,) is taken for (1, 6), a row"),
    ("t07-sizes", SIZES + "(3, 4), (2, 6), (2, 2, 6), 'error', (7, 1, 5)", "8 and a 1 that is put in front"),
    ("t07-sizes", SIZES + "'error', (2, 6), (2, 2, 6), 'error', (8, 7, 6, 5)", "1 goes with any length"),
    ("t07-sizes", SIZES + "(3, 4), 'error', (2, 2, 6), 'error', (8, 7, 6, 5)", "put in front of the shorter"),
    ("t07-sizes", SIZES + "(3, 4), (2, 6), (2, 6), 'error', (8, 7, 6, 5)", "its first 2 stands in front"),
    ("t07-sizes", SIZES + "(3, 4), (2, 6), (2, 2, 6), (4, 2, 3), (8, 7, 6, 5)", "never in between"),
    ("t07-sizes", SIZES + "(3, 4), (2, 6), (2, 2, 6), 'error', (8, 1, 6, 5)", "`fifth[1]` is too small"),
    ("t07-sizes", SIZES + "(3, 4), (6, 6), (2, 2, 6), 'error', (8, 7, 6, 5)", "Only a 1 gives way"),
    ("t07-sizes", SIZES + "(3, 4), (2, 6), (2, 1, 6), 'error', (8, 7, 6, 5)", "In the middle column"),
    ("t07-sizes", SIZES + "12, (2, 6), (2, 2, 6), 'error', (8, 1, 6, 5)", "is one number"),
    ("t07-loss", "def loss(p, t): return (p[:, 0] - t).square().mean().item()", "nothing can be learned"),
    ("t07-bytes", COSTS + "12_000, 0, 0", "counts elements"),
    ("t07-bytes", COSTS + "96_000, 32_000_000, 32_000_000", "4 bytes, not 8"),
    ("t07-bytes", COSTS + "48_000, 2_000_000, 16_000_000", "a factor is missing"),
    ("t07-bytes", COSTS + "48_000, 7, 16_000_000", "`stretched` is 7: too small"),
    ("t07-bytes", COSTS + "32_000_000, 0, 0", "Nothing is stretched in memory"),
    ("t07-bytes", COSTS + "48_000, 32_000, 0", "what it holds"),
    ("t07-bytes", COSTS + "48_000, 16_000_000, 0", "the result is new"),
    ("t07-bytes", COSTS + "48_000, 16_000_000, 32_000_000", "One result"),
    ("t07-stride", "size = (2, 3, 4, 1)\nstride = 0", "stretched to the 5"),
    ("t07-stride", STRIDE + "(60, 20, 5, 1)", "copies written out"),
    ("t07-stride", STRIDE + "(0, 5, 5, 1)", "stay where they are"),
    ("t07-stride", STRIDE + "(0, 20, 0, 4)", "Those are bytes"),
    ("t07-stride", STRIDE + "(0, 5, 1, 1)", "`stride[2]` is too large"),
    ("t07-stride", "size = (2, 3, 1, 5)\nstride = (0, 5, 0, 1)", "meets a 4, and gives way"),
    ("t07-stride", STRIDE + "(5, 0, 1)", "one number too few"),
    ("t07-loss", "def loss(predictions, targets): return ((predictions - targets) ** 2).mean()", "meets each target"),
    ("t07-loss", SUMMED, "is the sum of the squares"),
    ("t07-loss", BY_ELEMENT, "the mean is missing"),
    ("t07-loss", ABSOLUTE, "for predictions that are twice"),
    ("t07-loss", "loss = 0", "it should be a function"),
    ("t07-loss", "def loss(p, t): return (p[:, 0].sort()[0] - t.sort()[0]).square().mean()", "at its own place"),
    ("t07-channels", "centered = photo - mean.mean()", "each channel has its own"),
    ("t07-channels", "centered = photo[0] - mean[:, None, None] * 2", "`centered[0, 0, 0]` is -7.0; it should be -3.5"),
    ("t07-channels", "centered = photo + mean[:, None, None]", "the means were added"),
    ("t07-channels", "centered = photo - photo.mean(0)", "a mean over the channels was subtracted"),
    ("t07-gaps", "gaps = (places[:, None] - places) ** 2", "the squares of the distances"),
    ("t07-gaps", "gaps = (places[:, None] - places).clamp(min=0)", "the same in both directions"),
    ("t07-gaps", "gaps = (places[1:] - places[:-1]).abs()", "met the next one only"),
    ("t07-gaps", "gaps = (places - places).abs()", "met place `i` only"),
    ("t07-gaps", "gaps = (places[:, None] - places[:, None]).abs()", "both were columns"),
    ("t07-gaps", "gaps = places[:, None] - places", "is a direction"),
    ("t07-gaps", "gaps = places[:, None] + places", "a distance is a difference"),
]

RIGHT = [
    ("t07-sizes", SIZES + "(3, 4), (2, 6), (2, 2, 6), 'RuntimeError', (8, 7, 6, 5)"),
    ("t07-sizes", SIZES + "[3, 4], (2, 6), torch.Size([2, 2, 6]), 'error', (8, 7, 6, 5)"),
    ("t07-stride", "size, stride = x.expand(2, 3, 4, 5).shape, x.expand(2, 3, 4, 5).stride()"),
    ("t07-loss", "def loss(p, t): return (p - t[:, None]).square().mean()"),
    ("t07-loss", "def loss(p, t): return ((p.squeeze(1) - t) ** 2).mean()"),
    ("t07-channels", "centered = photo - mean.view(3, 1, 1)"),
    ("t07-gaps", "gaps = (places - places.unsqueeze(1)).abs()"),
]

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_way_passes_as_well = right_answers(RIGHT)
