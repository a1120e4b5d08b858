"""What people answer wrongly in notebooks 07 to 10, and what the checks tell them."""

import pytest
from exercise_answers import right_answers, verdict_on, wrong_answers

WHICH = "first_rows, first_columns, column_pairs, every_second_row, folded_column = "
CHOOSE = "undo, buffer, plot, network = "

ROWS_BY_HAND = """
def rows(frames):
    return frames.view(len(frames), frames.shape[1] * frames.shape[2])
"""

CONTIGUOUS_FIRST = """
def flat_and_price(tensor):
    flat = tensor.contiguous().clone().view(-1)
    return flat, flat.nbytes
"""
FREE_IF_CONTIGUOUS = """
def flat_and_price(tensor):
    flat = tensor.reshape(-1)
    return flat, 0 if tensor.is_contiguous() else flat.nbytes
"""
ALWAYS_FREE = "def flat_and_price(tensor): return tensor.reshape(-1), 0"
IN_ELEMENTS = "def flat_and_price(tensor): return tensor.reshape(-1), tensor.numel()"

IN_PLACE_ON_THE_FRAMES = """
def lean(frames):
    frames[:, 16:48, 16:48].zero_()
    return prepare(frames)
"""
CROPPED_FIRST_ONLY = """
def lean(frames):
    x = frames[:, 16:48, 16:48].to(torch.float32)
    x.div_(255).sub_(0.5)
    return x.permute(0, 3, 1, 2).reshape(16, -1)
"""
UNSCALED = "def lean(frames): return torch.zeros(16, 3072)"

HISTORY = """
history = []
for step in range(3):
    {}
"""
HISTORY_OF_ONE_TENSOR = """
history = []
for step in range(3):
    weight += 1
    history.append(weight.detach())
"""

WRONG = [
    ("07-rows", "def rows(frames): return frames.view(-1)", "one row for all frames"),
    ("07-rows", "def rows(frames): return frames.view(-1, 2)", "has shape (12, 2)"),
    ("07-rows", "def rows(frames): return frames.view(2, -1).clone()", "is a copy"),
    ("07-rows", "def rows(frames): return frames.view(2, 12)", "raised"),
    ("07-rows", "def rows(frames): return frames.view(2, -1)", "it should be (6, 12)"),
    ("07-rows", "rows = frames.view(2, 12)", "it should be a function"),
    ("07-pixels-last", "pixels = batch.view(2, 4, 5, 3)", "mixed from its neighbors"),
    ("07-pixels-last", "pixels = batch.permute(0, 2, 3, 1).contiguous()", "is a copy"),
    ("07-pixels-last", "pixels = batch.transpose(1, 3)", "has shape (2, 5, 4, 3)"),
    ("07-which-work", WHICH + "False, False, True, False, True", "They merge"),
    ("07-which-work", WHICH + "True, True, True, False, True", "6 != 1 * 4"),
    ("07-which-work", WHICH + "True, False, False, False, True", "splitting is always possible"),
    ("07-which-work", WHICH + "True, False, True, True, True", "12 != 1 * 6"),
    ("07-which-work", WHICH + "1, 0, 1, 0, 1", "it should be True or False"),
    ("07-crop", "joined = crop.contiguous().view(2, 8)", "its strides are compatible"),
    ("07-crop", "joined = crop.reshape(4, 4)", "has shape (4, 4)"),
    ("07-price", CONTIGUOUS_FIRST, "copies only where it must"),
    ("07-price", FREE_IF_CONTIGUOUS, "For every other element, a[::2], there is a view"),
    ("07-price", ALWAYS_FREE, "the elements were copied"),
    ("07-price", IN_ELEMENTS, "the price is in bytes"),
    ("07-price", "def flat_and_price(tensor): return tensor.reshape(-1)", "return two things"),
    ("07-price", "def flat_and_price(tensor): return tensor.view(-1), 0", "raised RuntimeError"),
    ("08-centered", "def centered(x): x -= x.mean(); return x", "changed the caller's tensor"),
    ("08-centered", "def centered(x): return x.clone()", "`centered(x)` holds"),
    ("08-faulty", "readings[faulty][:, 0] = 0", "write into the copy that the index makes"),
    ("08-faulty", "readings[faulty, 0].zero_()", "`readings` has not changed"),
    ("08-faulty", "readings[faulty] = 0", "whole rows"),
    ("08-faulty", "readings[:, 0] = 0", "it is not faulty"),
    ("08-faulty", "readings = readings.clone(); readings[faulty, 0] = 0", "in a new tensor"),
    ("08-first-column", "first = scores[:, 0]", "The first round of the loop writes zeros"),
    ("08-first-column", "first = scores[:, :1].clone()", "index with 0"),
    ("08-first-column", "first = scores[0].clone()", "has shape (3,)"),
    ("08-history", HISTORY_OF_ONE_TENSOR, "the weight as it is now"),
    ("08-history", "history = [torch.ones(2), torch.ones(2) * 2, torch.ones(2) * 3]", "`weight` holds"),
    ("08-history", "history = weight", "a list of three tensors"),
    ("08-history", "history = [weight]", "has length 1"),
    ("08-choose", CHOOSE + "'detach', 'copy_', 'detach', 'deepcopy'", "A second header looks at the same storage"),
    ("08-history", "history = [weight * 0] * 3", "`weight` was not written to"),
    ("08-history", HISTORY.format("history.append(weight.clone()); weight += 1"), "as it was before its step"),
    ("08-history", HISTORY.format("w = weight.clone(); w += 1; history.append(w)"), "`weight` was not written to"),
    ("08-history", HISTORY.format("weight += step; history.append(weight.clone())"), "it should hold [1.0, 1.0]"),
    ("08-history", HISTORY.format("weight += 1; history.append(weight.clone() - 1)"), "as it was before its step"),
    ("08-history", HISTORY.format("weight = weight.clone(); weight += 1; history.append(weight)"), "in each round"),
    ("08-history", HISTORY.format("weight.data += 1; history.append(weight.clone())"), "went through `.data`"),
    ("08-faulty", "readings[faulty, 1] = 0", "Columns are counted from 0"),
    ("08-faulty", "readings[0, faulty] = 0", "it should hold"),
    ("08-faulty", "readings[1] = 0", "it should hold"),
    ("08-faulty", "readings[faulty, 0] = 0; readings = readings.clone()", "whose storage is not that of `screen`"),
    ("08-first-column", "first = scores[:, 1]", "`first` holds [2.0, 6.0]"),
    ("08-first-column", "first = torch.zeros(3)", "has shape (3,), as a row has"),
    ("08-first-column", "first = scores[:, 0].to(torch.complex64)", "complex numbers do not fit"),
    ("08-choose", CHOOSE + "'clone', 'copy_', 'detach', 'detach'", "detach copies nothing"),
    ("08-choose", CHOOSE + "'clone', 'copy_', 'detach', 'copy_'", "are there already"),
    ("08-choose", CHOOSE + "'copy_', 'copy_', 'detach', 'deepcopy'", "and here none is"),
    ("08-choose", CHOOSE + "'clone', 'detach', 'detach', 'deepcopy'", "stays as it was"),
    ("08-choose", CHOOSE + "'clone', 'deepcopy', 'detach', 'deepcopy'", "It makes another tensor"),
    ("08-choose", CHOOSE + "'clone', 'copy_', 'copy_', 'deepcopy'", "needs a second tensor"),
    ("08-choose", CHOOSE + "'clone', 'clone', 'detach', 'deepcopy'", "write into it"),
    ("08-choose", CHOOSE + "'clone', 'copy_', 'clone', 'deepcopy'", "Reading needs no copy"),
    ("08-choose", CHOOSE + "'clone', 'copy_', 'detach', 'clone'", "who shares with whom"),
    ("09-left", "part, packed, picked, double, late = 12, 4000, 12, 24, 4000", "keeps all its 4,000 bytes"),
    ("09-left", "part, packed, picked, double, late = 4000, 12, 12, 24, 4000", "contiguous already"),
    ("09-left", "part, packed, picked, double, late = 4000, 4000, 12, 4000, 4000", "make a storage"),
    ("09-left", "part, packed, picked, double, late = 1000, 4000, 12, 24, 4000", "asked for bytes"),
    ("09-left", "part, packed, picked, double, late = 4000, 4000, 12, 24, 12", "came first, and copied all"),
    ("09-halves", "weights.half(); halves, saved = weights, 8", "what the conversion returns"),
    ("09-halves", "halves, saved = weights.bfloat16(), 8", "half precision is float16"),
    ("09-halves", "halves, saved = torch.tensor(weights.tolist()).half(), 8", "it should be a storage"),
    ("09-halves", "halves, saved = weights.half(), 16", "how much less"),
    ("08-choose", "undo, buffer, plot, network = 'deepcopy', 'copy_', 'detach', 'deepcopy'", "It would work"),
    ("09-bytes", "def byte_range(tensor): return 0, tensor.nbytes", "begins in the second row"),
    ("09-bytes", "def byte_range(tensor): return 0, tensor.numel()", "counts elements"),
    (
        "09-bytes",
        "def byte_range(t): return t.storage_offset() * 8, t.storage_offset() * 8 + t.numel() * 8",
        "4 bytes, not 8",
    ),
    ("09-bytes", "def byte_range(t): return t.data_ptr(), t.data_ptr() + t.nbytes", "these are addresses"),
    (
        "09-bytes",
        "def byte_range(t): return t.storage_offset() * t.element_size(), t.untyped_storage().nbytes()",
        "to the end of the storage",
    ),
    ("09-windows", "windows = torch.tensor([]).set_(signal_storage, 0, (4, 3), (3, 1))", "side by side"),
    ("09-windows", "windows = torch.tensor([]).set_(signal_storage).unfold(0, 3, 1).clone()", "in another storage"),
    ("09-windows", "windows = torch.tensor([]).set_(signal_storage, 1, (4, 3), (1, 0))", "begins at offset 1"),
    ("09-left", "part, packed, picked, double, late = 3, 3, 3, 3, 3", "counts elements"),
    ("09-left", "part, packed, picked, double, late = 8000, 4000, 12, 24, 4000", "4 bytes each, not 8"),
    ("09-halves", "halves = weights.half(); saved = 2", "what one element saves"),
    ("09-windows", "windows = torch.tensor([]).set_(signal_storage, 0, (2, 3), (3, 1))", "has shape (2, 3)"),
    (
        "10-held",
        "def bytes_held(tensors): return sum(t.nbytes for t in tensors)",
        "what the header describes",
    ),
    (
        "10-held",
        "def bytes_held(tensors): return sum(t.untyped_storage().nbytes() for t in tensors)",
        "counts a storage twice",
    ),
    (
        "10-held",
        "def bytes_held(tensors): return sum({t.data_ptr(): t.untyped_storage().nbytes() for t in tensors}.values())",
        "begin at different cells",
    ),
    ("10-held", "def bytes_held(tensors): return 4000 if tensors else 0", "A clone has a storage of its own"),
    ("10-lean", "lean = prepare", "it should be torch.float32"),
    ("10-lean", UNSCALED, "not those of `prepare`"),
    ("10-lean", IN_PLACE_ON_THE_FRAMES, "changed the frames"),
    ("10-into", "def scaled_into(x, out): return x * 2 + 1", "a storage of its own"),
    ("10-into", "def scaled_into(x, out): x.mul_(2).add_(1); return out.copy_(x)", "changed `x`"),
    ("10-corners", "small_corners = [frame(number)[:2, :2] for number in range(100)]", "holds 12,288"),
    (
        "10-corners",
        "small_corners = [frame(number)[:2, :2].clone() for number in range(9)]",
        "9 corners; it should have 100",
    ),
]

OVER_BUDGET = [
    ("10-lean", CROPPED_FIRST_ONLY, "393,216 bytes were allocated in 2 storages"),
    ("10-into", "def scaled_into(x, out): return out.copy_(x * 2 + 1)", "8,000 bytes were allocated"),
]

ALSO_RIGHT = [
    ("08-faulty", "readings[:, 0][faulty] = 0"),
    ("08-faulty", "readings[[0, 2], 0] = 0"),
    ("08-faulty", "readings[faulty, 0] *= 0"),
    ("08-first-column", "first = torch.tensor([4, 3])"),
    ("08-first-column", "first = scores[:, 0].int()"),
    ("08-first-column", "first = scores[:, 0].to(torch.float64)"),
    ("08-history", "history = list(torch.zeros(3, 2))\nfor entry in history:\n    weight += 1; entry.copy_(weight)"),
    ("08-faulty", "readings[:, 0].index_fill_(0, faulty, 0)"),
    ("07-rows", ROWS_BY_HAND),
    ("07-price", "def flat_and_price(t): f = t.reshape(-1); return [f, 0 if f._base is not None else f.nbytes]"),
    ("08-choose", "undo, buffer, plot, network = 'clone()', 'copy_', 'Detach', 'copy.deepcopy'"),
    ("10-corners", "small_corners = list(torch.stack([frame(number)[:2, :2] for number in range(100)]))"),
    ("10-corners", "small_corners = torch.stack([frame(number)[:2, :2] for number in range(100)])"),
]

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_right_answer_is_right = right_answers(ALSO_RIGHT)


@pytest.mark.parametrize(("exercise_id", "attempt", "told"), OVER_BUDGET)
def test_answer_over_the_budget_is_told_what_it_allocated(exercise_id, attempt, told):
    import tensorglass  # only the library's own storages are counted

    verdict = verdict_on(tensorglass, exercise_id, attempt)
    assert not verdict.solved
    assert told in verdict.message
