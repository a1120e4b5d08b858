"""Untyped storages: bytes, their slices, and what happens when they are resized under their headers."""

from __future__ import annotations

import pytest

import tensorglass as torch


def test_a_slice_shares_its_bytes() -> None:
    storage = torch.UntypedStorage([1, 2, 3])
    storage[1:].fill_(9)
    assert storage.tolist() == [1, 9, 9]


def test_resize_keeps_what_fits_and_headers_follow_the_new_bytes() -> None:
    tensor = torch.arange(4, dtype=torch.uint8)
    tensor.untyped_storage().resize_(8)
    tensor.untyped_storage()[0] = 7
    assert tensor.tolist() == [7, 1, 2, 3]


def test_reading_past_a_storage_that_was_shortened_is_an_error() -> None:
    tensor = torch.arange(4)
    tensor.untyped_storage().resize_(8)
    with pytest.raises(RuntimeError, match="out of bounds for storage of size 8"):
        tensor.tolist()


def test_conversions_take_each_byte_for_a_number() -> None:
    assert torch.UntypedStorage([1, 0]).float().tolist() == [1.0, 0.0]
    assert torch.UntypedStorage([1, 0]).bool().tolist() == [True, False]


def test_byteswap_turns_each_element_around() -> None:
    storage = torch.UntypedStorage([1, 2, 3, 4])
    storage.byteswap(torch.int16)
    assert storage.tolist() == [2, 1, 4, 3]
