"""``torch.hub``: files of weights that are downloaded once, into the folder that PyTorch keeps them in."""

from __future__ import annotations

import hashlib
import os
import re
import sys
import uuid
from typing import Any
from urllib.parse import urlparse

from tensorglass.core.refusing import refusing
from tensorglass.serialization import save_load

__all__ = ["download_url_to_file", "get_dir", "load_state_dict_from_url", "set_dir"]

__getattr__ = refusing("hub")

HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")  #: the beginning of a file's hash in its name: "resnet18-5c106cde.pth"
_CHUNK = 128 * 1024  #: bytes
_folder: str | None = None


def get_dir() -> str:
    """The folder of downloaded files: that of `set_dir`, else ``hub`` in $TORCH_HOME or in ``~/.cache/torch``."""
    return os.path.join(_get_torch_home(), "hub") if _folder is None else _folder


def _get_torch_home() -> str:
    """The folder of all that PyTorch downloads: $TORCH_HOME, else ``torch`` in $XDG_CACHE_HOME or in ``~/.cache``."""
    caches = os.path.join(os.environ.get("XDG_CACHE_HOME", "~/.cache"), "torch")
    return os.path.expanduser(os.environ.get("TORCH_HOME", caches))


def set_dir(d: str | os.PathLike[str]) -> None:
    """Choose the folder of downloaded files."""
    global _folder
    _folder = os.path.expanduser(d)


def download_url_to_file(url: str, dst: str, hash_prefix: str | None = None, progress: bool = True) -> None:
    """Download a file. It appears at `dst` once it is complete; until then what was there stays.

    With `hash_prefix`, RuntimeError if the file's SHA-256 does not begin with it. With `progress`, the bytes that have
    come are counted on stderr.
    """
    from urllib.request import Request, urlopen  # when it is needed: imports should be quick

    dst = os.path.expanduser(dst)
    partial = f"{dst}.{uuid.uuid4().hex}.partial"
    hashed = hashlib.sha256()
    try:
        with urlopen(Request(url, headers={"User-Agent": "torch.hub"})) as source, open(partial, "xb") as file:
            length = source.headers.get("Content-Length")
            while chunk := source.read(_CHUNK):
                file.write(chunk)
                hashed.update(chunk)
                if progress:
                    sys.stderr.write(f"\r{file.tell():,} of {int(length):,} bytes" if length else f"\r{file.tell():,}")
            if progress:
                sys.stderr.write("\n")
        digest = hashed.hexdigest()
        if hash_prefix is not None and not digest.startswith(hash_prefix):
            raise RuntimeError(f'invalid hash value (expected "{hash_prefix}", got "{digest}")')
        os.replace(partial, dst)
    finally:
        if os.path.exists(partial):
            os.remove(partial)


def load_state_dict_from_url(
    url: str,
    model_dir: str | None = None,
    map_location: Any = None,
    progress: bool = True,
    check_hash: bool = False,
    file_name: str | None = None,
    weights_only: bool = True,
) -> Any:
    """What is in the file at this address, which is downloaded into `model_dir` unless it is there.

    With `check_hash`, the file's name has the beginning of its hash, as in ``resnet18-5c106cde.pth``, and RuntimeError
    says that it is another one. The file is read as data, other than in PyTorch, unless `weights_only` is False.
    """
    if model_dir is None:
        model_dir = os.path.join(get_dir(), "checkpoints")
    os.makedirs(model_dir, exist_ok=True)
    name = file_name if file_name is not None else os.path.basename(urlparse(url).path)
    path = os.path.join(model_dir, name)
    if not os.path.exists(path):
        sys.stdout.write(f'Downloading: "{url}" to {path}\n')
        match = HASH_REGEX.search(name) if check_hash else None
        download_url_to_file(url, path, match and match.group(1), progress)
    return save_load.load(path, map_location, weights_only=weights_only)
