"""The names that `glassroom` offers: found on first use, and never hidden by a module of the package."""

from pathlib import Path

import glassroom


def test_every_public_name_is_there():
    for name in glassroom.__all__:
        assert getattr(glassroom, name) is not None


def test_no_module_has_the_name_of_something_public():
    # Python puts a module into its package when it is imported: it would take the place of the function.
    here = Path(glassroom.__file__).parent
    modules = {path.stem for path in here.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert modules.isdisjoint(glassroom.__all__)
