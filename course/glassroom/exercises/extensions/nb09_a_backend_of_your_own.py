"""Exercises of notebook 09 of part 4: a family of devices, their memory, and the calls that a backend gets."""

from __future__ import annotations

from functools import partial
from typing import Any

from glassroom.exercises.engine import Misconception, exercise
from glassroom.exercises.expect import call, call_writing, expect, expect_equal, expect_words
from glassroom.exercises.facts import first_line

MOST = 2**20
LEDGER = """
from tensorglass.extending import NumpyBackend

class Ledger(NumpyBackend):
    device_type = "ledger"
"""


@exercise(
    "e09-pair",
    setup=LEDGER,
    hints=[
        "A family has two methods: count() and make(index).",
        "make is called once for each device, so a new Ledger() each time is right. Indices begin with 0.",
        """
        class Pair:
            def count(self):
                return 2

            def make(self, index):
                if index >= …:
                    raise RuntimeError(…)
                return Ledger()
        """,
        """
        class Pair:
            def count(self):
                return 2

            def make(self, index):
                if index >= self.count():
                    raise RuntimeError(f"there are two, and no number {index}")
                return Ledger()
        """,
    ],
)
def pair(Pair: Any, *, Ledger: Any) -> str:
    family = call(Pair, "Pair")
    expect(hasattr(family, "count") and hasattr(family, "make"), "a family has the methods `count` and `make`.")
    expect_equal(call(family.count, "count"), "Pair().count()", 2)
    first, second = (call(family.make, "make", index) for index in (0, 1))
    for index, ledger in enumerate((first, second)):
        expect(isinstance(ledger, Ledger), f"`make({index})` does not give a `Ledger`.")
    expect(first is not second, "both devices are served by one backend, so they would share memory and entries.")
    _refused(family.make, "make(2)", 2)
    return "Two devices, each with a backend of its own, and an error for the third."


@exercise(
    "e09-small",
    setup=LEDGER,
    hints=[
        "Look at nbytes first; what is small enough goes on to the class above.",
        "super().allocate(nbytes, device, zeroed=zeroed) does the rest. 1 MiB is 2**20 bytes.",
        """
        class Small(Ledger):
            def allocate(self, nbytes, device, *, zeroed=False):
                if nbytes > …:
                    raise RuntimeError(…)
                return super().allocate(…)
        """,
        """
        class Small(Ledger):
            def allocate(self, nbytes, device, *, zeroed=False):
                if nbytes > 2**20:
                    raise RuntimeError("out of memory")
                return super().allocate(nbytes, device, zeroed=zeroed)
        """,
    ],
)
def small(Small: Any) -> str:
    backend = call(Small, "Small")
    bases = (base.__name__ for base in type(backend).__mro__)
    expect("Ledger" in bases, "`Small` should derive from `Ledger`, so that everything else is the ledger's.")
    for nbytes in (1000, MOST):
        try:
            run = call_writing(partial(backend.allocate, zeroed=True), f"allocate({nbytes}, device)", nbytes, None)
        except Misconception as misconception:
            expect(nbytes < MOST, f"{misconception} Up to 1 MiB at a time, 2**20 bytes, should be allocated.")
            raise
        expect_equal(
            getattr(run, "nbytes", None),
            f"allocate({nbytes}, device).nbytes",
            nbytes,
        )
    _refused(lambda: backend.allocate(MOST + 1, None), f"allocate({MOST + 1}, device)")
    handed = list[bool]()

    class Above(Small.__bases__[0]):  # the layer above Small, which records what it is given
        def allocate(self, nbytes: int, device: Any, *, zeroed: bool = False) -> Any:
            handed.append(zeroed)
            return super().allocate(nbytes, device, zeroed=zeroed)

    below = type("Below", (Small, Above), {})()
    below.allocate(8, None)
    below.allocate(8, None, zeroed=True)
    expect(handed in ([], [False, True]), f"`zeroed` should go on as it came; False and True went on as {handed}.")
    return "A limit in one method, and everything else inherited."


ASKED = {
    "listing": ("to_host", "Python's numbers are on the host: the bytes have to come back."),
    "turning": ("none", "A view is a new header; no byte is touched."),
    "sending": ("from_host", "The bytes come from the host."),
    "adding": ("ufunc", "A sum is a simple elementwise kernel, found by its name."),
    "asking": ("none", "Strides are in the header."),
}


@exercise(
    "e09-who",
    hints=[
        "What is in the header needs no backend; what moves or computes elements does.",
        "Try it: clear ledger.entries, run the line, and look at them.",
        "Two of the five need no backend.",
        """
        listing = "to_host"
        turning = "none"
        sending = "from_host"
        adding = "ufunc"
        asking = "none"
        """,
    ],
)
def who(listing: Any, turning: Any, sending: Any, adding: Any, asking: Any) -> str:
    asked = ("allocate", "ufunc", "to_host", "from_host", "none")
    words = {
        name: (truth, {option: reason for option in asked if option != truth})
        for name, (truth, reason) in ASKED.items()
    }
    expect_words(words, (listing, turning, sending, adding, asking))
    return "Headers are the library's; bytes and kernels are the backend's."


def _refused(function: Any, written: str, *arguments: Any) -> None:
    """Calling it raises RuntimeError; anything else becomes a sentence."""
    try:
        function(*arguments)
    except RuntimeError:
        return
    except Exception as error:
        expect(False, f"`{written}` raised {first_line(error).removesuffix('.')}; it should raise a RuntimeError.")
    expect(False, f"`{written}` raised nothing; it should raise a RuntimeError.")
