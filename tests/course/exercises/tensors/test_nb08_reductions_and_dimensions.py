"""What people answer in notebook 08 of part 2, on reductions, and what the checks tell them."""

from exercise_answers import right_answers, wrong_answers

MEASURED = "missing = log.isnan().sum(0)\naverages = "
MISSING = "averages = log.nanmean(0)\nmissing = "
MARGIN = "winner = votes.argmax(1)\ntwo = votes.topk(2).values\nmargin = "
NAIVE = "def stable_softmax(x): return x.exp() / x.exp().sum(-1, keepdim=True)"
LARGEST_OF_ALL = """
def stable_softmax(x):
    powers = (x - x.max()).exp()
    return powers / powers.sum(-1, keepdim=True)
"""
NO_PLACE = """
def stable_softmax(x):
    powers = (x - x.amax(-1, keepdim=True)).exp()
    return powers / powers.sum(-1)
"""

WRONG = [
    ("t08-channels", "brightness = batch.mean(1)", "mean *over* the channels"),
    ("t08-channels", "brightness = batch.mean((2, 3))", "The images should go, too"),
    ("t08-channels", "brightness = batch.mean()", "all dimensions are gone"),
    ("t08-channels", "brightness = batch.sum((0, 2, 3))", "holds the sums"),
    ("t08-channels", "brightness = batch.mean((0, 2, 3), keepdim=True)", "has shape (1, 3, 1, 1)"),
    ("t08-channels", "brightness = batch.sum((0, 2, 3))", "`brightness` holds"),
    ("t08-shares", "def shares(x): return x / x.sum()", "add up to 1 in the whole tensor"),
    ("t08-shares", "def shares(x): return x / x.sum(0)", "along dimension 0"),
    ("t08-shares", "def shares(x): return x / x.sum(-1)", "must match the size of tensor b"),
    (
        "t08-shares",
        "def shares(x): return x / (x.sum(-1) if x.shape[0] == x.shape[-1] else x.sum(-1, keepdim=True))",
        "silently wrong",
    ),
    ("t08-shares", "def shares(x): return x / x.sum(1, keepdim=True)", "Dimension out of range"),
    ("t08-shares", "def shares(x): return x.div_(x.sum(-1, keepdim=True))", "changed the tensor"),
    ("t08-margin", MARGIN + "two[:, 1] - two[:, 0]", "it is the second best minus the best"),
    ("t08-margin", MARGIN + "votes.amax(1) - votes.amin(1)", "from the best to the worst"),
    ("t08-margin", MARGIN + "two", "`margin` has shape (3, 2)"),
    ("t08-margin", "winner = votes.argmax()\nmargin = votes", "counted through all rows"),
    ("t08-margin", "winner = votes.max(1)\nmargin = votes", "the whole tuple"),
    ("t08-margin", "winner = votes.max(1).values\nmargin = votes", "The indices are in `.indices`"),
    ("t08-measured", MEASURED + "log.mean(0)", "made the whole mean unknown"),
    ("t08-measured", MEASURED + "log.nansum(0) / 3", "divides by all the days"),
    ("t08-measured", MEASURED + "log.nanmean(1)", "a number for each day"),
    ("t08-measured", MEASURED + "log.nanmean()", "has shape ()"),
    ("t08-measured", MISSING + "(log == log).sum(0)", "on which there was a measurement"),
    ("t08-measured", MISSING + "log.isnan().sum(1)", "one for each sensor"),
    ("t08-measured", MISSING + "(log == float('nan')).sum(0)", "A nan equals nothing"),
    ("t08-so-far", "so_far = days.cumsum(0)", "is the running sum"),
    ("t08-so-far", "so_far = days.cumsum(0) / len(days)", "by all the days"),
    ("t08-so-far", "so_far = days.cumsum(0) / torch.arange(len(days))", "the count begins with 1"),
    ("t08-so-far", "so_far = days.mean()", "has shape ()"),
    ("t08-softmax", NAIVE, "an exponential overflowed"),
    ("t08-softmax", LARGEST_OF_ALL, "Subtract the largest of each row first"),
    ("t08-softmax", NO_PLACE, "must match the size of tensor b"),
    ("t08-softmax", "def stable_softmax(x): return x.softmax(0)", "along dimension 0"),
    ("t08-softmax", "def stable_softmax(x): return x - x.logsumexp(-1, keepdim=True)", "`stable_softmax(x)` holds"),
    (
        "t08-softmax",
        "def stable_softmax(x): return (x - x.logsumexp(-1, keepdim=True)).exp()",
        "right to four digits only",
    ),
]

RIGHT = [
    ("t08-channels", "brightness = batch.mean(0).mean(-1).mean(-1)"),
    ("t08-shares", "def shares(x): return x / x.sum(-1)[..., None]"),
    ("t08-margin", MARGIN + "two[:, 0] - two[:, 1]"),
    ("t08-measured", MEASURED + "log.nansum(0) / (~log.isnan()).sum(0)"),
    ("t08-so-far", "so_far = torch.stack([days[:n].mean() for n in range(1, 8)])"),
    (
        "t08-softmax",
        "def stable_softmax(x): return (e := (x - x.max(-1, keepdim=True).values).exp()) / e.sum(-1)[..., None]",
    ),
]

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_way_passes_as_well = right_answers(RIGHT)
