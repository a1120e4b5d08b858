"""The base class of Tensor. Type checkers read `methods.pyi`, where it has all that is attached to Tensor."""

from tensorglass.memory import StorageHolder


class Methods(StorageHolder):
    __slots__ = ()
