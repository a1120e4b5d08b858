"""The exercise of part 5's review: a model that follows another one, in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.account import account
from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import expect, run

FEW = 64  #: bytes that a number on the way may take


@exercise(
    "n13-towards",
    setup="nn = torch.nn",
    hints=[
        "A parameter is a leaf: it may be written to where nothing is recorded. What is written into stays itself.",
        "Under no_grad, for each pair of parameters lerp_, or mul_ and add_ with alpha; for each of buffers copy_.",
        """
        def towards(average, model, keep):
            with torch.no_grad():
                for mine, other in zip(average.parameters(), model.parameters()):
                    mine.lerp_(…)
                for mine, other in zip(average.buffers(), model.buffers()):
                    mine.…
        """,
        """
        def towards(average, model, keep):
            with torch.no_grad():
                for mine, other in zip(average.parameters(), model.parameters()):
                    mine.lerp_(other, 1 - keep)
                for mine, other in zip(average.buffers(), model.buffers()):
                    mine.copy_(other)
        """,
    ],
)
def towards(towards: Callable[..., Any], *, nn: Any, torch: Any) -> str:
    def new(value: float) -> Any:
        layers = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8))
        with torch.no_grad():
            for tensor in [*layers.parameters(), *layers.buffers()]:
                tensor.fill_(value)
        return layers

    average, model = new(1.0), new(5.0)
    places = [parameter.data_ptr() for parameter in average.parameters()]
    wanted = 1.0
    for keep in (0.75, 0.5):
        old, wanted = wanted, keep * wanted + (1 - keep) * 5.0
        with account() as kept:
            run(towards, "towards", average, model, keep)
        expect(
            all(bool((parameter == 5.0).all()) for parameter in model.parameters()),
            "`model` has changed: it should only be read.",
        )
        for name, tensor in average.named_parameters():
            number = float(tensor.detach().flatten()[0])
            expect(
                abs(number - old) > 1e-6,
                f"`{name}` of `average` has not changed. `=` gives the name to a new tensor; write into the parameter.",
            )
            swapped = (1 - keep) * old + keep * 5.0
            expect(
                keep == 0.5 or abs(number - swapped) > 1e-6,
                f"`{name}` is {number:g}: `keep` is the share of the average, and not that of the model.",
            )
            expect(
                abs(number - wanted) < 1e-6,
                f"`{name}` is {number:g}, and should be {keep:g} · {old:g} + {1 - keep:g} · 5.",
            )
            expect(tensor.is_leaf and tensor.requires_grad, f"`{name}` of `average` is no longer a parameter.")
        expect(
            [parameter.data_ptr() for parameter in average.parameters()] == places,
            "the values are right, but the parameters lie on other storages now: write into those that were there.",
        )
        for name, tensor in average.named_buffers():
            expect(
                bool((tensor == 5).all()),
                f"the buffer `{name}` is not that of the model. Buffers are copied, not averaged, and parameters() "
                "leaves buffers out.",
            )
        expect(
            sum(kept.allocations) <= FEW,
            f"the values are right, but {sum(kept.allocations):,} bytes were allocated on the way. Two operators in "
            "place, or lerp_, need none.",
        )
    return "It follows in place, buffers and all, and nothing was recorded."
