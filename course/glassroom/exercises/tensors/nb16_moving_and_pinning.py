"""Exercises on what transfers cost, and when pinning helps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.account import account
from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import (
    call,
    expect,
    expect_device,
    expect_equal,
    expect_tensor,
    expect_truths,
)
from glassroom.exercises.facts import (
    share_memory,
    values,
)


@exercise(
    "t16-send",
    setup="""
    from glassroom import course_device
    device = course_device(torch)
    parts = [torch.ones(1000) for _ in range(3)]
    """,
    hints=[
        "Make one tensor of them on the host, and send that. Views of it cost nothing.",
        "torch.stack before the transfer; afterwards you can loop over the first dimension.",
        """
        def send(tensors, device):
            there = torch.stack(tensors).to(device)
            return …
        """,
        """
        def send(tensors, device):
            return list(torch.stack(tensors).to(device))
        """,
    ],
)
def send(send: Callable[..., Any], *, parts: Any, device: str) -> str:
    tensors = [part[:4] + number for number, part in enumerate(parts)]
    with account() as kept:
        sent = call(send, "send", tensors, device)
    transfers = len(kept.transfers)
    expect(
        isinstance(sent, (list, tuple)),
        "`send` should return a list: list(…) of a tensor gives its rows, which are views.",
    )
    expect_equal(len(sent), "len(send(tensors, device))", len(tensors))
    for number, (tensor, wanted) in enumerate(zip(sent, tensors, strict=True)):
        name = f"send(tensors, device)[{number}]"
        expect_tensor(tensor, name, shape=(4,))
        expect_device(tensor, name, device)
        expect_equal(values(tensor), f"{name}.tolist()", values(wanted))
    expect(
        all(share_memory(sent[0], other) for other in sent[1:]),
        "each has a storage of its own, so each was a transfer of its own. Put them together before you send them.",
    )
    expect(
        transfers <= 1,
        f"there were {transfers} transfers, one for each tensor. Put them together *before* you send them.",
    )
    return "One storage, one transfer, and a view for each."


PINNING = {
    "one_line": (False, "pin_memory() copies on the host, once for each tensor: as slow as what it avoids."),
    "buffer": (True, "The buffer is pinned once, and every batch is sent at the higher rate."),
    "made_there": (False, "Nothing is transferred: the tensors are made on the device."),
    "loader": (True, "Another thread pins, and the transfer overlaps with computing."),
}


@exercise(
    "t16-pin",
    hints=[
        "Pinning costs a copy on the host. It pays off if it happens once, or if somebody else does it.",
        "Ask of each: is there a transfer? Who pins, and how often?",
        "Two of the four pay off.",
        """
        one_line = False
        buffer = True
        made_there = False
        loader = True
        """,
    ],
)
def pin(one_line: Any, buffer: Any, made_there: Any, loader: Any) -> str:
    expect_truths(PINNING, (one_line, buffer, made_there, loader))
    return "Pinned memory pays off when it is used again, or when the transfer overlaps with work."
