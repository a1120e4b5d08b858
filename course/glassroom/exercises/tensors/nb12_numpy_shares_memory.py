"""Exercises on what tensors and NumPy's arrays share, and what they cannot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import (
    call,
    expect,
    expect_copy,
    expect_tensor,
    expect_value,
    expect_view,
    expect_words,
)
from glassroom.exercises.facts import (
    dtype_name,
    is_array,
    values,
)

SHARED = {
    "row": ("view", "A row of an array is a view, and from_numpy shares what it is given."),
    "doubled": ("copy", "x * 2 is a new array; the tensor shares memory with that one, not with x."),
    "as_double": ("copy", "float64 needs different bytes, so asarray has to copy."),
    "turned": ("view", "as_tensor shares here, t() is a view, and numpy() shares again."),
    "picked": ("copy", "Lists and tensors as indices copy, before numpy() shares the copy."),
}


@exercise(
    "t12-who",
    hints=[
        (
            "Go from left to right: which of the functions in the line computes or converts, and which only makes a "
            "header?"
        ),
        "A tensor on a copy shares with the copy. Another dtype needs different bytes.",
        "Two of the five are views.",
        """
        row = "view"
        doubled = "copy"
        as_double = "copy"
        turned = "view"
        picked = "copy"
        """,
    ],
)
def who(row: Any, doubled: Any, as_double: Any, turned: Any, picked: Any) -> str:
    words = {name: (truth, {"copy" if truth == "view" else "view": reason}) for name, (truth, reason) in SHARED.items()}
    expect_words(words, (row, doubled, as_double, turned, picked))
    return "from_numpy and numpy() never copy; what stands before or after them may."


@exercise(
    "t12-centred",
    setup="import numpy as np\nn = np.arange(3.0)",
    hints=[
        "as_tensor shares the memory of what is float64 already. Then -= writes into it.",
        "Let the subtraction make a new tensor, as in the notebook on in-place and clone.",
        """
        def centered(data):
            x = torch.as_tensor(data, dtype=torch.float64)
            return x - …
        """,
        """
        def centered(data):
            x = torch.as_tensor(data, dtype=torch.float64)
            return x - x.mean()
        """,
    ],
)
def centered(centered: Callable[[Any], Any], *, n: Any) -> str:
    for name, data in (("n", n.copy()), ("n.tolist()", n.tolist()), ("[1, 2, 6]", [1, 2, 6])):
        before = list(data)
        result = call(centered, "centered", data)
        expect(
            list(data) == before,
            f"after `centered({name})` its argument is changed: as_tensor shares the memory of what is float64 "
            "already, and the function writes into it.",
        )
        expect_tensor(result, f"centered({name})", dtype="float64", shape=(3,))
        expect_value(result, f"centered({name})", [float(number - sum(before) / 3) for number in before])
    tensor = call(centered, "centered", [1.0, 2.0, 6.0])
    tensor += 1
    before = values(tensor)
    told = "given a tensor of float64, `centered` changes it: as_tensor returns that same tensor."
    result = call(centered, "centered", tensor, written=told)
    expect_value(result, "centered(a tensor)", [number - 1 for number in before])
    return "It takes anything, and writes to nobody's data."


@exercise(
    "t12-single",
    setup="import numpy as np\nreadings = np.array([0.5, 1.5, 2.5])",
    hints=[
        "One of the two steps has to copy, since float32 needs different bytes. The other must not.",
        "Convert while it is still an array; then share.",
        """
        single = readings.astype(…)
        x = torch.from_numpy(…)
        """,
        """
        single = readings.astype(np.float32)
        x = torch.from_numpy(single)
        """,
    ],
)
def single(single: Any, x: Any, *, readings: Any) -> str:
    expect(is_array(single), "`single` is not a NumPy array. Convert `readings` with its method astype.")
    expect(
        dtype_name(single) == "float32",
        f"`single` has dtype {dtype_name(single)}, NumPy's default.",
    )
    expect_tensor(x, "x", dtype="float32")
    expect_view(x, "x", single, "single", "from_numpy shares; float() and tensor() copy.")
    expect_value(x, "x", values(readings))
    return "Both are float32, and look at the same bytes."


@exercise(
    "t12-safe",
    setup="""
    import numpy as np
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    locked = np.broadcast_to(np.float32([1, 2, 3]), (2, 3))
    """,
    hints=[
        (
            "Ask the array before you share: its flags say whether it may be written to, and its strides in which "
            "direction it runs."
        ),
        "array.flags.writeable is True or False; array.strides is a tuple of integers, one for each dimension.",
        """
        def to_tensor(array):
            if not array.flags.… or any(step < 0 for step in …):
                return torch.tensor(array.copy())
            return torch.from_numpy(array)
        """,
        """
        def to_tensor(array):
            if not array.flags.writeable or any(step < 0 for step in array.strides):
                return torch.tensor(array.copy())
            return torch.from_numpy(array)
        """,
    ],
)
def safe(to_tensor: Callable[..., Any], *, array: Any, locked: Any) -> str:
    for given, name in ((array, "array"), (array[:, ::2], "array[:, ::2]")):
        tensor = call(to_tensor, "to_tensor", given)
        because = "Nothing stands in the way here, so nothing needs to be copied."
        expect_view(tensor, f"to_tensor({name})", given, name, because)
        expect_value(tensor, f"to_tensor({name})", values(given))
    for given, name in ((array[::-1], "array[::-1]"), (array[:, ::-1], "array[:, ::-1]"), (locked, "locked")):
        tensor = call(to_tensor, "to_tensor", given)
        because = "It may only be read: a write to the tensor would reach it." if given is locked else ""
        expect_copy(tensor, f"to_tensor({name})", given, name, because)
        expect_value(tensor, f"to_tensor({name})", values(given))
    return "It shares what can be shared, and copies what is read-only or runs backward."
