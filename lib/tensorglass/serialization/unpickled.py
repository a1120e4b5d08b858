"""The machine that reads a checkpoint's ``data.pkl``, and can only build data from it.

Python's own unpickler looks names up in modules and calls what it finds. Here a name means its entry in `MEANINGS`, or
nothing. Only functions in that table are called, and each checks its arguments. Opcodes that such data do not need are
refused as well.
"""

from __future__ import annotations

import pickle
import pickletools
import sys
from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from tensorglass.core import dtypes
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained
from tensorglass.core.size import Size
from tensorglass.storage.storage import UntypedStorage
from tensorglass.storage.typed_storage import OLD_CLASSES
from tensorglass.tensor.construct import make
from tensorglass.tensor.tensor import Tensor

_MARK = object()
#: Modules whose functions no file may call, whatever a program trusts.
_BLOCKED = ("sys", "os", "posix", "nt")


def modern_name(module: str, name: str) -> str:
    """The Python 3 name of an object that protocol 2 stores under its Python 2 name: "builtins.range" for xrange."""
    if (module, name) in NAME_MAPPING:
        return ".".join(NAME_MAPPING[module, name])
    return f"{IMPORT_MAPPING.get(module, module)}.{name}"


class Named:
    """The meaning of a name in the table: a function to call, or a storage type."""

    def __init__(
        self,
        name: str,
        call: Callable[..., Any] | None = None,
        *,
        dtype: dtypes.dtype | None = None,
        takes_parts: bool = False,
    ) -> None:
        self.name = name
        self.call = call
        self.dtype = dtype
        self.takes_parts = takes_parts  #: whether its arguments may be names and storages, and not only data


class Stored:
    """A storage of the checkpoint, and the dtype that it was saved with."""

    def __init__(self, storage: UntypedStorage, dtype: dtypes.dtype) -> None:
        self.storage = storage
        self.dtype = dtype
        self._negated: UntypedStorage | None = None

    def negated(self) -> UntypedStorage:
        """A storage with negated elements, created once, however many tensors use it."""
        if self._negated is None:
            length = self.storage.nbytes() // self.dtype.itemsize
            self._negated = make(self.storage, (length,), (1,), 0, self.dtype).neg().untyped_storage()
        return self._negated


class Machine:
    """Runs one pickle.

    `names` is added to the table, for calls that take storages; `storage` makes the storage of an id. `trusted` are
    the classes and functions of a program that the pickle may call, by their names in files.
    """

    def __init__(
        self,
        names: Mapping[str, Callable[..., Any]],
        storage: Callable[..., Stored],
        trusted: Mapping[str, Any] | None = None,
    ) -> None:
        self._meanings = MEANINGS | {name: Named(name, call, takes_parts=True) for name, call in names.items()}
        self._storage = storage
        self._trusted = trusted or {}
        self._stack: list[Any] = []
        self._memo: dict[int, Any] = {}
        self._allowance = 0
        self._is_outside = False  # whether `storage` runs, whose errors are passed on
        self._keys: dict[int, tuple[Any, Keys]] = {}  # containers and their keys, by ids
        self._not_plain: dict[int, tuple[Any, ...]] = {}  # tuples with parts of the machine in them, by their ids

    def load(self, data: bytes) -> Any:
        """The data. `pickle.UnpicklingError` if the pickle needs more than data, or is malformed."""
        opcode = "the first opcode"
        self._allowance = _SLACK + _MOST_PER_BYTE * len(data)
        try:
            for instruction, argument, _ in pickletools.genops(data):
                opcode = instruction.name
                self._do(opcode, argument)
            (result,) = self._stack
            return self._plain(result)
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError) as error:
            if self._is_outside:
                raise
            raise explained(
                refused("The pickle in it makes no sense."), f"At {opcode}: {type(error).__name__}: {error}."
            ) from None

    def _do(self, opcode: str, argument: Any) -> None:
        stack = self._stack
        if opcode in _PUSHED:
            stack.append(argument)
        elif opcode in _CONSTANTS:
            stack.append(_CONSTANTS[opcode]())
        elif opcode in _EMPTY:
            stack.append(_EMPTY[opcode]())
            self._spend(sys.getsizeof(stack[-1]))
        elif opcode in _GETS:
            stack.append(self._memo[argument])
        elif opcode in _PUTS:
            self._memo[argument] = stack[-1]
        elif opcode == "MEMOIZE":
            self._memo[len(self._memo)] = stack[-1]
        elif opcode in _ACTIONS:
            _ACTIONS[opcode](self, argument)
        elif opcode not in ("PROTO", "FRAME", "STOP"):
            raise refused(f"Unsupported opcode {opcode}.")

    # --- names and calls ---------------------------------------------------------------------------------------------

    def _global(self, argument: str) -> None:
        self._stack.append(self._meaning(*argument.split(" ", 1)))

    def _stack_global(self, argument: None) -> None:
        name, module = self._stack.pop(), self._stack.pop()
        self._stack.append(self._meaning(module, name))

    def _meaning(self, module: str, name: str) -> Any:
        full = modern_name(module, name)
        if module in _BLOCKED:
            raise _blocked(module, full)
        if full in self._meanings:
            return self._meanings[full]
        if full not in self._trusted:
            raise _not_allowed(full)
        return self._trusted[full]

    def _is_trusted(self, value: Any) -> bool:
        return any(value is trusted for trusted in self._trusted.values())

    def _newobj(self, argument: None) -> None:
        if not self._is_trusted(self._stack[-2]):
            self._reduce(None)  # for classes in the table, both mean the same
            return
        arguments, kind = self._stack.pop(), self._stack.pop()
        self._stack.append(self._outside(lambda *given: kind.__new__(kind, *given), arguments))

    def _outside(self, call: Callable[..., Any], arguments: Any) -> Any:
        """Call a trusted function; its errors are passed on."""
        if type(arguments) is not tuple:
            raise refused("It calls what cannot be called.")
        list(map(self._plain, arguments))
        self._is_outside = True
        value = call(*arguments)
        self._is_outside = False
        return value

    def _reduce(self, argument: None) -> None:
        arguments, called = self._stack.pop(), self._stack.pop()
        if self._is_trusted(called):
            self._stack.append(self._outside(called, arguments))
            return
        if type(called) is not Named or called.call is None or type(arguments) is not tuple:
            raise refused("It calls what cannot be called.")
        if not called.takes_parts:
            list(map(self._plain, arguments))
        # A called function may copy its arguments, and the pickle may pass the same object again and again.
        self._spend(sum(map(sys.getsizeof, arguments)))
        result = called.call(*arguments)
        self._spend(sys.getsizeof(result))
        self._stack.append(result)

    def _spend(self, nbytes: int) -> None:
        """Charge this many bytes of memory or time to a budget that depends on the length of the pickle."""
        self._allowance -= nbytes
        if self._allowance < 0:
            raise refused("It makes far more data than it holds.")

    def _build(self, argument: None) -> None:
        state, built = self._stack.pop(), self._stack[-1]
        if self._is_trusted(type(built)):
            self._outside(set_state, (built, state))
            return
        if type(built) is not OrderedDict or type(state) is not dict:
            raise refused(f"It sets the state of a {type(built).__name__}.")
        self._spend(_ATTRIBUTE * len(state))
        for name, value in state.items():  # as `_metadata`, which state dictionaries carry
            check_attribute(OrderedDict, name)
            setattr(built, name, self._plain(value))

    def _binpersid(self, argument: None) -> None:
        kind, storage_type, key, location, numel = self._stack.pop()
        if kind != "storage" or type(storage_type) is not Named or storage_type.dtype is None:
            raise refused(f"Only storages are kept in records, and this is {kind!r}.")
        if type(key) is not str or type(location) is not str or type(numel) is not int or numel < 0:
            raise refused("A storage's record is not named as PyTorch does.")
        self._is_outside = True
        self._stack.append(self._storage(storage_type.dtype, key, location, numel))
        self._is_outside = False

    # --- data, and the machine's own ---------------------------------------------------------------------------------

    def _is_part(self, value: Any) -> bool:
        return type(value) in (Named, Stored) or value is _MARK or id(value) in self._not_plain

    def _plain(self, value: Any) -> Any:
        """`value`; raises for parts of the machine: a name, or a storage without a tensor."""
        if self._is_part(value):
            raise refused("It keeps the name of a class or function, or a bare storage, as though it were data.")
        return value

    # --- containers --------------------------------------------------------------------------------------------------

    def _since_mark(self) -> list[Any]:
        place = len(self._stack) - 1
        while self._stack[place] is not _MARK:
            place -= 1
            if place < 0:
                raise ValueError("no mark")
        items = self._stack[place + 1 :]
        del self._stack[place:]
        return items

    def _tuple(self, argument: None) -> None:
        self._stack.append(self._as_tuple(self._since_mark()))

    def _last_as_tuple(self, count: int) -> None:
        if len(self._stack) < count:
            raise IndexError("the stack is empty")
        self._stack[-count:] = [self._as_tuple(self._stack[-count:])]

    def _as_tuple(self, items: list[Any]) -> tuple[Any, ...]:
        result = tuple(items)
        if any(map(self._is_part, items)):
            self._not_plain[id(result)] = result
        return result

    def _append(self, argument: None) -> None:
        item = self._stack.pop()
        self._extend([item])

    def _appends(self, argument: None) -> None:
        self._extend(self._since_mark())

    def _extend(self, items: list[Any]) -> None:
        target = self._stack[-1]
        if type(target) is not list:
            raise refused(f"It appends to a {type(target).__name__}.")
        target.extend(map(self._plain, items))

    def _additems(self, argument: None) -> None:
        items, target = self._since_mark(), self._stack[-1]
        if type(target) is not set:
            raise refused(f"It adds to a {type(target).__name__}.")
        target.update([self._key_of(target, item) for item in items])

    def _setitem(self, argument: None) -> None:
        value, key = self._stack.pop(), self._stack.pop()
        self._set([key, value])

    def _setitems(self, argument: None) -> None:
        self._set(self._since_mark())

    def _set(self, items: list[Any]) -> None:
        target = self._stack[-1]
        if type(target) not in (dict, OrderedDict, Counter):
            raise refused(f"It sets items of a {type(target).__name__}.")
        for key, value in zip(items[::2], items[1::2], strict=True):
            target[self._key_of(target, key)] = self._plain(value)

    def _key_of(self, target: Any, key: Any) -> Any:
        """`key`, checked for a container, which may get its keys one by one."""
        nbytes = sys.getsizeof(key)
        if nbytes > (_LONG_TEXT if type(key) is str else _LONG_KEY):  # hashing and comparing it costs time at each use
            self._spend(nbytes)
        if type(key) is str:  # nearly all keys; `Keys` does not count them
            return key
        if id(target) not in self._keys:
            self._keys[id(target)] = target, Keys()
        return self._keys[id(target)][1].checked(key)


_PUSHED = {
    "BININT", "BININT1", "BININT2", "LONG1", "LONG4", "BINFLOAT", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8",
    "BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "BYTEARRAY8", "SHORT_BINSTRING",
}  # fmt: skip
_CONSTANTS: dict[str, Callable[[], Any]] = {
    "NONE": lambda: None, "NEWTRUE": lambda: True, "NEWFALSE": lambda: False, "MARK": lambda: _MARK,
    "EMPTY_TUPLE": tuple,
}  # fmt: skip
_EMPTY: dict[str, Callable[[], Any]] = {"EMPTY_LIST": list, "EMPTY_DICT": dict, "EMPTY_SET": set}
_ACTIONS: dict[str, Callable[[Machine, Any], None]] = {
    "GLOBAL": Machine._global, "STACK_GLOBAL": Machine._stack_global, "REDUCE": Machine._reduce,
    "NEWOBJ": Machine._newobj, "BUILD": Machine._build, "BINPERSID": Machine._binpersid, "TUPLE": Machine._tuple,
    "TUPLE1": lambda machine, _: machine._last_as_tuple(1), "TUPLE2": lambda machine, _: machine._last_as_tuple(2),
    "TUPLE3": lambda machine, _: machine._last_as_tuple(3), "APPEND": Machine._append, "APPENDS": Machine._appends,
    "ADDITEMS": Machine._additems, "SETITEM": Machine._setitem, "SETITEMS": Machine._setitems,
}  # fmt: skip
#: Bytes of memory that a pickle may ask for, for each byte of its own and to begin with.
_MOST_PER_BYTE = 128
_SLACK = 100_000
_LONG_KEY = 1000  #: bytes
_LONG_TEXT = 100_000  #: bytes of a string, which caches its hash
_ATTRIBUTE = 1000  #: bytes that could be produced in the time of checking and setting one attribute
_GETS = {"BINGET", "LONG_BINGET"}
_PUTS = {"BINPUT", "LONG_BINPUT"}


def refused(what: str) -> pickle.UnpicklingError:
    """The error for a pickle that is more than data, or malformed."""
    return pickle.UnpicklingError(f"Weights only load failed. {what}")


_UNSAFE = (
    "In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` from `False` to "
    "`True`. Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but it can result in "
    "arbitrary code execution. Do it only if you got the file from a trusted source."
)
_MORE = (
    "\n\nCheck the documentation of torch.load to learn more about types accepted by default with weights_only "
    "https://pytorch.org/docs/stable/generated/torch.load.html."
)


def _blocked(module: str, full: str) -> pickle.UnpicklingError:
    said = f"Trying to load unsupported GLOBAL {full} whose module {module} is blocked."
    return _not_run(refused(f"{_UNSAFE}\n\n\n{said}{_MORE}"), full)


def _not_allowed(full: str) -> pickle.UnpicklingError:
    shown = full.removeprefix("builtins.")
    error = refused(
        "This file can still be loaded, to do so you have two options, \033[1mdo those steps only if you trust the "
        f"source of the checkpoint\033[0m. \n\t(1) {_UNSAFE}\n\t(2) Alternatively, to load with `weights_only=True` "
        "please check the recommended steps in the following error message.\n\tWeightsUnpickler error: Unsupported "
        f"global: GLOBAL {shown} was not an allowed global by default. Please use "
        f"`torch.serialization.add_safe_globals([{shown}])` or the "
        f"`torch.serialization.safe_globals([{shown}])` context manager to allowlist this global if you trust this "
        f"class/function.{_MORE}"
    )
    return _not_run(error, full)


def _not_run(error: pickle.UnpicklingError, full: str) -> pickle.UnpicklingError:
    return explained(
        error,
        f"To load this file, {full} has to be looked up and called: code that the file's author chose. It was not run.",
    )


# --- what may be called ----------------------------------------------------------------------------------------------


def _items(pairs: Any) -> list[tuple[Any, Any]]:
    keys = Keys()
    return [(keys.checked(key), value) for key, value in pairs]


def _ordered_dict(pairs: Any = ()) -> OrderedDict[Any, Any]:
    return OrderedDict(_items(pairs))


def _counter(counts: Any = ()) -> Counter[Any]:
    return Counter(dict(_items(dict(counts).items())))


def _set(items: Any = ()) -> set[Any]:
    return set(map(Keys().checked, items))


def _encode(text: str, encoding: str) -> bytes:
    if encoding not in ("latin1", "latin-1"):
        raise ValueError(f"bytes are written as latin1, not {encoding!r}")
    return text.encode("latin1")


def _bytearray(data: Any = b"", encoding: str = "latin1") -> bytearray:
    if type(data) not in (bytes, str):  # a number would be a length
        raise TypeError(f"a bytearray of {type(data).__name__}")
    return bytearray(data if isinstance(data, bytes) else _encode(data, encoding))


def _complex(real: Any, imag: Any) -> complex:
    if type(real) is not float or type(imag) is not float:
        raise TypeError("a complex number is made of two floats")
    return complex(real, imag)


MEANINGS: dict[str, Any] = {f"torch.{dtype.name}": dtype for dtype in dtypes.ALL}
MEANINGS |= {f"torch.{old.__name__}": Named(old.__name__, dtype=dtype) for dtype, old in OLD_CLASSES.items()}
MEANINGS["torch.storage.UntypedStorage"] = Named("UntypedStorage", dtype=dtypes.uint8)
_CALLED: dict[str, Callable[..., Any] | None] = {
    "collections.OrderedDict": _ordered_dict,
    "collections.Counter": _counter,
    "builtins.complex": _complex,
    "builtins.set": _set,
    "builtins.bytearray": _bytearray,
    "_codecs.encode": _encode,
    "torch.Size": Size,
    "torch.device": Device,
    "torch.Tensor": None,  # named, never called
    "torch.nn.parameter.Parameter": None,
}
MEANINGS |= {name: Named(name, call) for name, call in _CALLED.items()}


_KEYS = (type(None), bool, float, str, int, complex, bytes, DType, Device)
#: Keys of one container that may have one hash. Honest keys have few: 68 floats of ±2ⁿ share a hash, and none more.
_MOST_ALIKE = 100


def check_attribute(kind: type, name: Any) -> None:
    """ValueError if a file may not set this attribute of an instance of `kind`.

    These are names that mean something to others than the user: what the class has, names that begin with two
    underscores, and names that begin and end with one.
    """
    if type(name) is not str:
        raise ValueError(f"{name!r} is not a name of an attribute")
    if name.startswith("__") or (name.startswith("_") and name.endswith("_")):
        raise ValueError(f"{name!r} is a name of Python's and other programs' protocols, which no file may set")
    # `hasattr` is False for an attribute that raises when it is read
    if any(name in vars(base) for base in kind.__mro__):
        raise ValueError(f"{name!r} is a {kind.__name__}'s own")


def set_attributes(tensor: Tensor, attributes: Any) -> None:
    """Give a tensor the attributes that were saved with it. ValueError if a file may not set one of them."""
    if type(attributes) not in (dict, OrderedDict):
        raise ValueError(f"attributes are a dictionary, not a {type(attributes).__name__}")
    for name in attributes:
        check_attribute(Tensor, name)
    tensor.__dict__.update(attributes)


def set_state(built: Any, state: Any) -> None:
    """Give an object of a class that is looked up its state, as Python's unpickler does."""
    if hasattr(built, "__setstate__"):
        built.__setstate__(state)
    else:
        update(built, state)


def update(built: Any, state: Any) -> None:
    """Set an object's attributes, those in slots too, which come second in a pair."""
    attributes, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    if attributes:
        built.__dict__.update(attributes)
    for name, value in (slots or {}).items():
        setattr(built, name, value)


def is_key(value: Any) -> bool:
    """Whether this may be a dictionary key or set member: its type is always quick to hash."""
    return type(value) in _KEYS or (type(value) is tuple and all(type(key) in _KEYS for key in value))


class Keys:
    """The keys that one container gets, counted by their hashes."""

    def __init__(self) -> None:
        self._alike: Counter[int] = Counter()

    def checked(self, key: Any) -> Any:
        """`key`. ValueError if it is not hashable, or if too many other keys of this container have its hash."""
        if not is_key(key):
            raise ValueError(f"A key is of type {type(key).__name__}.")
        if type(key) is str or type(key) is bytes:  # their hashes are randomized in each process
            return key
        number = hash(key)
        self._alike[number] += 1
        if self._alike[number] > _MOST_ALIKE:
            raise ValueError(f"More than {_MOST_ALIKE} keys of one container have the hash {number}.")
        return key
