"""`save` and `load`: tensors, and the plain data around them, in files.

A file is read by what is in it, and written by its name: PyTorch's zip if the name is one that PyTorch's files have,
else safetensors. A file is data. Nothing in it can make `load` call anything but the few functions in here that make
tensors, numbers and containers; whatever else a file asks for is refused. Objects of other classes are pickled, and
read only if a program says `weights_only=False` or names their classes as trusted.

=================  ==========================================================================
`runs`             which bytes are written: those that tensors show, each once
`tree`             nested dictionaries and lists as JSON, with numbers in place of tensors
`safetensors`      the safetensors format, and tensors into such files and out of them
`pickled`          plain data as PyTorch pickles it: what is written
`unpickled`        and what is read, by a machine that can do nothing else
`zip_io`           tensors into PyTorch's zip files and out of them
`objects`          objects of any class, as PyTorch pickles them
`safe_globals`     classes and functions that a program trusts
`settings`         byte order, and files without their bytes
`files`            files that are written whole or not at all; files that are mapped rather than read
`save_load`        `save` and `load`: what kind of file it is
`locations`        on which device a loaded storage goes
=================  ==========================================================================
"""

import pickle as pickle

from tensorglass.serialization.locations import MAP_LOCATION, default_restore_location
from tensorglass.serialization.safe_globals import (
    add_safe_globals,
    clear_safe_globals,
    get_safe_globals,
    safe_globals,
)
from tensorglass.serialization.save_load import get_unsafe_globals_in_checkpoint, load, save
from tensorglass.serialization.settings import (
    DEFAULT_PROTOCOL,
    LoadEndianness,
    get_default_load_endianness,
    set_default_load_endianness,
    skip_data,
)

__all__ = [
    "DEFAULT_PROTOCOL",
    "MAP_LOCATION",
    "LoadEndianness",
    "add_safe_globals",
    "clear_safe_globals",
    "default_restore_location",
    "get_default_load_endianness",
    "get_safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "load",
    "safe_globals",
    "save",
    "set_default_load_endianness",
    "skip_data",
]
