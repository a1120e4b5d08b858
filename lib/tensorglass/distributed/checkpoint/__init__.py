"""`torch.distributed.checkpoint`: what would save and load networks that are shared among processes. None are here."""

from __future__ import annotations

from tensorglass.core.left_out import LeftOut, left_out

__all__ = [
    "AsyncStager",
    "BytesStorageMetadata",
    "DefaultLoadPlanner",
    "DefaultSavePlanner",
    "FileSystemReader",
    "FileSystemWriter",
    "FsspecReader",
    "FsspecWriter",
    "LoadPlanner",
    "Metadata",
    "SavePlanner",
    "StorageReader",
    "StorageWriter",
    "TensorStorageMetadata",
    "async_save",
    "load",
    "load_state_dict",
    "save",
    "save_state_dict",
]


class StorageReader(LeftOut):
    """What reads parts of networks."""


class FileSystemReader(StorageReader, LeftOut):
    """What reads them from files."""


class StorageWriter(LeftOut):
    """What writes parts of networks."""


class FileSystemWriter(StorageWriter, LeftOut):
    """What writes them to files."""


class FsspecReader(FileSystemReader, LeftOut):
    """What reads them from files elsewhere."""


class FsspecWriter(FileSystemWriter, LeftOut):
    """What writes them to files elsewhere."""


class AsyncStager(LeftOut):
    """What copies them before they are written."""


class LoadPlanner(LeftOut):
    """Who reads which part."""


class DefaultLoadPlanner(LoadPlanner, LeftOut):
    """That each process reads its own part."""


class SavePlanner(LeftOut):
    """Who writes which part."""


class DefaultSavePlanner(SavePlanner, LeftOut):
    """That each process writes its own part."""


class Metadata(LeftOut):
    """What the files have."""


class BytesStorageMetadata(LeftOut):
    """That an entry is an object."""


class TensorStorageMetadata(LeftOut):
    """That an entry is a tensor."""


async_save = left_out("distributed.checkpoint.async_save")
load = left_out("distributed.checkpoint.load")
load_state_dict = left_out("distributed.checkpoint.load_state_dict")
save = left_out("distributed.checkpoint.save")
save_state_dict = left_out("distributed.checkpoint.save_state_dict")
