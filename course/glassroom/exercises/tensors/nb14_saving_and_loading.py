"""Exercises of notebook 14 of part 2: what is in a file of tensors, and what may be."""

from __future__ import annotations

import io
import json
import math
import os
import pickle
import struct
import tempfile
from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import Misconception, exercise
from glassroom.exercises.expect import (
    call,
    expect,
    expect_copy,
    expect_tensor,
    expect_truths,
    expect_value,
    names_read,
    run,
)
from glassroom.exercises.facts import first_sentence, is_tensor, nbytes, share_memory


@exercise(
    "t14-buffer",
    setup="""
    import io
    state = {"w": torch.arange(6.0).view(2, 3), "step": 3}
    buffer = io.BytesIO()
    """,
    hints=[
        "A file has a position. Writing leaves it after what was written, and reading begins there.",
        "Three steps: save to the buffer, go back to its beginning, load from it.",
        """
        torch.save(state, buffer)
        buffer.seek(…)
        loaded = torch.load(…)
        """,
        """
        torch.save(state, buffer)
        buffer.seek(0)
        loaded = torch.load(buffer)
        """,
    ],
)
def buffer(loaded: Any, *, state: dict[str, Any]) -> str:
    expect(loaded is not state, "`loaded` is `state` itself; nothing was saved and loaded.")
    expect(isinstance(loaded, dict) and loaded.keys() == state.keys(), "`loaded` should have the keys of `state`.")
    expect_value(loaded["w"], "loaded['w']", state["w"])
    expect_copy(loaded["w"], "loaded['w']", of=state["w"], of_name="state['w']", because="dict() copies no tensor.")
    expect(loaded["step"] == state["step"], f"`loaded['step']` is {loaded['step']!r}; it should be {state['step']}.")
    read = names_read("loaded")
    expect(
        not read or read["buffer"] > 1,
        "nothing was written into `buffer`: what is loaded comes from there, and so has to be saved there.",
    )
    return "Bytes in memory are a file like any other, and loading reads it from its beginning."


@exercise(
    "t14-small",
    setup="""
    import pickle
    big = torch.arange(1_000_000).view(1000, 1000)
    """,
    hints=[
        "pickle writes the whole storage, so the part needs a storage of its own.",
        "Which copy is always a copy? contiguous() copies nothing where the part is contiguous already.",
        """
        def packed(part):
            return pickle.dumps(part.…())
        """,
        """
        def packed(part):
            return pickle.dumps(part.clone())
        """,
    ],
)
def small(packed: Callable[..., Any], *, big: Any) -> str:
    big = big.new_ones(big.numel()).cumsum(0).view(big.shape)  # no two alike, whatever the notebook's holds
    for part, name in ((big[:, 3], "big[:, 3]"), (big[3], "big[3]"), (big[::100, ::100], "big[::100, ::100]")):
        data = call(packed, "packed", part)
        expect(isinstance(data, bytes), f"`packed({name})` is not bytes; pickle.dumps gives bytes.")
        expect(
            len(data) < nbytes(part) + 2000,
            f"`packed({name})` is {len(data):,} bytes long, for {nbytes(part):,} bytes of elements: it holds the whole "
            "storage.",
        )
        try:
            loaded = pickle.loads(data)
        except Exception as error:
            expect(
                False,
                f"`packed({name})` is no pickle: pickle.loads raised {first_sentence(error)} pickle.dumps makes one.",
            )
        expect_tensor(loaded, f"pickle.loads(packed({name}))")
        expect_value(loaded, f"pickle.loads(packed({name}))", part)
    return "A storage of its own, as long as the part: that is all there is to write."


@exercise(
    "t14-together",
    setup="""
    whole = torch.zeros(2, 3)
    load = torch.load
    """,
    hints=[
        "Tensors that are saved in one call share memory again if they shared it before.",
        "What can hold both, and be saved in one call? A list, a tuple or a dictionary.",
        """
        def save_both(whole, part, file):
            torch.save([…, …], file)
        """,
        """
        def save_both(whole, part, file):
            torch.save([whole, part], file)
        """,
    ],
)
def together(save_both: Callable[..., Any], *, whole: Any, load: Callable[..., Any]) -> str:
    file = io.BytesIO()
    run(save_both, "save_both", whole, whole[1], file)
    expect(file.tell() or file.getvalue(), "`save_both` wrote nothing to the file.")
    file.seek(0)
    try:
        loaded = load(file)
    except Exception as error:
        raise Misconception(
            f"what was written cannot be loaded: torch.load raised {first_sentence(error)} Write it with one call of "
            "torch.save, which takes a list of both."
        ) from None
    parts = list(loaded.values()) if isinstance(loaded, dict) else loaded
    expect(
        isinstance(parts, list | tuple) and len(parts) == 2 and all(map(is_tensor, parts)),
        "what is loaded should be two tensors, in a list, a tuple or a dictionary: one call of `save` for both.",
    )
    first, second = sorted(parts, key=nbytes, reverse=True)
    expect_tensor(first, "the larger", shape=(2, 3))
    expect_tensor(second, "the smaller", shape=(3,))
    expect(share_memory(first, second), "the two that are loaded share no memory. Was one of them copied before?")
    return "One call of save, one storage in the file, one storage after load."


DATA = {
    "nested": (True, "Lists and dictionaries of tensors are data, nested as deep as you like."),
    "size": (True, "A torch.Size is a tuple of numbers, and its name is one of the few that load knows."),
    "function": (False, "A function is saved as a name, which would be looked up in a module when it is loaded."),
    "own_class": (False, "To make the object, its class would have to be called, and a class may do anything."),
    "text": (True, "Text is data, whatever it says. It does nothing until somebody runs it."),
}


@exercise(
    "t14-data",
    hints=[
        "A file may hold plain data: tensors, numbers, text, and containers of these.",
        "To bring back an object of a class, or a function, Python has to look a name up and call it.",
        "Two of the five are refused.",
        """
        nested = True
        size = True
        function = False
        own_class = False
        text = True
        """,
    ],
)
def data(nested: Any, size: Any, function: Any, own_class: Any, text: Any) -> str:
    expect_truths(DATA, (nested, size, function, own_class, text))
    return "Data comes back as it was. What would have to be called does not come back."


FILES: list[dict[str, list[int]]] = [{"a": [2, 3]}, {"w": [4], "b": [], "table": [2, 0, 3]}]


@exercise(
    "t14-header",
    setup="import json\nimport struct",
    hints=[
        "Eight bytes say how long the header is; the header is text, in JSON; you do not need what follows.",
        (
            "struct.unpack('<Q', eight_bytes) gives a tuple of one number; json.loads takes bytes. One key is not a "
            "tensor."
        ),
        """
        def shapes(path):
            with open(path, "rb") as file:
                (length,) = struct.unpack("<Q", file.read(8))
                header = json.loads(file.read(…))
            return {name: each["…"] for name, each in header.items() if name != "__metadata__"}
        """,
        """
        def shapes(path):
            with open(path, "rb") as file:
                (length,) = struct.unpack("<Q", file.read(8))
                header = json.loads(file.read(length))
            return {name: each["shape"] for name, each in header.items() if name != "__metadata__"}
        """,
    ],
)
def header(shapes: Callable[..., Any]) -> str:
    for wanted in FILES:
        with tempfile.TemporaryDirectory() as folder:
            returned = call(shapes, "shapes", _written(folder, wanted))
        expect(isinstance(returned, dict), "`shapes(path)` should be a dictionary: a shape for each name.")
        expect("__metadata__" not in returned, "`__metadata__` is not a tensor: files keep notes under this name.")
        expect(
            {name: list(shape) for name, shape in returned.items()} == wanted,
            f"for a file with the shapes {wanted}, `shapes` says {returned}.",
        )
    return "Names, dtypes and shapes are in the header: a few hundred bytes tell them, however long the file is."


def _written(folder: str, shapes: dict[str, list[int]]) -> str:
    """The path of a new safetensors file with tensors of these shapes, all zeros."""
    described: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name, shape in shapes.items():
        begin, end = end, end + 4 * math.prod(shape)
        described[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(described).encode()
    path = os.path.join(folder, "some.safetensors")
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + bytes(end))
    return path
