"""The course's own modules in another language: their sentences are replaced as they are imported.

In English none of this is imported.
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from glassroom.translations import catalogue, templates
from glassroom.translations.homes import PACKAGE, home


def load_in(folder: Path | None) -> None:
    """From now on, take the sentences of modules from the catalogues in this folder; None for English."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Finder)]
    if folder is not None:
        sys.meta_path.insert(0, _Finder(folder))


class _Finder(MetaPathFinder):
    """Finds modules of the package where Python would, and has them loaded with translated sentences."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith("glassroom."):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or not isinstance(spec.loader, SourceFileLoader):
            return spec
        source = Path(spec.loader.path).resolve()
        if not source.is_relative_to(PACKAGE):
            return spec
        module = source.relative_to(PACKAGE).as_posix()
        name = home(module)
        if name is not None and (messages := self.folder / f"{name}.po").is_file():
            spec.loader = _Loader(spec.loader.name, spec.loader.path, self.folder.name, module, messages)
        return spec


class _Loader(SourceFileLoader):
    """Compiles a module with the sentences of a catalogue, and keeps the result beside Python's own."""

    def __init__(self, fullname: str, path: str, code: str, module: str, messages: Path) -> None:
        super().__init__(fullname, path)
        self.code, self.module, self.messages = code, module, messages

    def get_code(self, fullname: str) -> CodeType:
        stamp = MAGIC_NUMBER + repr([_age(path) for path in (self.path, self.messages, templates.__file__)]).encode()
        kept = Path(cache_from_source(self.path, optimization=self.code.replace("_", "")))
        with suppress(OSError, EOFError, ValueError, TypeError):
            content = kept.read_bytes()
            if content.startswith(stamp):
                code: Any = marshal.loads(content[len(stamp) :])
                return code
        table = catalogue.read(self.messages)
        tree = templates.translated(
            Path(self.path).read_bytes(), lambda text: table.get((self.module, text)), filename=self.path
        )
        code = compile(tree, self.path, "exec", dont_inherit=True)
        if not sys.dont_write_bytecode:
            with suppress(OSError):
                kept.parent.mkdir(exist_ok=True)
                partial = kept.with_name(f"{kept.name}.{os.getpid()}")
                partial.write_bytes(stamp + marshal.dumps(code))
                partial.replace(kept)
        return code


def _age(path: str | Path) -> tuple[int, int]:
    about = os.stat(path)
    return about.st_mtime_ns, about.st_size
