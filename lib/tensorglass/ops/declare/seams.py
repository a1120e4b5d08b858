"""The seams: every place in the library where a shortcut can be plugged in. Only `fast.install()` fills them.

The library is correct with all of them empty, as under ``TENSORGLASS_FAST=0``. A shortcut handles the calls that it
knows and returns None for all others; then the plain way, which follows in the code after the seam, runs them. So it
need not know what it replaces. Only shortcuts of elementwise operators are given the plain form to call.
What shortcuts know about an operator stays in `fast`. A declaration says two things for them: ``ufunc=``, NumPy's
function that computes the same, and ``derivative(on_arrays=True)``, formulas that also work on arrays.

Shortcuts are put before an operator's forms when the operator is declared, so the root installs `fast` first: looking
for them at each call would make a small addition 5 to 9 per cent slower (`docs/performance.md`). All other seams are
read at each call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from tensorglass.backends import Array, Backend
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.ops.arg_parser.pointwise_arguments import CallSignature
from tensorglass.ops.declare.kernel import Call, Kernel
from tensorglass.ops.declare.result_layout import Plan
from tensorglass.tensor.tensor import Tensor

Form = Callable[..., Any]  #: what users call: a function, a method, one of Python's methods
F = TypeVar("F", bound=Form)
Arrays = Sequence[Array | None]  #: one for each operand, None for an omitted one

#: The functions of `nn` that are not operators but are marked with `has_shortcut`. Any operator may have a shortcut.
FUNCTIONS = frozenset((
    "cross_entropy", "feed_forward", "linear", "multi_head_attention", "pad", "recurrent_layer",
    "scaled_dot_product_attention",
))  # fmt: skip


class Shortcut(NamedTuple):
    """The shortcut of an operator or a function."""

    put: Callable[[Form], Form]  #: puts it before a form
    #: the tolerance against the plain way, relative to the largest element: 0 if the bits are equal
    tolerance: float = 0.0


class Elementwise:
    """What is put before an elementwise operator's forms: nothing here. `fast` has a subclass with shortcuts."""

    def __init__(self, kernel: Kernel, signature: CallSignature) -> None:
        self.kernel, self.signature = kernel, signature

    def out_of_place(self, form: Form, is_method: bool = False) -> Form:
        """The function, or the method."""
        return form

    def in_place(self, form: Form) -> Form:
        """The in-place form, or Python's operator for it."""
        return form

    def between_two(self, form: Form) -> Form:
        """One of Python's operators, which have two operands and no parameters."""
        return form


class Seams:
    """The seams, in the order in which a call reaches them."""

    __slots__ = (
        "backward_pass", "compute_small", "elementwise", "forms", "launch", "one", "read_operands", "unrecorded",
        "update",
    )  # fmt: skip

    def __init__(self) -> None:
        # --- before what users call: read as operators are declared ---

        #: the shortcuts of operators, Python's methods and the functions above, by name
        self.forms: dict[str, Shortcut] = {}
        #: the shortcuts of elementwise operators, made from the kernel
        self.elementwise: type[Elementwise] = Elementwise
        #: an operator's body without recording, for a first argument without gradients
        self.unrecorded: Callable[[Form], Form] | None = None

        # --- within elementwise operators: `run_pointwise` ---

        #: the result of a small unrecorded call, given the fields of the `Call`
        self.compute_small: Callable[..., Tensor | None] | None = None
        #: the operands as the arrays that the kernel computes with; the last argument is memory for the result
        self.read_operands: Callable[[Call, Plan, Backend, Array | None], Arrays | None] | None = None
        #: lets the kernel write its result to the last argument, and returns True
        self.launch: Callable[[Call, Plan, Backend, Arrays, Array], bool | None] | None = None

        # --- backward passes: `autograd.engine` ---

        #: the class of backward passes, which derives from `engine.Run`
        self.backward_pass: type[Any] | None = None
        #: the gradient of a scalar with respect to itself
        self.one: Callable[[tuple[int, ...], DType, Device], Any] | None = None

        # --- optimizers: `optim.per_parameter` ---

        #: changes a parameter and its state as the optimizer's `update` does, with the same arguments, and returns True
        self.update: Callable[[Any, Tensor, Tensor, dict[str, Any], dict[str, Any]], bool | None] | None = None


seams = Seams()


def with_shortcut(name: str, form: F) -> F:
    """`form`, preceded by the shortcut of this name, if there is one."""
    shortcut = seams.forms.get(name)
    return form if shortcut is None else shortcut.put(form)  # type: ignore[return-value]  # it is called as `form` is


def has_shortcut(name: str) -> Callable[[F], F]:
    """Mark a function of `nn` that may have a shortcut: one of `FUNCTIONS`."""
    if name not in FUNCTIONS:
        raise KeyError(f"{name} is not among FUNCTIONS in {__name__}")
    return lambda function: with_shortcut(name, function)


def unrecorded(body: Form) -> Form:
    """The body of an operator without recording, for calls whose first argument has no gradients."""
    return body if seams.unrecorded is None else seams.unrecorded(body)
