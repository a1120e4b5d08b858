"""Jacobians, Hessians and their products with vectors, of a function at a point. As `torch.autograd.functional`.

A backward pass from one output gives a row of the Jacobian, ``vᵀ·J``; and since that is a linear function of ``v``, the
backward pass of that pass gives a column, ``J·v``.

Inputs and outputs may be one tensor or a tuple of them, and results follow: for a tuple of outputs a tuple, and in it,
for a tuple of inputs, a tuple. With `strict`, what does not depend on the inputs is an error instead of zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorglass.autograd import forward_ad
from tensorglass.autograd.backward import grad
from tensorglass.ops.creation.fill import zeros_like
from tensorglass.ops.rearrange.cat_stack import stack
from tensorglass.tensor.grad_mode import enable_grad, is_grad_enabled, set_grad_enabled
from tensorglass.tensor.tensor import Tensor

Function = Callable[..., Any]
Tensors = tuple[Tensor, ...]
Gradients = tuple[Tensor | None, ...]

_OUTPUTS = "outputs of the user-provided function"


def vjp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """``func(*inputs)``, and ``vᵀ·J``, in the form of the inputs. `v` has the form of the outputs; 1 for a scalar."""
    with enable_grad():
        has_inputs, given = _tensors(inputs, "inputs", "vjp")
        given = _fresh(given, create_graph)
        has_outputs, outputs = _tensors(func(*given), _OUTPUTS, "vjp")
        check_outputs(outputs, strict)
        if v is None and (len(outputs) != 1 or outputs[0].numel() != 1):
            raise RuntimeError(
                "The vector v can only be None if the user-provided function returns a single Tensor with a single "
                "element."
            )
        vector = _vector(v, outputs, has_outputs, "vjp", create_graph)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = _gradients(outputs, given, vector, create_graph)
        product = with_zeros(found, given, strict, create_graph, OF_OUTPUT, JACOBIAN)
    return _result(outputs, has_outputs, create_graph), _result(product, has_inputs, create_graph)


def jvp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """``func(*inputs)``, and ``J·v``, in the form of the outputs. `v` has the form of the inputs; 1 for a scalar."""
    with enable_grad():
        has_inputs, given = _tensors(inputs, "inputs", "jvp")
        given = _fresh(given, create_graph)
        vector = _input_vector(v, given, has_inputs, "jvp", create_graph)
        has_outputs, outputs = _tensors(func(*given), _OUTPUTS, "jvp")
        check_outputs(outputs, strict)
        starts = tuple([zeros_like(each.detach()).requires_grad_() for each in outputs])
        gradients = _gradients(outputs, given, starts, create_graph=True)
        if strict:
            check_gradients(gradients)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = _gradients(gradients, starts, vector, create_graph)
        product = with_zeros(found, outputs, strict, create_graph, OF_START, JACOBIAN)
    return _result(outputs, has_outputs, create_graph), _result(product, has_outputs, create_graph)


def vhp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """``func(*inputs)``, a scalar, and ``vᵀ·H`` with its Hessian, in the form of the inputs, as `v` is."""
    given, outputs, slopes, vector, has_inputs = _first_order(func, inputs, v, create_graph, strict, "vhp")
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = _gradients(slopes, given, vector, create_graph)
        product = with_zeros(found, given, strict, create_graph, OF_JACOBIAN, HESSIAN)
    return _result(outputs, False, create_graph), _result(product, has_inputs, create_graph)


def hvp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """``func(*inputs)``, a scalar, and ``H·v`` with its Hessian, in the form of the inputs, as `v` is.

    `vhp` gives the same, as a Hessian is symmetric, with one pass less.
    """
    given, outputs, slopes, vector, has_inputs = _first_order(func, inputs, v, create_graph, strict, "hvp")
    with enable_grad():
        starts = tuple([zeros_like(each.detach()).requires_grad_() for each in given])
        twice = _gradients(slopes, given, starts, create_graph=True)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = _gradients(twice, starts, vector, create_graph)
        product = with_zeros(found, given, strict, create_graph, OF_HESSIAN, HESSIAN)
    return _result(outputs, False, create_graph), _result(product, has_inputs, create_graph)


def jacobian(
    func: Function,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The derivatives of every element of the outputs by every element of the inputs: output's size, input's size.

    `vectorize` is accepted, and changes nothing but what is refused. With ``strategy="forward-mode"`` the Jacobian is
    found column by column.
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs '
            'than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "forward-mode":
        return _forward_jacobian(func, inputs, create_graph, strict, vectorize)
    with enable_grad():
        has_inputs, given = _tensors(inputs, "inputs", "jacobian")
        given = _fresh(given, create_graph)
        has_outputs, outputs = _tensors(func(*given), _OUTPUTS, "jacobian")
        check_outputs(outputs, strict)
        if vectorize and strict:
            raise RuntimeError(
                "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. "
                "Please either set `strict=False` or `vectorize=False`."
            )
        found = [_jacobian_rows(output, given, place, create_graph, strict) for place, output in enumerate(outputs)]
    matrices = [_result(each, has_inputs, create_graph) for each in found]
    return tuple(matrices) if has_outputs else matrices[0]


def _jacobian_rows(output: Tensor, given: Tensors, place: int, create_graph: bool, strict: bool) -> Tensors:
    """The Jacobian of one output, row by row."""
    rows: list[list[Tensor]] = [[] for _ in given]
    for number in range(output.numel()):
        found = _gradients((output.reshape(-1)[number],), given, None, create_graph, retain_graph=True)
        for which, (gradient, input) in enumerate(zip(found, given, strict=True)):
            if gradient is None and strict:
                raise RuntimeError(
                    f"Output {place} of the user-provided function is independent of input {which}. {STRICT}"
                )
            if gradient is not None and strict and create_graph and not gradient.requires_grad:
                raise RuntimeError(independent(JACOBIAN, place))
            rows[which].append(zeros_like(input.detach()) if gradient is None else gradient)
    return tuple(
        [
            stack(each).view((*output._size, *input._size)) if each else input.new_zeros((*output._size, *input._size))
            for each, input in zip(rows, given, strict=True)
        ]
    )


def _forward_jacobian(func: Function, inputs: Any, create_graph: bool, strict: bool, vectorize: bool) -> Any:
    """The Jacobian column by column: one tangent for each element of the inputs."""
    name = "torch.autograd.functional.jacobian"
    if create_graph:
        raise NotImplementedError(
            f'{name}: `create_graph=True` and `strategy="forward-mode"` are not supported together (yet). Please '
            'either set `create_graph=False` or `strategy="reverse-mode"`.'
        )
    if strict:
        raise RuntimeError(
            f'{name}: `strict=True` and `strategy="forward-mode"` are not supported together (yet). Please either set '
            '`strict=False` or `strategy="reverse-mode"`.'
        )
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for "
            "`vectorize=True`."
        )
    has_inputs, given = _tensors(inputs, "inputs", "jacobian")
    columns: list[list[Tensors]] = []  # for each input, for each of its elements, the outputs' tangents
    has_outputs = True
    outputs: Tensors = ()
    for which, input in enumerate(given):
        columns.append([])
        for number in range(input.numel()):
            tangents = [zeros_like(each.detach()).contiguous() for each in given]
            tangents[which].view(-1)[number] = 1
            with forward_ad.dual_level():
                duals = [forward_ad.make_dual(each, tangent) for each, tangent in zip(given, tangents, strict=True)]
                has_outputs, outputs = _tensors(func(*duals), "outputs", "None")  # as PyTorch says it
                pushed = [forward_ad.unpack_dual(each) for each in outputs]
            columns[which].append(
                tuple([zeros_like(primal) if tangent is None else tangent for primal, tangent in pushed])
            )
    matrices: Any = [
        [
            stack([column[place] for column in columns[which]], -1).reshape((*output._size, *input._size))
            for which, input in enumerate(given)
        ]
        for place, output in enumerate(outputs)
    ]
    if not has_inputs:
        matrices = tuple([each[0] for each in matrices])
    return matrices if has_outputs else matrices[0]


def hessian(
    func: Function,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The second derivatives of ``func(*inputs)``, a scalar: input's size, input's size; the Jacobian's Jacobian."""
    has_inputs, given = _tensors(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def scalar(*arguments: Tensor) -> Tensor:
        return _scalar(func(*arguments), strict, "hessian").squeeze()

    def slopes(*arguments: Tensor) -> Tensors:
        if outer_jacobian_strategy == "forward-mode":
            arguments = tuple([each.requires_grad_() for each in arguments])
        found: Tensors = jacobian(scalar, arguments, create_graph=True)
        if strict:
            check_jacobian(found)
        return found

    found = jacobian(slopes, given, create_graph, strict, vectorize, outer_jacobian_strategy)
    return found if has_inputs else found[0][0]


# --- what they share -------------------------------------------------------------------------------------------------


def _first_order(
    func: Function, inputs: Any, v: Any, create_graph: bool, strict: bool, name: str
) -> tuple[Tensors, Tensors, Gradients, Tensors | None, bool]:
    """The inputs, the output, the gradient, the vector; and whether the inputs came as a tuple."""
    with enable_grad():
        has_inputs, given = _tensors(inputs, "inputs", name)
        given = _fresh(given, create_graph)
        vector = _input_vector(v, given, has_inputs, name, create_graph)
        output = _scalar(func(*given), strict, name)
        slopes = _gradients((output,), given, None, create_graph=True)
        if strict:
            check_jacobian(slopes)
    return given, (output,), slopes, vector, has_inputs


def _tensors(value: Any, what: str, name: str) -> tuple[bool, Tensors]:
    """Whether a tuple was given, and the tensors."""
    is_tuple = isinstance(value, tuple)
    tensors = value if is_tuple else (value,)
    for place, each in enumerate(tensors):
        if not isinstance(each, Tensor):
            where = f"value at index {place}" if is_tuple else f"given {what}"
            raise TypeError(
                f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the {where} has type "
                f"{type(each)}."
            )
    return is_tuple, tensors


def _scalar(value: Any, strict: bool, name: str) -> Tensor:
    is_tuple, outputs = _tensors(value, _OUTPUTS, name)
    check_outputs(outputs, strict)
    if is_tuple:
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a single element")
    return outputs[0]


def _fresh(tensors: Tensors, create_graph: bool, need_graph: bool = True) -> Tensors:
    """Tensors that nothing was computed from yet: still connected to the caller's if `create_graph`."""
    return tuple(
        [
            each.view_as(each) if create_graph and each.requires_grad else each.detach().requires_grad_(need_graph)
            for each in tensors
        ]
    )


def _input_vector(v: Any, given: Tensors, has_inputs: bool, name: str, create_graph: bool) -> Tensors | None:
    if v is None and (len(given) != 1 or given[0].numel() != 1):
        raise RuntimeError(
            "The vector v can only be None if the input to the user-provided function is a single Tensor with a single "
            "element."
        )
    return _vector(v, given, has_inputs, name, create_graph)


def _vector(v: Any, like: Tensors, is_tuple: bool, name: str, create_graph: bool) -> Tensors | None:
    if v is None:
        return None
    vector = _fresh(_tensors(v, "v", name)[1], create_graph, need_graph=False)
    if len(vector) != len(like):
        raise RuntimeError(
            f"v is a tuple of invalid length: should be {len(like)} but got {len(vector)}."
            if is_tuple
            else "The given v should contain a single Tensor."
        )
    for place, (each, other) in enumerate(zip(vector, like, strict=True)):
        if each._size != other._size:
            where = f"Entry {place} in " if is_tuple else ""
            raise RuntimeError(f"{where}v has invalid size: should be {other.size()} but got {each.size()}.")
    return vector


def _gradients(
    outputs: Sequence[Tensor | None],
    inputs: Tensors,
    starts: Tensors | None,
    create_graph: bool,
    retain_graph: bool | None = None,
) -> Gradients:
    """`autograd.grad` of those outputs that gradients flow from."""
    places = [place for place, each in enumerate(outputs) if each is not None and each.requires_grad]
    if not places:
        return (None,) * len(inputs)
    return grad(
        [each for each in outputs if each is not None and each.requires_grad],
        inputs,
        None if starts is None else [starts[place] for place in places],
        create_graph=create_graph,
        retain_graph=retain_graph,
        allow_unused=True,
    )


def _result(tensors: Sequence[Tensor], as_tuple: bool, create_graph: bool) -> Any:
    results = tuple(tensors) if create_graph else tuple([each.detach() for each in tensors])
    return results if as_tuple else results[0]


# --- strict mode -----------------------------------------------------------------------------------------------------

STRICT = "This is not allowed in strict mode."
JACOBIAN, HESSIAN = "jacobian", "hessian"
# The messages for a gradient that is missing.
OF_OUTPUT = "The output of the user-provided function is independent of input {}. " + STRICT
OF_JACOBIAN = "The jacobian of the user-provided function is independent of input {}. " + STRICT
OF_START = (
    "The gradient with respect to the input is independent of entry {} in the grad_outputs when using the double "
    "backward trick to compute forward mode gradients. " + STRICT
)
OF_HESSIAN = (
    "The hessian of the user-provided function is independent of entry {} in the grad_jacobian. This is not allowed in "
    "strict mode as it prevents from using the double backward trick to replace forward mode AD."
)


def independent(what: str, place: int) -> str:
    return (
        f"The {what} of the user-provided function is independent of input {place}. This is not allowed in strict mode "
        "when create_graph=True."
    )


def with_zeros(
    gradients: Gradients, like: Tensors, strict: bool, create_graph: bool, message: str, what: str
) -> Tensors:
    """The gradients, zeros for those that are missing, or in strict mode an error."""
    found = []
    for place, (gradient, other) in enumerate(zip(gradients, like, strict=True)):
        if gradient is None and strict:
            raise RuntimeError(message.format(place))
        if gradient is not None and strict and create_graph and not gradient.requires_grad:
            raise RuntimeError(independent(what, place))
        found.append(zeros_like(other.detach()) if gradient is None else gradient)
    return tuple(found)


def check_outputs(outputs: Tensors, strict: bool) -> None:
    for place, output in enumerate(outputs if strict else ()):
        if not output.requires_grad:
            raise RuntimeError(
                f"Output {place} of the user-provided function does not require gradients. The outputs must be "
                "computed in a differentiable manner from the input when running in strict mode."
            )


def check_gradients(gradients: Gradients) -> None:
    for place, gradient in enumerate(gradients):
        if gradient is None:
            raise RuntimeError(OF_OUTPUT.format(place))
        if not gradient.requires_grad:
            raise RuntimeError(
                f"The gradient with respect to input {place} is independent of the inputs of the user-provided "
                f"function. {STRICT}"
            )


def check_jacobian(gradients: Gradients) -> None:
    for place, gradient in enumerate(gradients):
        if gradient is None:
            raise RuntimeError(OF_OUTPUT.format(place))
        if not gradient.requires_grad:
            raise RuntimeError(
                "While computing the hessian, found that the jacobian of the user-provided function with respect to "
                f"input {place} is independent of the input. {STRICT} You should ensure that your function is twice "
                "differentiable and that the jacobian depends on the inputs (this would be violated by a linear "
                "function for example)."
            )
