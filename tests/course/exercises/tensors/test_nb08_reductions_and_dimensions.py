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
    ("t06-channels", "brightness = batch.mean(1)", "mean *over* the channels"),
    ("t06-channels", "brightness = batch.mean((2, 3))", "The images should go, too"),
    ("t06-channels", "brightness = batch.mean()", "all dimensions are gone"),
    ("t06-channels", "brightness = batch.sum((0, 2, 3))", "holds the sums"),
    ("t06-channels", "brightness = batch.mean((0, 2, 3), keepdim=True)", "has shape (1, 3, 1, 1)"),
    ("t06-channels", "brightness = batch.sum((0, 2, 3))", "`brightness` holds"),
    ("t06-shares", "def shares(x): return x / x.sum()", "add up to 1 in the whole tensor"),
    ("t06-shares", "def shares(x): return x / x.sum(0)", "along dimension 0"),
    ("t06-shares", "def shares(x): return x / x.sum(-1)", "must match the size of tensor b"),
    (
        "t06-shares",
        "def shares(x): return x / (x.sum(-1) if x.shape[0] == x.shape[-1] else x.sum(-1, keepdim=True))",
        "silently wrong",
    ),
    ("t06-shares", "def shares(x): return x / x.sum(1, keepdim=True)", "Dimension out of range"),
    ("t06-shares", "def shares(x): return x.div_(x.sum(-1, keepdim=True))", "changed the tensor"),
    ("t06-margin", MARGIN + "two[:, 1] - two[:, 0]", "it is the second best minus the best"),
    ("t06-margin", MARGIN + "votes.amax(1) - votes.amin(1)", "from the best to the worst"),
    ("t06-margin", MARGIN + "two", "`margin` has shape (3, 2)"),
    ("t06-margin", "winner = votes.argmax()\nmargin = votes", "counted through all rows"),
    ("t06-margin", "winner = votes.max(1)\nmargin = votes", "the whole tuple"),
    ("t06-margin", "winner = votes.max(1).values\nmargin = votes", "The indices are in `.indices`"),
    ("t06-measured", MEASURED + "log.mean(0)", "made the whole mean unknown"),
    ("t06-measured", MEASURED + "log.nansum(0) / 3", "divides by all the days"),
    ("t06-measured", MEASURED + "log.nanmean(1)", "a number for each day"),
    ("t06-measured", MEASURED + "log.nanmean()", "has shape ()"),
    ("t06-measured", MISSING + "(log == log).sum(0)", "on which there was a measurement"),
    ("t06-measured", MISSING + "log.isnan().sum(1)", "one for each sensor"),
    ("t06-measured", MISSING + "(log == float('nan')).sum(0)", "A nan equals nothing"),
    ("t06-so-far", "so_far = days.cumsum(0)", "is the running sum"),
    ("t06-so-far", "so_far = days.cumsum(0) / len(days)", "by all the days"),
    ("t06-so-far", "so_far = days.cumsum(0) / torch.arange(len(days))", "the count begins with 1"),
    ("t06-so-far", "so_far = days.mean()", "has shape ()"),
    ("t06-softmax", NAIVE, "an exponential overflowed"),
    ("t06-softmax", LARGEST_OF_ALL, "Subtract the largest of each row first"),
    ("t06-softmax", NO_PLACE, "must match the size of tensor b"),
    ("t06-softmax", "def stable_softmax(x): return x.softmax(0)", "along dimension 0"),
    ("t06-softmax", "def stable_softmax(x): return x - x.logsumexp(-1, keepdim=True)", "`stable_softmax(x)` holds"),
    (
        "t06-softmax",
        "def stable_softmax(x): return (x - x.logsumexp(-1, keepdim=True)).exp()",
        "right to four digits only",
    ),
]

RIGHT = [
    ("t06-channels", "brightness = batch.mean(0).mean(-1).mean(-1)"),
    ("t06-shares", "def shares(x): return x / x.sum(-1)[..., None]"),
    ("t06-margin", MARGIN + "two[:, 0] - two[:, 1]"),
    ("t06-measured", MEASURED + "log.nansum(0) / (~log.isnan()).sum(0)"),
    ("t06-so-far", "so_far = torch.stack([days[:n].mean() for n in range(1, 8)])"),
    (
        "t06-softmax",
        "def stable_softmax(x): return (e := (x - x.max(-1, keepdim=True).values).exp()) / e.sum(-1)[..., None]",
    ),
]

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_way_passes_as_well = right_answers(RIGHT)
