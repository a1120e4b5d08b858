"""The CUDA source that the course has compiles: what a GPU would be given, checked without one by NVRTC."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # without a GPU CuPy warns that there is none
    nvrtc = pytest.importorskip("cupy", reason="CuPy is not installed: pip install 'tensorglass[gpu]'").cuda.nvrtc

NOTEBOOK = Path(__file__).parents[3] / "notebooks/4_extensions/08_kernels_of_your_own.ipynb"


def constants() -> dict[str, str]:
    """The strings of the notebook's solution, by name."""
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    source = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    sources = re.findall(r'^([A-Z]+) = (?:"""(.*?)"""|"(.*?)")', source, re.MULTILINE | re.DOTALL)
    return {name: long or short for name, long, short in sources}


def compiled(source: str, names: tuple[str, ...], capability: int) -> str:
    """The PTX of the source for devices of this compute capability. Raises what the compiler says of mistakes."""
    try:
        program = nvrtc.createProgram(source, "kernels.cu", (), ())
    except RuntimeError as error:
        pytest.skip(f"NVRTC cannot be loaded ({error}): pip install 'tensorglass[gpu]'")
    for name in names:
        nvrtc.addNameExpression(program, name)
    try:
        nvrtc.compileProgram(program, (f"-arch=compute_{capability}", "--std=c++17"))
    except nvrtc.NVRTCError:
        pytest.fail(nvrtc.getProgramLog(program))
    ptx = nvrtc.getPTX(program)
    return ptx.decode() if isinstance(ptx, bytes) else ptx


@pytest.mark.parametrize("capability", [70, 80, 90, 100])
def test_the_kernels_of_the_notebook_compile(capability: int) -> None:
    slope = constants()["SLOPE"]
    ptx = compiled(slope, ("bump_slope<float>", "bump_slope<double>"), capability)
    assert ptx.count(".entry") == 2


@pytest.mark.parametrize("dtype", ["float", "double"])
def test_the_elementwise_kernel_of_the_notebook_compiles(dtype: str) -> None:
    body = constants()["BUMP"].replace("T ", f"{dtype} ")
    # As CuPy has it: operands by name, one element a thread.
    source = f"""
    extern "C" __global__ void bump(const {dtype}* x_, double m, {dtype}* y_, long long count) {{
        long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
        if (i < count) {{
            const {dtype} x = x_[i];
            {dtype}& y = y_[i];
            {body};
        }}
    }}"""
    assert ".entry bump" in compiled(source, (), 80)


def test_a_mistake_is_found() -> None:
    with pytest.raises(pytest.fail.Exception, match="identifier"):
        compiled('extern "C" __global__ void f(float* x) { x[0] = nobody; }', (), 80)
