"""The base class of Tensor: a header. Type checkers read `methods.pyi`, where it has all that is attached to Tensor."""

from tensorglass.storage.headers import Header

Methods = Header
