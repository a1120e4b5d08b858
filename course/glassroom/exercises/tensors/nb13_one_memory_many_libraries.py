"""Exercises on DLPack, and on one function for several libraries."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from glassroom.exercises.engine import Misconception, exercise
from glassroom.exercises.expect import call, expect, expect_value
from glassroom.exercises.facts import (
    both_told,
    dtype_name,
    is_array,
    is_tensor,
    same_value,
    shape,
    share_memory,
    values,
)


@exercise(
    "t13-join",
    setup="""
    import numpy as np
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    from_dlpack = torch.from_dlpack
    """,
    hints=[
        "The protocol is two methods, and the array that your class holds has both of them.",
        "Each of your methods calls the array's method of the same name. __dlpack__ passes its keywords on: **wishes.",
        """
        class Sensor:
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **wishes):
                return self.array.…

            def __dlpack_device__(self):
                return self.array.…
        """,
        """
        class Sensor:
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **wishes):
                return self.array.__dlpack__(**wishes)

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()
        """,
    ],
)
def join(Sensor: Any, *, array: Any, from_dlpack: Callable[..., Any]) -> str:
    sensor = call(Sensor, "Sensor", array)
    expect(sensor is not array, "`Sensor(array)` is `array` itself; it should be an object that holds it.")
    for method in ("__dlpack__", "__dlpack_device__"):
        expect(hasattr(sensor, method), f"A `Sensor` has no method `{method}`.")
    tensor = call(lambda: from_dlpack(sensor), "torch.from_dlpack(Sensor(array))")
    expect(is_tensor(tensor), "`torch.from_dlpack(Sensor(array))` is not a tensor.")
    expect(
        share_memory(tensor, array),
        "The result is not on the memory of `array`. Hand out the array's own capsule, not a copy's.",
    )
    expect_value(tensor, "torch.from_dlpack(Sensor(array))", values(array))
    other = array * 2 + 1
    tensor = call(lambda: from_dlpack(Sensor(other)), "torch.from_dlpack(Sensor(other))")
    expect(share_memory(tensor, other), "A `Sensor` of another array hands out the memory of the first one.")
    call(lambda: sensor.__dlpack__(copy=True), "Sensor(array).__dlpack__(copy=True)")
    tensor = call(lambda: from_dlpack(sensor, copy=True), "torch.from_dlpack(Sensor(array), copy=True)")
    expect(
        not share_memory(tensor, array),
        "`torch.from_dlpack(Sensor(array), copy=True)` is no copy: pass the arguments of `__dlpack__` on to the "
        "array's own.",
    )
    return "Every library that speaks DLPack can read your class without a copy."


@exercise(
    "t13-unit",
    hints=[
        "The length of a row is the root of the sum of its squares. The sum must keep its dimension to be divided by.",
        "xp.sum takes axis= and keepdims= in both libraries, and xp.sqrt takes its result.",
        """
        def unit(x, xp):
            return x / xp.sqrt(xp.sum(…, axis=-1, keepdims=…))
        """,
        """
        def unit(x, xp):
            return x / xp.sqrt(xp.sum(x * x, axis=-1, keepdims=True))
        """,
    ],
)
def unit(unit: Callable[..., Any], *, torch: Any) -> str:
    rows = [[3.0, 4.0], [0.0, 2.0], [-6.0, 8.0]]
    wanted = [[0.6, 0.8], [0.0, 1.0], [-0.6, 0.8]]
    for xp, x, kind in (
        (np, np.array(rows), "an array"),
        (torch, torch.tensor(rows, requires_grad=True), "a tensor"),  # NumPy refuses those that require grad
    ):
        name = f"unit(x, {xp.__name__.replace('numpy', 'np').replace('tensorglass', 'torch')})"
        try:
            result = call(unit, "unit", x, xp)
        except Misconception as misconception:
            told = f"`{name}` hands the tensor to NumPy. Let `xp` compute, and convert nothing."
            expect("Can't call numpy()" not in str(misconception), told)
            raise
        expect(
            is_array(result) if xp is np else is_tensor(result),
            f"`{name}` was given {kind} and returned {type(result).__name__}. Let `xp` compute, and convert nothing.",
        )
        expect(shape(result) == (3, 2), f"`{name}` has size {shape(result)}; it should have the size of x, (3, 2).")
        own = values(result)
        expect(
            not same_value(own, [[number / math.sqrt(129) for number in row] for row in rows]),
            f"`{name}` divides by the length of the whole tensor. Each row has a length of its own: axis=-1, "
            "keepdims=True.",
        )
        expect(
            not same_value(own, [[number / (a * a + b * b) for number in (a, b)] for a, b in rows]),
            f"`{name}` divides by the sum of the squares; the length is its root.",
        )
        mine, right = both_told(own, wanted)
        expect(same_value(own, wanted), f"`{name}` holds {mine}; it should hold {right}.")
        expect(
            dtype_name(result) == dtype_name(x),
            f"the values are right, but `{name}` made {dtype_name(result)} of {dtype_name(x)}. Convert nothing.",
        )
    return "One function, and each library computed with its own."
