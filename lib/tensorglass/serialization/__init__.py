"""`save` and `load`: tensors, and the plain data around them, in files.

A file is read by what is in it, and written by its name: PyTorch's zip if the name is one that PyTorch's files have,
else safetensors. A file is data. Nothing in it can make `load` call anything but the few functions in here that make
tensors, numbers and containers; whatever else a file asks for is refused.

=================  ==========================================================================
`runs`             which bytes are written: those that tensors show, each once
`tree`             nested dictionaries and lists as JSON, with numbers in place of tensors
`safetensors`      the safetensors format, and tensors into such files and out of them
`pickled`          plain data as PyTorch pickles it: what is written
`unpickled`        and what is read, by a machine that can do nothing else
`zip_io`           tensors into PyTorch's zip files and out of them
`opening`          files that are written whole or not at all; files that are mapped rather than read
`save_load`        `save` and `load`: what kind of file it is
`locations`        on which device a loaded storage goes
=================  ==========================================================================
"""

from tensorglass.serialization.save_load import load, save

__all__ = ["load", "save"]
