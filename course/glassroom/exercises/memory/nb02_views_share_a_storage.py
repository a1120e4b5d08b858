"""Exercises of notebook 02, views share a storage: tell whether two share, make a view, see all, count."""

from __future__ import annotations

from typing import Any

from glassroom.exercises import facts
from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, every_slot, expect, expect_equal, expect_tensor, expect_view


@exercise(
    "02-share-storage",
    setup="a = torch.arange(0, 6)",
    hints=[
        "Two tensors share when their storages begin at the same address.",
        "Use the table above: one row compares storages, another asks where the first element is.",
        "def share_storage(x, y):\n    return x.untyped_storage().… == …",
        """
        def share_storage(x, y):
            return x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr()
        """,
    ],
)
def share_storage(share_storage: Any, *, a: Any) -> str:
    def says(x: Any, y: Any) -> bool:
        told = "`share_storage` writes into a tensor that it is given. It is asked a question: look, and do not write."
        answer = call(share_storage, "share_storage", x, y, written=told)
        expect(
            not facts.is_tensor(answer),
            f"`share_storage` returned {facts.text(answer)}, not True or False. Compare where the storages lie, not "
            "the values in them.",
        )
        expect(isinstance(answer, bool), f"`share_storage` returned {facts.text(answer)}, not True or False.")
        return answer

    expect(
        says(a, a.view(-1, 1)),
        "`share_storage` says `False` for `a` and `a.view(-1, 1)`: two headers, two Python objects, but one storage.",
    )
    expect(
        says(a, a[2:]),
        "`share_storage` says `False` for `a` and `a[2:]`, which begin at different cells of one storage. The "
        "`data_ptr()` of a tensor is where its first element lies; the storage has one of its own.",
    )
    expect(
        says(a[:2], a[4:]),
        "`share_storage` says `False` for `a[:2]` and `a[4:]`. Neither is a view of the other, and they have no cell "
        "in common; yet both look at the same storage.",
    )
    for name, header in (
        ("`a.detach()`", a.detach()),
        ("`a.data`", a.data),
        ("a header set on its storage", _set_on(a)),
    ):
        expect(
            says(a, header) and says(header[3:], a[:2]),
            f"`share_storage` says `False` for `a` and {name}, or for parts of the two. `_base` knows nothing of "
            "them, and yet they look at the same storage: ask the storages.",
        )
    expect(
        not says(a, a.clone()),
        "`share_storage` says `True` for `a` and `a.clone()`, which hold equal values in two storages. "
        "(Did you compare values, or the ids of objects that nobody keeps?)",
    )
    expect(
        not says(a[:3].clone(), a[:3].clone()),
        "`share_storage` says `True` for two clones, each of which has a storage of its own.",
    )
    expect(
        not says(a, a.clone()[2:].view(2, 2)),
        "`share_storage` says `True` for `a` and a view of a clone of it, whose storage is the clone's.",
    )
    return "It is right about views, parts and clones, and about headers that are views of nothing."


def _set_on(a: Any) -> Any:
    """A header laid over the storage of `a`, which has no `_base`."""
    return a.new_empty(0).set_(a.untyped_storage())


@exercise(
    "02-middle",
    setup="a = torch.arange(0, 6)",
    hints=[
        "A slice is a view, and a view can be viewed again.",
        "First take the four cells, as `a[2:]` took four others; then give them two dimensions.",
        "middle = a[…:…].view(…, …)",
        "middle = a[1:5].view(2, 2)",
    ],
)
def middle(middle: Any, *, a: Any) -> str:
    expect_tensor(middle, "middle")
    expect(
        facts.shape(middle) != (4,),
        "`middle` has shape (4,): the four cells in a row. The second step gives them two dimensions.",
    )
    expect_tensor(middle, "middle", shape=(2, 2))
    expect_view(middle, "middle", of=a, of_name="a", because="Slicing and `view` would both give a view.")
    expect_tensor(middle, "middle", offset=facts.offset(a) + 1)
    expect(
        facts.stride(middle) != (3, 1),
        "`middle` has stride (3, 1): it is two columns of `a.view(2, 3)`, cells 1, 2, 4 and 5. Take cells 1 to 4 "
        "first, and then view them.",
    )
    expect_tensor(middle, "middle", stride=(2, 1))
    return "Offset 1, size (2, 2), stride (2, 1), and no number moved."


@exercise(
    "02-whole",
    setup="tail = torch.arange(10, 20)[7:]",
    hints=[
        "A view keeps its whole storage alive, and a new header can be put on all of it.",
        "`set_` did this with the storage of `c`. The new header needs the dtype of `tail`.",
        "whole = torch.empty(0, dtype=tail.dtype).set_(…)",
        "whole = torch.empty(0, dtype=tail.dtype).set_(tail.untyped_storage())",
    ],
)
def whole(whole: Any, *, tail: Any) -> str:
    expect_tensor(whole, "whole")
    elements = facts.nbytes(tail.untyped_storage()) // tail.element_size()
    expect(
        facts.shape(tail) == (3,),
        f"`tail` itself has changed: its shape is {facts.shape(tail)} now. `set_`, `resize_` and all methods whose "
        "names end in _ change the tensor that they are called on. Leave `tail` as it is, and put a new, empty header "
        "on its storage.",
    )
    expect_view(whole, "whole", of=tail, of_name="tail", because="Put the header on the storage of `tail` itself.")
    expect(
        facts.dtype_name(whole) == facts.dtype_name(tail),
        f"`whole` has dtype torch.{facts.dtype_name(whole)}: it reads the bytes as other numbers. The storage does "
        f"not know its dtype: say that it is torch.{facts.dtype_name(tail)}.",
    )
    expect(
        facts.elements(whole) != facts.elements(tail),
        "`whole` sees no more than `tail`; its storage holds more than that.",
    )
    expect(
        facts.elements(whole) != elements or len(facts.shape(whole)) == 1,
        f"`whole` sees all {elements} elements, but has shape {facts.shape(whole)}. One dimension was asked for.",
    )
    expect_tensor(whole, "whole", shape=(elements,), offset=0, stride=(1,))
    shown = facts.shape(tail)[0]
    return f"All {elements} elements, of which `tail` showed {shown}. `set_` finds them also where `_base` is None."


@exercise(
    "02-count",
    hints=[
        "A view adds a header, a clone adds a header and a storage, and `=` alone adds neither.",
        "Use the table above: go line by line and count what each allocates.",
        "headers = …     # e, f, g, h; and is i another one?\nstorages = …    # that of e, and that of …",
        "headers = 4\nstorages = 2",
    ],
)
def count(headers: Any, storages: Any) -> str:
    headers_mistakes = {
        5: "`i = e` makes no header: it is a second name for one object.",
        2: "That is how many storages there are; every view has a header of its own.",
        3: "Each of `e`, `f`, `g` and `h` has its own header.",
    }
    storages_mistakes = {
        1: "`clone` allocates a storage of its own.",
        3: "A slice of a clone is a view of the clone; it allocates nothing.",
        4: "Not every header has a storage of its own: `transpose` and slices are views.",
        5: "Not every name has a storage of its own: `transpose` and slices are views.",
    }
    with every_slot():
        expect_equal(headers, "headers", 4, headers_mistakes)
        expect_equal(storages, "storages", 2, storages_mistakes)
    return "`e` and `f` are on one storage, `g` and `h` on the other, and `i` is `e`."
