"""What must be installed before a command can work, and the message if it is not. Nothing is imported here in advance,
so that the check itself never fails.
"""

from importlib import import_module
from importlib.util import find_spec

from glassroom.translations.templates import as_is
from glassroom.workspace.problems import Exit, Problem
from glassroom.workspace.sources import checkout

OLDEST_NUMPY = (2, 0)


def install_command(extras: str) -> str:
    """The command that installs the given extras, in a checkout or from the package index."""
    root = checkout()
    return as_is(f"pip install -e '{root}[{extras}]'") if root else as_is(f"pip install 'tensorglass[{extras}]'")


def numpy_problem() -> str | None:
    """What is wrong with the installed NumPy, or None if it is usable."""
    oldest = ".".join(map(str, OLDEST_NUMPY))
    if find_spec("numpy") is None:
        return f"NumPy is not installed. Nothing here works without it: pip install 'numpy>={oldest}'"
    try:
        version = str(import_module("numpy").__version__)
        numbers = tuple(int(part) for part in version.split(".")[:2])
    except Exception as error:  # importing a broken binary can raise anything
        return f"NumPy cannot be imported ({error}). Install it again: pip install --force-reinstall numpy"
    if numbers < OLDEST_NUMPY:
        return f"NumPy {version} is older than {oldest}. Update it: pip install -U 'numpy>={oldest}'"
    return None


def require_numpy() -> None:
    """Raise `Problem` unless there is a usable NumPy."""
    problem = numpy_problem()
    if problem:
        raise Problem(problem, Exit.REQUIREMENT)


def require_modules(*names: str, extras: str = "course") -> None:
    """Raise `Problem` unless every module named can be found, with the command that installs them."""
    missing = [name for name in names if find_spec(name) is None]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        message = f"{', '.join(missing)} {verb} not installed. Install what is needed: {install_command(extras)}"
        raise Problem(message, Exit.REQUIREMENT)
