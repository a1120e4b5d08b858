"""The strict mode of `functional`: what does not depend on the inputs is an error that says which it is.

Without it such derivatives are zeros, which is right, but often not what was meant.
"""

from __future__ import annotations

from tensorglass.ops.creation.fill import zeros_like
from tensorglass.tensor.tensor import Tensor

Tensors = tuple[Tensor, ...]
Gradients = tuple[Tensor | None, ...]

STRICT = "This is not allowed in strict mode."
JACOBIAN, HESSIAN = "jacobian", "hessian"
# What is missing where a gradient is not there.
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
    """The gradients, zeros for those that are not there; in strict mode that is an error."""
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
