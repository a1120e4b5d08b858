"""Jacobians, Hessians and their products with vectors, of a function at a point. As `torch.autograd.functional`.

A backward pass from one output gives a row of the Jacobian, ``vᵀ·J``; and since that is a linear function of ``v``, the
backward pass of that pass gives a column, ``J·v``.

Inputs and outputs may be one tensor or a tuple of them, and results follow: for a tuple of outputs a tuple, and in it,
for a tuple of inputs, a tuple. With `strict`, an output that does not depend on an input is an error instead of zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorglass.autograd import forward_ad
from tensorglass.autograd.backward import grad
from tensorglass.ops.creation.fill import zeros_like
from tensorglass.ops.rearrange.cat_stack import stack
from tensorglass.tensor.grad_mode import enable_grad, is_grad_enabled, recording
from tensorglass.tensor.tensor import Tensor

Function = Callable[..., Any]
Tensors = tuple[Tensor, ...]
Gradients = tuple[Tensor | None, ...]


def vjp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """``func(*inputs)``, and ``vᵀ·J`` in the form of the inputs. `v` has the form of the outputs; its default is 1 for
    a scalar.
    """
    with enable_grad():
        given = _fresh(_tensors(inputs), create_graph)
        result = func(*given)
        outputs = _outputs(result, strict)
        vector = _vector(v, outputs, create_graph)
    with recording(create_graph or is_grad_enabled()):
        gradients = _gradients(outputs, given, vector, create_graph)
        product = _filled(gradients, given, strict, create_graph)
    return _result(outputs, result, create_graph), _result(product, inputs, create_graph)


def jvp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """``func(*inputs)``, and ``J·v``, in the form of the outputs. `v` has the form of the inputs; 1 for a scalar."""
    with enable_grad():
        given = _fresh(_tensors(inputs), create_graph)
        vector = _vector(v, given, create_graph)
        result = func(*given)
        outputs = _outputs(result, strict)
        slopes, starts = _linear(outputs, given, strict)
    with recording(create_graph or is_grad_enabled()):
        product = _filled(_gradients(slopes, starts, vector, create_graph), outputs, strict, create_graph)
    return _result(outputs, result, create_graph), _result(product, result, create_graph)


def vhp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """``func(*inputs)``, a scalar, and ``vᵀ·H`` with its Hessian, in the form of the inputs, as `v` is."""
    with enable_grad():
        given, output, slopes, vector = _first_order(func, inputs, v, create_graph, strict)
    with recording(create_graph or is_grad_enabled()):
        product = _filled(_gradients(slopes, given, vector, create_graph), given, strict, create_graph)
    return _result((output,), output, create_graph), _result(product, inputs, create_graph)


def hvp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """``func(*inputs)``, a scalar, and ``H·v`` with its Hessian, in the form of the inputs, as `v` is.

    `vhp` gives the same, since a Hessian is symmetric, with one pass fewer.
    """
    with enable_grad():
        given, output, slopes, vector = _first_order(func, inputs, v, create_graph, strict)
        twice, starts = _linear(slopes, given, strict)
    with recording(create_graph or is_grad_enabled()):
        product = _filled(_gradients(twice, starts, vector, create_graph), given, strict, create_graph)
    return _result((output,), output, create_graph), _result(product, inputs, create_graph)


def jacobian(
    func: Function,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The derivative of every element of the outputs by every element of the inputs: size (*output, *input).

    `vectorize` is accepted, and changes nothing. With ``strategy="forward-mode"`` the Jacobian is computed column by
    column, without `create_graph` and `strict`.
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')
    if strategy == "forward-mode":
        if create_graph or strict:
            raise NotImplementedError('`create_graph=True` and `strict=True` need `strategy="reverse-mode"`.')
        return _jacobian_by_columns(func, inputs)
    with enable_grad():
        given = _fresh(_tensors(inputs), create_graph)
        result = func(*given)
        outputs = _outputs(result, strict)
        by_output = [_jacobian_rows(output, given, create_graph, strict) for output in outputs]
    matrices = [_result(rows, inputs, create_graph) for rows in by_output]
    return tuple(matrices) if isinstance(result, tuple) else matrices[0]


def _jacobian_rows(output: Tensor, given: Tensors, create_graph: bool, strict: bool) -> Tensors:
    """The Jacobian of one output, row by row."""
    flat = output.reshape(-1)
    rows = [
        _filled(
            _gradients((flat[place],), given, None, create_graph, retain_graph=True), given, strict, create_graph
        )
        for place in range(flat.numel())
    ]  # fmt: skip
    sizes = [(*output._size, *input._size) for input in given]
    if not rows:
        return tuple([input.new_zeros(size) for input, size in zip(given, sizes, strict=True)])
    return tuple([stack(column).view(size) for *column, size in zip(*rows, sizes, strict=True)])


def _jacobian_by_columns(func: Function, inputs: Any) -> Any:
    """One tangent for each element of the inputs, pushed forward."""
    given = _tensors(inputs)
    result: Any = None
    matrices: list[list[Tensor]] = []  # for each input, for each output
    for which, input in enumerate(given):
        columns = []
        for number in range(input.numel()):
            tangents = [zeros_like(input.detach()).contiguous() for input in given]
            tangents[which].view(-1)[number] = 1
            with forward_ad.dual_level():
                result = func(*map(forward_ad.make_dual, given, tangents))
                pushed = [forward_ad.unpack_dual(output) for output in _tensors(result)]
            columns.append([zeros_like(primal) if tangent is None else tangent for primal, tangent in pushed])
        matrices.append([
            stack(column, -1).reshape((*column[0]._size, *input._size)) for column in zip(*columns, strict=True)
        ])  # fmt: skip
    by_output: Any = [list(row) for row in zip(*matrices, strict=True)]
    if not isinstance(inputs, tuple):
        by_output = tuple([row[0] for row in by_output])
    return by_output if isinstance(result, tuple) else by_output[0]


def hessian(
    func: Function,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The second derivatives of ``func(*inputs)``, a scalar: size (*input, *input)."""

    def scalar(*arguments: Tensor) -> Tensor:
        return _scalar(func(*arguments), strict).squeeze()

    def slopes(*arguments: Tensor) -> Tensors:
        if outer_jacobian_strategy == "forward-mode":
            arguments = tuple([argument.requires_grad_() for argument in arguments])
        rows: Tensors = jacobian(scalar, arguments, create_graph=True, strict=strict)
        return rows

    by_input = jacobian(slopes, _tensors(inputs), create_graph, strict, vectorize, outer_jacobian_strategy)
    return by_input if isinstance(inputs, tuple) else by_input[0][0]


# --- what they share -------------------------------------------------------------------------------------------------


def _first_order(
    func: Function, inputs: Any, v: Any, create_graph: bool, strict: bool
) -> tuple[Tensors, Tensor, Gradients, Tensors | None]:
    """The inputs, the output, the gradient and the vector."""
    given = _fresh(_tensors(inputs), create_graph)
    vector = _vector(v, given, create_graph)
    output = _scalar(func(*given), strict)
    slopes = _gradients((output,), given, None, create_graph=True)
    if strict:
        _filled(slopes, given, strict=True, create_graph=True)
    return given, output, slopes, vector


def _linear(outputs: Gradients, given: Tensors, strict: bool) -> tuple[Gradients, Tensors]:
    """``vᵀ·J`` as a function of ``v``, which is zero: the products, and ``v``."""
    starts = tuple([zeros_like((given[place] if output is None else output).detach()).requires_grad_()
                    for place, output in enumerate(outputs)])  # fmt: skip
    products = _gradients(outputs, given, starts, create_graph=True)
    if strict:
        _filled(products, given, strict=True, create_graph=True)
    return products, starts


def _tensors(value: Any) -> Tensors:
    """One tensor or a tuple of them, as a tuple."""
    tensors = value if isinstance(value, tuple) else (value,)
    for tensor in tensors:
        if not isinstance(tensor, Tensor):
            raise TypeError(f"Expected a Tensor or a tuple of Tensors, but got {type(tensor)}.")
    return tensors


def _outputs(result: Any, strict: bool) -> Tensors:
    outputs = _tensors(result)
    for place, output in enumerate(outputs):
        if strict and not output.requires_grad:
            raise RuntimeError(
                f"Output {place} of the user-provided function does not require gradients. The outputs must be "
                "computed in a differentiable manner from the input when running in strict mode."
            )
    return outputs


def _scalar(result: Any, strict: bool) -> Tensor:
    (output, *others) = _outputs(result, strict)
    if others or isinstance(result, tuple) or output.numel() != 1:
        raise RuntimeError("The function should return a single Tensor that contains a single element")
    return output


def _fresh(tensors: Tensors, create_graph: bool, need_graph: bool = True) -> Tensors:
    """Fresh tensors that nothing was computed from: connected to the caller's tensors if `create_graph`."""
    return tuple([
        tensor.view_as(tensor) if create_graph and tensor.requires_grad else tensor.detach().requires_grad_(need_graph)
        for tensor in tensors
    ])  # fmt: skip


def _vector(v: Any, like: Tensors, create_graph: bool) -> Tensors | None:
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError("The vector v can only be None for a single Tensor with a single element.")
        return None
    vector = _fresh(_tensors(v), create_graph, need_graph=False)
    if [tensor._size for tensor in vector] != [tensor._size for tensor in like]:
        wanted, sizes = ([list(tensor._size) for tensor in tensors] for tensors in (like, vector))
        raise RuntimeError(f"v has invalid size: should be {wanted} but got {sizes}.")
    return vector


def _gradients(
    outputs: Gradients,
    inputs: Tensors,
    starts: Tensors | None,
    create_graph: bool,
    retain_graph: bool | None = None,
) -> Gradients:
    """`autograd.grad` of the outputs that have gradients."""
    places = [place for place, output in enumerate(outputs) if output is not None and output.requires_grad]
    if not places:
        return (None,) * len(inputs)
    return grad(
        [output for output in outputs if output is not None and output.requires_grad],
        inputs,
        None if starts is None else [starts[place] for place in places],
        create_graph=create_graph,
        retain_graph=retain_graph,
        allow_unused=True,
    )


def _filled(gradients: Gradients, like: Tensors, strict: bool, create_graph: bool) -> Tensors:
    """The gradients, with zeros for missing ones, or an error in strict mode."""
    for place, gradient in enumerate(gradients if strict else ()):
        if gradient is None or (create_graph and not gradient.requires_grad):
            raise RuntimeError(
                f"The derivative is independent of input {place} of the user-provided function. This is not allowed in "
                "strict mode."
            )
    return tuple([
        zeros_like(other.detach()) if gradient is None else gradient
        for gradient, other in zip(gradients, like, strict=True)
    ])  # fmt: skip


def _result(tensors: Sequence[Tensor], form: Any, create_graph: bool) -> Any:
    """The tensors: as a tuple if `form` is a tuple."""
    results = tuple(tensors) if create_graph else tuple([tensor.detach() for tensor in tensors])
    return results if isinstance(form, tuple) else results[0]
