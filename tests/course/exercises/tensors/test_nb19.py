"""What people answer wrongly in notebook 19 of part 2, and what the checks tell them."""

from exercise_answers import right_answers, wrong_answers

TWICE = "row_plus, row_add, all_plus, named_plus, chosen_plus = "
COLUMN = "def add_to_column(a, j, number):\n    "

test_wrong_answers = wrong_answers(
    [
        ("t19-calls", 'calls = ["t", "__getitem__", "__iadd__"]', "One is missing"),
        ("t19-calls", 'calls = ["t", "__getitem__", "__add__", "__setitem__"]', "addition in place"),
        ("t19-calls", 'calls = ["__getitem__", "t", "__iadd__", "__setitem__"]', "is called first"),
        ("t19-calls", 'calls = ["t", "__iadd__", "__setitem__"]', "has to be read"),
        ("t19-calls", 'calls = ["t", "__getitem__", "__setitem__"]', "Which method is"),
        ("t19-calls", 'calls = ["t", "__getitem__", "__setitem__", "__iadd__"]', "in the wrong order"),
        ("t19-calls", 'calls = ["t", "__getitem__", "__iadd__", "__setitem__", "__len__"]', "is not called"),
        ("t19-calls", 'calls = ["t", "__getitem__", "view", "__iadd__", "__setitem__"]', "The order is right"),
        ("t19-calls", 'calls = ["t", "__iadd__", "__getitem__", "__iadd__", "__setitem__"]', "There are four calls"),
        ("t19-calls", "calls = 4", "a list of names"),
        ("t19-twice", TWICE + "False, False, False, False, False", "two writes"),
        ("t19-twice", TWICE + "True, True, False, False, False", "has no assignment in it"),
        ("t19-twice", TWICE + "True, False, True, False, False", "binds the name `a`"),
        ("t19-twice", TWICE + "True, False, False, True, False", "binds the name `b`"),
        ("t19-twice", TWICE + "True, False, False, False, True", "makes a copy"),
        ("t19-once", COLUMN + "a[:, j] += number", "was written 2 times"),
        ("t19-once", COLUMN + "a[:, j].add(number)", "`a` has not changed"),
        ("t19-once", COLUMN + "a[:, [j]].add_(number)", "`a` has not changed"),
        ("t19-once", COLUMN + "a[:, j] = a[:, j] + number", "a new storage"),
        ("t19-once", COLUMN + "a[j].add_(number)", "`a`"),
    ]
)

test_unusual_right_answers = right_answers(
    [
        ("t19-calls", 'calls = ("t()", "__getitem__", "add_", "Tensor.__setitem__")'),
        ("t19-calls", 'calls = "t __getitem__ __iadd__ __setitem__".split()'),
        ("t19-twice", "row_plus = 1 == 1\nrow_add = all_plus = named_plus = chosen_plus = not row_plus"),
        ("t19-twice", TWICE + "[True, *[False] * 4]"),
        ("t19-once", COLUMN + "column = a[:, j]\n    column += number"),
        ("t19-once", COLUMN + "a.t()[j].add_(number)\n    return a"),
        ("t19-once", COLUMN + "torch.add(a[:, j], number, out=a[:, j])"),
    ]
)
