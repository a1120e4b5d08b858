"""What people answer in notebook 01 of part 2, and what the checks tell them, on both libraries."""

from exercise_answers import right_answers, wrong_answers

EDGE = "p_ndim, p_numel, p_len, q_ndim, q_numel = "
RECORD = 'def record(x): return {{"shape": {}, "dtype": {}, "largest": {}}}'


def record(shape="list(x.shape)", dtype="str(x.dtype)", largest="x.max().item()"):
    return RECORD.format(shape, dtype, largest)


WRONG = [
    ("t01-edge", EDGE + "2, 4, 4, 0, 1", "nothing in any of them"),
    ("t01-edge", EDGE + "2, 0, 0, 0, 1", "four rows, empty as they are"),
    ("t01-edge", EDGE + "2, 0, 4, 1, 1", "has no dimensions"),
    ("t01-edge", EDGE + "2, 0, 4, 0, 0", "the product of no sizes is 1"),
    ("t01-edge", EDGE + "1, 0, 4, 0, 1", "are two dimensions"),
    ("t01-batch", "def covariance(samples): return samples @ samples.mT", "rows by rows"),
    ("t01-batch", "def covariance(samples): return samples.transpose(0, 1) @ samples", "`covariance` raised"),
    (
        "t01-batch",
        "def covariance(samples): return samples.T @ samples",
        "given a tensor of shape (2, 2, 3), `covariance` raised",
    ),
    ("t01-batch", "def covariance(samples): samples.mT @ samples", "returned nothing"),
    ("t01-among", "def among(x, tensors): return x in tensors", "ambiguous"),
    ("t01-among", "def among(x, tensors): return any((x == each).all().item() for each in tensors)", "another tensor"),
    (
        "t01-among",
        "def among(x, tensors): return any(x.data_ptr() == each.data_ptr() for each in tensors)",
        "another object",
    ),
    ("t01-among", "def among(x, tensors): return x is tensors[0]", "b is the second of them"),
    ("t01-record", record(shape="x.shape[0]"), 'record(x)["shape"]'),
    ("t01-record", record(dtype="x.dtype"), "is a dtype"),
    ("t01-record", record(dtype="'float32'"), "what str(x.dtype) says"),
    ("t01-record", record(largest="x.max()"), "which json cannot write"),
    ("t01-record", record(largest="max(max(x.tolist()))"), "raised TypeError"),
    ("t01-record", 'def record(x): return {"shape": list(x.shape)}', 'has no entry "dtype"'),
    ("t01-record", "def record(x): return str(x)", "it should be a dictionary"),
    ("t01-record", record() + " | {'size': x}", "json.dumps refuses"),
    ("t01-slip", "weight.requires_grad = True", "is still there"),
    ("t01-slip", "del weight.require_grad", "with an s"),
    ("t01-slip", "weight = (weight.requires_grad_() * 1)", "is a result"),
]

test_a_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)

test_another_way_passes_as_well = right_answers(
    [
        ("t01-batch", "def covariance(samples): return samples.transpose(-1, -2) @ samples"),
        ("t01-among", "def among(x, tensors): return id(x) in map(id, tensors)"),
        ("t01-record", record(shape="tuple(x.shape)", dtype='f"{x.dtype}"', largest="max(x.reshape(-1).tolist())")),
        ("t01-slip", "weight = torch.ones(3, requires_grad=True)"),
    ]
)
