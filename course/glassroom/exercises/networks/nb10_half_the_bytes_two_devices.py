"""Exercises of notebook 10 on networks: half precision, loss scaling, and devices that share the work."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import (
    call,
    call_writing,
    every_slot,
    expect,
    expect_equal,
    expect_near,
    expect_tensor,
    expect_value,
    run,
)
from glassroom.exercises.facts import dtype_name, is_tensor, same_value, shape, share_memory, values
from glassroom.translations.templates import word

INFINITY = float("inf")


@exercise(
    "n10-left",
    hints=[
        "A fraction of 10 bits tells 1,024 numbers apart between one power of two and the next; one of 7 bits, 128.",
        "From 4,096 on, float16 goes in steps of 4; from 256 on, bfloat16 goes in steps of 2. Halfway, the even "
        "fraction wins.",
        "a = 4096.0, b = 256.0; 0.0004 is less than half of the 0.00098 from 1 to the next; 70,000 > 65,504.",
        """
        a = 4096.0
        b = 256.0
        c = 1.0
        d = float("inf")
        """,
    ],
)
def left(a: Any, b: Any, c: Any, d: Any) -> str:
    answers = {"a": a, "b": b, "c": c, "d": d}
    for name, answer in answers.items():
        if is_tensor(answer) and shape(answer) == ():
            answers[name] = float(answer.item())
    with every_slot():
        expect_equal(
            answers["a"],
            "a",
            4096.0,
            mistakes={
                4097: "Between 4,096 and 8,192 there are 1,024 float16s, so they go in steps of 4.",
                4098: "Between 4,096 and 8,192 they go in steps of 4; 4,098 is not one of them.",
                4100: "4,097 is nearer to 4,096.",
                INFINITY: "It is far from the largest, 65,504.",
            },
        )
        expect_equal(
            answers["b"],
            "b",
            256.0,
            mistakes={
                257: "From 256 on there are 128 numbers up to 512: they go in steps of 2.",
                258: "257 is halfway between 256 and 258. Then the one with the even fraction is taken: 256.",
                255: "255 is exactly representable, but 257 is nearer to 256.",
            },
        )
        expect_equal(
            answers["c"],
            "c",
            1.0,
            mistakes={
                1.0004: "The next float16 after 1 is 1.00098; there is nothing between them.",
                1.0009765625: "0.0004 is less than half of the way to that one.",
                1.00098: "0.0004 is less than half of the way to that one.",
            },
        )
        expect_equal(
            answers["d"],
            "d",
            INFINITY,
            mistakes={
                70000: "The largest float16 is 65,504.",
                65504: "A result that is too large does not stop at the largest number: it becomes infinite.",
            },
        )
    return "Rounded, rounded, rounded away, and out of range."


@exercise(
    "n10-cast",
    setup="""
    pictures, weight, bias = torch.rand(16, 64), torch.randn(32, 64) / 8, torch.rand(32)
    half = torch.bfloat16
    """,
    hints=[
        "to(dtype) makes a converted copy and is recorded; the gradient comes back through it, converted back.",
        "Convert x, weight and bias each, compute x @ weight.t() + bias with the copies, and return what comes out.",
        """
        def half_linear(x, weight, bias, half):
            return x.to(half) @ … + …
        """,
        """
        def half_linear(x, weight, bias, half):
            return x.to(half) @ weight.to(half).t() + bias.to(half)
        """,
    ],
)
def cast(half_linear: Callable[..., Any], *, weight: Any, bias: Any, pictures: Any, half: Any) -> str:
    weight = weight.detach().clone().requires_grad_()
    bias = (bias.detach() + 0.25).requires_grad_()
    told = "the caller's own tensors were converted. Work with copies: to(half) makes one."
    returned = call(half_linear, "half_linear", pictures, weight, bias, half, written=told)
    wanted = shape(pictures @ weight.t())
    expect_tensor(returned, "half_linear(…)")
    expect(
        dtype_name(returned) == dtype_name(half),
        f"the result is {dtype_name(returned)}: it was converted back, or not computed in {dtype_name(half)}. "
        "Half the bytes are the point.",
    )
    expect_tensor(returned, "half_linear(…)", shape=wanted)
    right = pictures.to(half) @ weight.detach().to(half).t() + bias.detach().to(half)
    distance = (returned.detach().float() - right.float()).abs().max().item()
    without = (returned.detach().float() - (right.float() - bias.detach())).abs().max().item()
    expect(not without < 0.02 or distance < 0.02, "the bias is missing.")
    expect_near(returned, "half_linear(…)", right, 0.05, "the numbers are not those of x @ weight.t() + bias.")
    expect(
        returned.grad_fn is None or not returned.grad_fn.name().startswith("ToCopy"),
        f"the numbers are right, but they were computed in another dtype and converted to {dtype_name(half)} at the "
        "end. Convert first, so that the product itself is half the work.",
    )
    expect(
        bool(returned.requires_grad),
        "no gradient finds its way back from the result: on the way, something was detached or taken out as numbers.",
    )
    returned.float().sum().backward()
    for name, parameter in (("weight", weight), ("bias", bias)):
        expect(
            parameter.grad is not None,
            f"no gradient arrived at `{name}`. Its data was taken, or it was detached; to(half) is recorded.",
        )
        expect(dtype_name(parameter.grad) == "float32", f"the gradient of `{name}` is not float32.")
    return "Computed in half, remembered in float32."


@exercise(
    "n10-step",
    setup="parameters = [torch.zeros(2, requires_grad=True), torch.zeros(3, requires_grad=True)]",
    hints=[
        "Look at all gradients first; only when every number is finite may any parameter change.",
        "isfinite() is False for infinities and for nan. The gradient of the loss itself is parameter.grad / scale.",
        """
        def scaled_step(parameters, scale, rate):
            if not all(parameter.grad.isfinite().all() for parameter in parameters):
                return …
            with torch.no_grad():
                for parameter in parameters:
                    parameter -= …
            return scale
        """,
        """
        def scaled_step(parameters, scale, rate):
            if not all(parameter.grad.isfinite().all() for parameter in parameters):
                return scale / 2
            with torch.no_grad():
                for parameter in parameters:
                    parameter -= rate * (parameter.grad / scale)
            return scale
        """,
    ],
)
def scaled_step(scaled_step: Callable[..., Any], *, parameters: Any) -> str:
    first, second = (parameter.detach() * 0 for parameter in parameters)

    def after(numbers: list[list[float]], scale: float) -> tuple[Any, list[Any]]:
        weights = []
        for base, row in zip((first, second), numbers, strict=True):
            weight = (base + 1).requires_grad_()
            weight.grad = base.new_tensor(row)
            weights.append(weight)
        given = list(weights)
        returned = call_writing(scaled_step, "scaled_step", weights, scale, 0.5)
        if is_tensor(returned) and shape(returned) == ():
            returned = returned.item()
        return returned, [values(weight) for weight in given]

    fine = [[1024.0, 2048.0], [0.0, -1024.0, 512.0]]
    returned, weights = after(fine, 1024.0)
    expect(
        not same_value(weights, [[1.0] * 2, [1.0] * 3]),
        "all gradients are finite, but the parameters did not change. Are they changed in place?",
    )
    expect(
        not same_value(weights, [[1 - 0.5 * x for x in row] for row in fine], 1e-3),
        "the gradients are still those of loss * scale. Divide by `scale` first.",
    )
    expect(
        not same_value(weights, [[1 + 0.5 * x / 1024 for x in row] for row in fine]),
        "that is a step uphill: the gradient is subtracted.",
    )
    expect(
        same_value(weights, [[1 - 0.5 * x / 1024 for x in row] for row in fine]),
        f"the parameters are {weights} after the step, and not weight - rate * gradient / scale.",
    )
    expect_equal(
        returned,
        "scaled_step(…)",
        1024.0,
        mistakes={512.0: "Nothing was infinite: the scale stays.", 2048.0: "Nothing asks for a larger scale yet."},
    )
    returned, weights = after([[256.0, 0.0], [512.0, 0.0, 0.0]], 256.0)
    expect(
        returned == 256.0 and same_value(weights, [[0.5, 1.0], [0.0, 1.0, 1.0]]),
        f"with a scale of 256, gradients of 256 and 512 and a rate of 0.5, the parameters went from 1 to {weights}.",
    )
    broken = {
        word("an infinity"): [[1.0, 1.0], [1.0, INFINITY, 1.0]],
        word("minus infinity"): [[-INFINITY, 1.0], [1.0, 1.0, 1.0]],
        word("a nan"): [[1.0, 1.0], [1.0, 1.0, math.nan]],
    }
    for what, numbers in broken.items():
        returned, weights = after(numbers, 1024.0)
        expect(
            not same_value(weights, [[1.0 - 0.5 / 1024] * 2, [1.0] * 3]),
            f"with {what} in the second gradient the first parameter was changed already. Look at all gradients before "
            "any parameter changes.",
        )
        expect(
            same_value(weights, [[1.0] * 2, [1.0] * 3]),
            f"with {what} among the gradients the parameters were changed. Leave this step out.",
        )
        expect_equal(
            returned,
            f"scaled_step(…), {what} among the gradients,",
            512.0,
            mistakes={1024.0: "The scale was too large; halve it.", 2048.0: "The scale was too large; halve it."},
        )
    return "Scaled on the way, divided before the step, and skipped where it overflowed."


@exercise(
    "n10-parallel",
    setup="""
    devices = [torch.device("cpu"), torch.device("cpu")]
    batch = torch.arange(12.0).view(6, 2)
    weight = torch.ones(2, requires_grad=True)
    """,
    hints=[
        "Scatter, replicate, apply, gather: chunk, to, the function itself, and cat.",
        "zip(batch.chunk(len(devices)), devices) gives each part with its device. Part and weight both go there; "
        "each result comes to devices[0].",
        """
        def parallel(batch, weight, devices, apply):
            parts = batch.chunk(len(devices))
            results = [apply(part.to(each), …) for part, each in zip(parts, devices)]
            return torch.cat([… for result in results])
        """,
        """
        def parallel(batch, weight, devices, apply):
            parts = batch.chunk(len(devices))
            results = [apply(part.to(each), weight.to(each)) for part, each in zip(parts, devices)]
            return torch.cat([result.to(devices[0]) for result in results])
        """,
    ],
)
def parallel(parallel: Callable[..., Any], *, batch: Any, weight: Any, devices: Any) -> str:
    own = (weight.detach() * 0 + weight.new_tensor([2.0, 3.0])).requires_grad_()
    seen: list[tuple[tuple[int, ...], str, str]] = []

    def apply(part: Any, copy: Any) -> Any:
        seen.append((shape(part), str(part.device), str(copy.device)))
        return part * copy if part.device == copy.device else part

    returned = call(parallel, "parallel", batch, own, devices, apply)
    expect(bool(seen), "`apply`, which you were given, was never called.")
    expect(
        len(seen) == len(devices),
        f"`apply` was called {len(seen)} times; there are {len(devices)} devices, and each gets one part.",
    )
    sizes = [size[0] if size else 0 for size, _, _ in seen]
    expect(
        sum(sizes) == shape(batch)[0],
        f"the parts had {sizes} rows; together they should be the {shape(batch)[0]} rows of the batch, each once.",
    )
    expect(max(sizes) - min(sizes) <= 1, f"the parts had {sizes} rows: one device has most of the work.")
    for (_, part_on, copy_on), device in zip(seen, devices, strict=True):
        wanted = str((batch[:0] * 1).to(device).device)
        expect(
            part_on == copy_on,
            f"a part is on {part_on} and the weight on {copy_on}: an operator needs both in one place.",
        )
        expect(
            part_on == wanted,
            f"a part was computed on {part_on}; it was the turn of {wanted}, so that all devices work.",
        )
    expect_tensor(returned, "parallel(…)", dtype="float32")
    home = str(own.to(devices[0]).device)
    expect(str(returned.device) == home, f"the result is on {returned.device}; it should come together on {home}.")
    expect(shape(returned) == shape(batch), f"the result has shape {shape(returned)}; it should be {shape(batch)}.")
    right = [[2.0 * a, 3.0 * b] for a, b in values(batch)]
    expect_value(returned, "parallel(…)", right)
    expect(bool(returned.requires_grad), "the result has no way back to the weight: something was detached.")
    returned.sum().backward()
    expect(
        own.grad is not None
        and same_value(values(own.grad), [sum(row[0] for row in values(batch)), sum(row[1] for row in values(batch))]),
        "the gradient of the weight is not the sum over all devices. Are the copies made by to(), which is recorded?",
    )
    return "Scatter, replicate, apply, gather; and the gradients came home by themselves."


@exercise(
    "n10-reduce",
    setup="""
    devices = [torch.device("cpu"), torch.device("cpu")]
    weight = torch.ones(2, requires_grad=True)
    """,
    hints=[
        "First compute the mean in one place, then write it into every tensor.",
        "Tensors on several devices cannot be added: bring them to one with to(). copy_ writes into a tensor, wherever "
        "it is.",
        """
        def all_reduce(gradients):
            home = gradients[0].device
            mean = sum(gradient.to(home) for gradient in gradients) / …
            for gradient in gradients:
                gradient.copy_(…)
        """,
        """
        def all_reduce(gradients):
            home = gradients[0].device
            mean = sum(gradient.to(home) for gradient in gradients) / len(gradients)
            for gradient in gradients:
                gradient.copy_(mean)
        """,
    ],
)
def reduce(all_reduce: Callable[..., Any], *, weight: Any, devices: Any) -> str:
    rows = [[1.0, 10.0], [3.0, 20.0], [8.0, 60.0]]
    places = [devices[0], devices[1], devices[0]]
    gradients = [weight.detach().to(place).new_tensor(row) for row, place in zip(rows, places, strict=True)]
    was = [(gradient.untyped_storage().data_ptr(), str(gradient.device)) for gradient in gradients]
    handed = list(gradients)
    run(all_reduce, "all_reduce", handed)
    expect(
        [(gradient.untyped_storage().data_ptr(), str(gradient.device)) for gradient in gradients] == was,
        "the tensors are on other storages than before; write into those that are there.",
    )
    rows_now = [values(gradient) for gradient in gradients]
    expect(
        not same_value(rows_now, rows),
        "the tensors are as they were: a name inside the function went on to something new, or what was returned is "
        "new. Write in place.",
    )
    expect(not same_value(rows_now, [[12.0, 90.0]] * 3), "that is the sum; the mean was asked for.")
    expect(
        not same_value(rows_now, [[4.0, 30.0], *rows[1:]]),
        "the first tensor has the mean and the others do not. Everybody gives, and everybody gets the result.",
    )
    expect(
        same_value(rows_now, [[4.0, 30.0]] * 3),
        f"the tensors hold {rows_now}; each should hold [4.0, 30.0]. "
        "Is the mean ready before the first is overwritten?",
    )
    expect(not share_memory(gradients[0], gradients[2]), "two of them share their memory now.")
    return "Everybody has the mean of all, and every byte is where it was."
