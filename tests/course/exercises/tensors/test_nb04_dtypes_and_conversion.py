"""What people answer in notebook 04 of part 2, and what the checks tell them, on both libraries."""

from exercise_answers import right_answers, verdict_on, wrong_answers

FIVE = "one, two, three, four, five = "


def five(one="torch.float32", two="torch.uint8", three="torch.float16", four="torch.float32", five="torch.int64"):
    return FIVE + ", ".join((one, two, three, four, five))


WITHOUT_FINALLY = """
def in_double(function):
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    result = function()
    torch.set_default_dtype({})
    return result
"""
SILENT = """
def in_double(function):
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        return function()
    except Exception as error:
        return error
    finally:
        torch.set_default_dtype(before)
"""

WRONG = [
    ("t04-layer", "def layer(weights, x): return weights @ x", "have the same dtype"),
    ("t04-layer", "def layer(weights, x): return weights.to(x.dtype) @ x", "the weights should decide"),
    ("t04-layer", "def layer(weights, x): return weights.double() @ x.double()", "the weights should decide"),
    ("t04-layer", "def layer(weights, x): return weights @ x.float()", "have the same dtype"),
    ("t04-five", five(one="torch.int64"), "never gives integers"),
    ("t04-five", five(one="torch.float64"), "NumPy's answer"),
    ("t04-five", five(two="torch.int64"), "has no width"),
    ("t04-five", five(two="'int16'"), "Whether the result fits"),
    ("t04-five", five(three="torch.float32"), "Only its kind counts"),
    ("t04-five", five(four="torch.float16"), "its width counts"),
    ("t04-five", five(five="torch.bool"), "counts them"),
    ("t04-five", five(five="torch.zeros(1)"), "asked for its dtype"),
    ("t04-five", five(five="3"), "such as torch.int16"),
    ("t04-brighter", "def brighter(image, by): return (image + by).clamp(0, 255)", "Clamp it at both ends"),
    ("t04-brighter", "def brighter(image, by): return (image.int() + by).clamp(0, 255)", "has dtype torch.int32"),
    ("t04-brighter", "def brighter(image, by): return (image.int() + by).to(torch.uint8)", "Clamp it at both ends"),
    ("t04-brighter", "def brighter(image, by): return image.add_(by)", "the image itself is changed"),
    (
        "t04-brighter",
        "def brighter(image, by): return (image.int() + by).clamp(max=255).byte()",
        "Clamp it at both ends",
    ),
    ("t04-energy", "def energy(x): return (x * x).sum()", "is infinite"),
    ("t04-energy", "def energy(x): return (x * x).sum(dtype=torch.float32)", "convert before you square"),
    ("t04-energy", "def energy(x): return x.double().square().sum()", "has dtype torch.float64"),
    ("t04-energy", "def energy(x): return x.float().sum() ** 2", "it should "),
    ("t04-double", WITHOUT_FINALLY.format("before"), "`finally` always runs"),
    ("t04-double", WITHOUT_FINALLY.format("torch.float32"), "the default was float16"),
    ("t04-double", WITHOUT_FINALLY.format("torch.float64"), "put it back"),
    ("t04-double", SILENT, "did not pass it on"),
    ("t04-double", "def in_double(function): return function()", "while the function ran"),
    ("t04-double", "def in_double(function): return function().double()", "afterwards is too late"),
    ("t04-double", "def in_double(function): return torch.zeros(2).double()", "did not call the function"),
]

test_a_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)

test_another_way_passes_as_well = right_answers(
    [
        ("t04-layer", "def layer(weights, x): return torch.matmul(weights, x.type_as(weights))"),
        ("t04-five", five("'float32'", "'uint8'", "'torch.float16'", "torch.float", "torch.long")),
        ("t04-brighter", "def brighter(image, by): return (image.float() + by).clamp(0, 255).byte()"),
        ("t04-energy", "def energy(x): return torch.dot(x.float(), x.float())"),
    ]
)


def test_a_wrong_answer_leaves_the_default_as_it_was(torch):
    verdict_on(torch, "t04-double", WITHOUT_FINALLY.format("torch.float64"))
    assert torch.get_default_dtype() is torch.float32
