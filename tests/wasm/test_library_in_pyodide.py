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

#: Tests that cannot pass there, by the beginnings of their names, and why.
DIFFERENT = {
    "tests/library/ops/creation/test_creation.py::test_too_large_a_tensor": "2**31 bytes is all that there is",
    "tests/library/tensor/test_printing.py::test_only_what_is_shown_is_read": "no array has 2**31 bytes",
    "tests/library/ops/kernels/test_thin_products.py": "its OpenBLAS adds a million numbers up in one",
    "tests/library/interop/test_dlpack.py": "NumPy 2.0 reads DLPack's memory only",
}


@pytest.mark.parametrize("rooms", ROOMS)
def test_the_librarys_own_tests_pass_with_pointers_of_32_bits(in_pyodide, rooms):
    result = in_pyodide("library.py", *ROOMS[rooms], *[f"--deselect={name}" for name in DIFFERENT])[-1]
    assert not result["failures"], "\n\n".join(result["failures"][:10])
    assert result["outcomes"]["passed"] > 100


def test_the_readmes_tour_prints_what_it_should_and_what_needs_processes_or_a_package_says_so(in_pyodide):
    [said] = in_pyodide("without_processes.py")
    tour = said.pop("the tour")
    assert tour
    assert all(printed == stated for printed, stated in tour)
    assert said.pop("saved") == [[0, 1, 2], [0, 1, 2]]
    assert said.pop("start methods") == []
    assert said.pop("gradients of classes") == [-0.4, -0.4]
    for what in ("a loader's workers", "a process", "a context", "a queue", "a pool", "spawn"):
        error, message, note = said.pop(what)
        assert (error, message) == ("NotImplementedError", "no process can be started on 'emscripten'"), what
        assert "num_workers=0" in note
    assert said.pop("shared memory")[1] == "tensors cannot be shared between processes on 'emscripten'"
    assert said.pop("a shared file")[1] == "no file can be mapped for writing on 'emscripten'"
    assert "pip install ml_dtypes" in said.pop("bfloat16")[-1]
    assert "mpi4py is needed" in said.pop("a process group")[-1]
    assert not said
