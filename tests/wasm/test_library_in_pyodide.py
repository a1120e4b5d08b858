"""The library where pointers have 32 bits: its own tests, as far as they need no processes, no threads, no users."""

import pytest

#: The rooms whose tests run there, in as many processes: all but those about processes, and those whose time is spent
#: in arrays too large for a browser.
ROOMS = {
    "operators": ["tests/library/ops"],
    "tensors": ["tests/geometry", "tests/library/core", "tests/library/tensor", "tests/library/storage",
                "tests/library/memory", "tests/library/func", "tests/library/interop"],
    "networks and files": ["tests/library/nn", "tests/library/serialization/test_saving.py"],
}  # fmt: skip


@pytest.mark.parametrize("rooms", ROOMS)
def test_the_librarys_own_tests_pass_with_pointers_of_32_bits(in_pyodide, rooms):
    result = in_pyodide("library.py", *ROOMS[rooms])[-1]
    assert not result["failures"], "\n\n".join(result["failures"][:10])
    assert result["outcomes"]["passed"] > 100
