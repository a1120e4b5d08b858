"""Fetch what the layer `pythons` needs: ``python tests/pythons/fetch.py FOLDER``, then ``PYTHONS=FOLDER``.

For each version of Python there is FOLDER/VERSION/python, a program, and FOLDER/VERSION/packages. An interpreter that
this machine has is taken, from PATH or pyenv; otherwise that of Debian's testing distribution, unpacked into a folder
by mmdebstrap and shown to its own processes in the place of /usr by bubblewrap. A version that cannot be had so is
named, and left out. 3.13t is the free-threaded build, which Debian does not have: it must be on PATH or in pyenv.
"""

import glob
import shutil
import subprocess
import sys
from pathlib import Path

VERSIONS = ("3.12", "3.13", "3.13t", "3.14")
PACKAGES = ("hypothesis>=6.100", "ml_dtypes>=0.5", "numpy>=2.0", "pytest>=8.2", "pytest-timeout>=2.3", "scipy>=1.16")


def runs(program: str, version: str) -> bool:
    """Whether a program is this version of Python. pyenv has programs that only say how to choose a version."""
    asked = [program, "-c", "import sys; print('%d.%d' % sys.version_info[:2] + 't' * ('t' in sys.abiflags))"]
    try:
        said = subprocess.run(asked, capture_output=True, text=True, timeout=60, check=False)
    except OSError:
        return False
    return said.returncode == 0 and said.stdout.strip() == version


def installed(version: str) -> str | None:
    """A program of this version that the machine has."""
    paths = [shutil.which(f"python{version}") or ""]
    if pyenv := shutil.which("pyenv"):
        root = subprocess.run([pyenv, "root"], capture_output=True, text=True, check=False).stdout.strip()
        paths += sorted(glob.glob(f"{root}/versions/{version.rstrip('t')}.*/bin/python"))
    return next((path for path in paths if path and runs(path, version)), None)


def done(command: list[str]) -> bool:
    """Whether a command ended well, and within ten minutes."""
    try:
        return subprocess.run(command, timeout=600, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def unpacked(version: str, folder: Path) -> str | None:
    """What a script must run for Debian's Python of this version, unpacked into `folder`; None if it cannot be had."""
    if version.endswith("t") or not (shutil.which("mmdebstrap") and shutil.which("bwrap")):
        return None
    # A mirror that is behind is no danger here: packages are still signed.
    late = '--aptopt=Acquire::Check-Valid-Until "false"'
    command = ["mmdebstrap", "--quiet", "--variant=extract", late, f"--include=python{version},libstdc++6"]
    if not done([*command, "testing", str(folder)]):
        return None
    return f"bwrap --bind / / --ro-bind {folder}/usr /usr --dev /dev --proc /proc -- /usr/bin/python{version}"


def main(folder: Path) -> None:
    for version in VERSIONS:
        here = folder.absolute() / version
        script = here / "python"
        if script.exists():
            continue
        shutil.rmtree(here, ignore_errors=True)
        here.mkdir(parents=True)
        wanted = ["--only-binary", ":all:", "--python-version", version.rstrip("t"), "--target", str(here / "packages")]
        if version.endswith("t"):  # later hypothesis has code for the stable ABI, which this build cannot load
            wanted += ["--abi", f"cp{version.replace('.', '')}", "hypothesis<6.149"]
        command = installed(version) or unpacked(version, here / "system")
        if command is None or not done([sys.executable, "-m", "pip", "--quiet", "install", *wanted, *PACKAGES]):
            print(f"Python {version} cannot be had here, and is left out.")
            continue
        script.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        script.chmod(0o755)
        said = subprocess.run([script, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        print(f"{said}: {command.partition(' ')[0]}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
