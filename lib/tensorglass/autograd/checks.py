"""What `gradcheck` checks, one method for each check; below, the Jacobian matrices that it compares.

Backward gives a gradient for *real* outputs. A function with complex outputs is checked as two functions, its imaginary
and its real part; in forward mode it is checked for one part (real or imaginary) of the inputs at a time.

A matrix has a row for each element of an input and a column for each element of an output. Finite differences along one
element of the input give a row; a backward pass from one element of the output gives a column. For complex inputs both
give PyTorch's convention, the conjugate of Wirtinger's derivative: the real part is the change of the output with the
input's real part, the imaginary part its change with the imaginary part.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Container, Iterator, Sequence
from itertools import product
from typing import Any

from tensorglass.autograd import forward_ad
from tensorglass.autograd.backward import grad
from tensorglass.core import dtypes
from tensorglass.core.errors import GradcheckError, explained
from tensorglass.graph.accumulate_grad import gradient_edge
from tensorglass.graph.node import Gradients, Node, set_history
from tensorglass.ops.creation.fill import zeros_like
from tensorglass.ops.sorting.equal import allclose
from tensorglass.tensor.autograd_meta import like
from tensorglass.tensor.tensor import Tensor

_NOTEBOOK = "4/03 Checking gradients"


class Check:
    """One function, its inputs, and how exact the comparison is. Each method is one thing that is checked."""

    def __init__(
        self,
        function: Function,
        inputs: tuple[Any, ...],
        eps: float,
        atol: float,
        rtol: float,
        nondet_tol: float,
        check_grad_dtypes: bool,
    ) -> None:
        self.function = function
        self.inputs = inputs
        self.differentiable = differentiable(inputs)
        self.eps, self.atol, self.rtol = eps, atol, rtol
        self.nondet_tol = nondet_tol
        self.check_grad_dtypes = check_grad_dtypes

    def inputs_can_be_checked(self) -> None:
        """Check that some input requires a gradient, that each is exact enough, and that none reaches a cell twice."""
        for place, input in enumerate(self.inputs):
            if not isinstance(input, Tensor) or not input.requires_grad:
                continue
            if input._dtype not in (dtypes.float64, dtypes.complex128):
                warnings.warn(
                    f"Input #{place} requires gradient and is not a double precision floating point or complex. This "
                    "check will likely fail if all the inputs are not of double precision floating point or complex. ",
                    UserWarning,
                    stacklevel=3,
                )
            if any(not step and length > 1 for step, length in zip(input._stride, input._size, strict=True)):
                raise explained(
                    RuntimeError(
                        f"The {place}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                        "non-overlapping to be able to compute the numerical gradients correctly. You should call "
                        ".contiguous on the input before passing it to gradcheck."
                    ),
                    "It is expanded: several of its indices mean the same cell, which cannot be nudged for one alone.",
                    notebook=_NOTEBOOK,
                )
        if not self.differentiable:
            raise explained(
                ValueError(
                    "gradcheck expects at least one input tensor to require gradient, but none of them have "
                    "requires_grad=True."
                ),
                "Make it with requires_grad=True, and in float64: torch.randn(3, dtype=torch.float64, "
                "requires_grad=True).",
                notebook=_NOTEBOOK,
            )

    def backward(self) -> None:
        """Check that the recorded derivatives equal the finite differences."""
        outputs = as_tuple(self.function(*self.inputs))
        numeric = [numerical(self.function, self.inputs, outputs, input, self.eps) for input in self.differentiable]
        if not any(output.is_complex() for output in outputs):
            self._compare(outputs, [_as_one(matrices) for matrices in numeric], [], "")
            return
        complex_places = [place for place, output in enumerate(with_gradients(outputs)) if output.is_complex()]
        for part in ("imaginary", "real"):
            matrices = [_as_one([_parts(matrix, part) for matrix in moved]) for moved in numeric]
            self._compare(_parts(outputs, part), matrices, complex_places, part)

    def _compare(
        self,
        outputs: Sequence[Tensor],
        numerical_matrices: Sequence[Sequence[Tensor]],
        complex_places: list[int],
        part: str,
    ) -> None:
        floating = [output for output in outputs if has_gradient(output)]
        if not any(output.requires_grad for output in outputs):
            if any(bool((matrix != 0).any()) for matrices in numerical_matrices for matrix in matrices):
                raise GradcheckError("Numerical gradient for function expected to be zero")
            return
        number = -1
        for place, output in enumerate(floating):
            if not output.requires_grad:
                continue
            number += 1
            for which, analytical in enumerate(self._analytical(output)):
                expected = numerical_matrices[which][place]
                if not self._close(analytical, expected):
                    prefix = (
                        f"While considering the {part} part of complex outputs only, "
                        if number in complex_places
                        else ""
                    )
                    raise self._mismatch(f"{prefix}Jacobian mismatch", number, which, expected, analytical)

    def _analytical(self, output: Tensor) -> list[Tensor]:
        """The Jacobian of an output by its recorded derivatives, computed twice with the same result."""
        once, again = Analytical(self.differentiable, output), Analytical(self.differentiable, output)
        if not once.dtypes_are_right and self.check_grad_dtypes:
            raise GradcheckError("Gradient has dtype mismatch")
        if not once.sizes_are_right:
            raise GradcheckError("Analytical gradient has incorrect size")
        if once.differs(again, self.nondet_tol):
            raise explained(
                GradcheckError(
                    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times "
                    "gives different values, although analytical gradient matches numerical gradient.The tolerance for "
                    f"nondeterminism was {self.nondet_tol}."
                ),
                "Does the derivative draw random numbers, or change what it reads? Pass nondet_tol=… if small "
                "differences are expected.",
                notebook=_NOTEBOOK,
            )
        return once.matrices

    def _close(self, one: Tensor, other: Tensor) -> bool:
        dtype = dtypes.promote_types(one._dtype, other._dtype)
        return allclose(one.to(dtype), other.to(dtype), self.rtol, self.atol)

    def _mismatch(self, what: str, output: int, input: int, expected: Tensor, analytical: Tensor) -> Exception:
        return explained(
            GradcheckError(
                f"{what} for output {output} with respect to input {input},\n"
                f"numerical:{expected}\nanalytical:{analytical}\n"
            ),
            "Rows are the input's elements, columns the output's. The numerical matrix comes from nudging the input, "
            "the analytical one from the derivative that was recorded. A corner of the function (as of relu at 0) "
            "makes them differ as well.",
            notebook=_NOTEBOOK,
        )

    def forward(self) -> None:
        """Check that tangents pushed forward from the inputs equal the finite differences."""
        complex_places = [p for p, input in enumerate(self.inputs) if isinstance(input, Tensor) and input.is_complex()]
        if not complex_places:
            self._compare_forward(self.function, self.inputs, [], "")
            return
        for part in ("imaginary", "real"):
            function = _taking_part(self.function, self.inputs, complex_places, part)
            inputs = tuple(
                [_part(input, part) if p in complex_places else input for p, input in enumerate(self.inputs)]
            )
            self._compare_forward(function, inputs, complex_places, part)

    def _compare_forward(
        self, function: Function, inputs: tuple[Any, ...], complex_places: list[int], part: str
    ) -> None:
        outputs = as_tuple(function(*inputs))
        wanted = [place for place, input in enumerate(inputs) if isinstance(input, Tensor) and input.requires_grad]
        for which, place in enumerate(wanted):
            (expected,) = numerical(function, inputs, outputs, inputs[place], self.eps)
            jacobians = [zeros_like(tensor) for tensor in expected]
            for row, index in positions(inputs[place]):
                with forward_ad.dual_level():
                    tangents = {p: zeros_like(inputs[p].detach()) for p in wanted}
                    tangents[place][index] = 1.0
                    duals = [
                        forward_ad.make_dual(input.detach(), tangents[p]) if p in tangents else input
                        for p, input in enumerate(inputs)
                    ]
                    pushed = [output for output in as_tuple(function(*duals)) if has_gradient(output)]
                    for matrix, output in zip(jacobians, pushed, strict=True):
                        tangent = forward_ad.unpack_dual(output).tangent
                        if tangent is not None:
                            matrix[row] = tangent.reshape(-1)
            for number, (tangents_found, nudged) in enumerate(zip(jacobians, expected, strict=True)):
                if not self._close(tangents_found, nudged):
                    prefix = (
                        f"While considering the {part} part of complex inputs only, " if which in complex_places else ""
                    )
                    what = f"{prefix}Jacobian computed with forward mode mismatch"
                    raise self._mismatch(what, number, which, nudged, tangents_found)

    def zero_gradients(self) -> None:
        """Check that zero gradients of the outputs give zero gradients of the inputs, of the right kind."""
        outputs = with_gradients(self.function(*self.inputs))
        zeros = [zeros_like(output.detach()) for output in outputs]
        gradients = grad(outputs, self.differentiable, zeros, allow_unused=True)
        for gradient, input in zip(gradients, self.differentiable, strict=True):
            if gradient is None:
                continue
            if bool((gradient != 0).any()):
                raise GradcheckError("backward not multiplied by grad_output")
            if gradient._dtype is not input._dtype:
                raise GradcheckError("grad is incorrect type")
            if gradient._size != input._size:
                raise GradcheckError("grad is incorrect size")

    def undefined_gradients(self) -> None:
        """Check that the backward accepts outputs without a gradient: all of them at once, and each by itself."""
        count = len(with_gradients(self.function(*self.inputs)))
        alone = [[place] for place in range(count)] if count > 1 else []
        for undefined in [list(range(count)), *alone]:
            outputs = [
                _no_gradient_back(output) if place in undefined else output
                for place, output in enumerate(with_gradients(self.function(*self.inputs)))
            ]
            zeros = [zeros_like(output.detach()) for output in outputs]
            try:
                gradients = grad(outputs, self.differentiable, zeros, allow_unused=True)
            except RuntimeError as error:
                raise GradcheckError(
                    'Expected backward function to handle undefined output grads. Please look at "Notes about '
                    'undefined output gradients" in "tools/autograd/derivatives.yaml"'
                ) from error
            if any(gradient is not None and bool((gradient != 0).any()) for gradient in gradients):
                raise GradcheckError(
                    "Expected all input grads to be undefined or zero when all output grads are undefined or zero. "
                    'Please look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'
                )


class UndefinedGrad(Node):
    """An identity that passes no gradient on, as if the tensor had not been used."""

    __slots__ = ()

    def apply(self, gradients: list[Tensor | None], towards: Container[Node | None] | None = None) -> Gradients:
        return [None]


def _no_gradient_back(tensor: Tensor) -> Tensor:
    node = UndefinedGrad([gradient_edge(tensor)])
    node.outputs = (like(tensor),)
    same = tensor.detach()
    set_history(same, node)
    return same


def with_gradients(outputs: Any) -> tuple[Tensor, ...]:
    return tuple([output for output in as_tuple(outputs) if output.requires_grad])


def _part(tensor: Tensor, part: str) -> Tensor:
    return tensor.imag if part == "imaginary" else tensor.real


def _parts(tensors: Sequence[Tensor], part: str) -> list[Tensor]:
    """One part (real or imaginary) of the complex ones, and the others unchanged."""
    return [_part(tensor, part) if tensor.is_complex() else tensor for tensor in tensors]


def _taking_part(function: Function, inputs: Sequence[Any], places: Sequence[int], part: str) -> Function:
    """The function of one part of its complex inputs; the other part is held constant."""

    def joined(*parts: Any) -> tuple[Any, ...]:
        arguments = list(parts)
        for place in places:
            whole = inputs[place]
            arguments[place] = whole.real + parts[place] * 1j if part == "imaginary" else parts[place] + whole.imag * 1j
        return as_tuple(function(*arguments))

    return joined


Function = Callable[..., Any]


def as_tuple(value: Any) -> tuple[Any, ...]:
    """One value or several, as several."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def differentiable(inputs: Sequence[Any]) -> list[Tensor]:
    """The tensors among the inputs that require gradients."""
    return [input for input in inputs if isinstance(input, Tensor) and input.requires_grad]


def has_gradient(value: Any) -> bool:
    """Whether a value is of a kind that can have a gradient."""
    return isinstance(value, Tensor) and (value.is_floating_point() or value.is_complex())


def positions(tensor: Tensor) -> Iterator[tuple[int, tuple[int, ...]]]:
    """The elements' indices in order, with their numbers."""
    return enumerate(product(*[range(length) for length in tensor._size]))


# --- finite differences ----------------------------------------------------------------------------------------------


def numerical(
    function: Function, inputs: Sequence[Any], outputs: Sequence[Any], input: Tensor, eps: float
) -> list[list[Tensor]]:
    """How each of the `outputs` that can have a gradient changes with `input`, one of `inputs`: a list of matrices.

    For a complex `input` there are two lists: with its real part, and with its imaginary part.
    """
    steps = (eps, eps * 1j) if input._dtype.is_complex else (eps,)
    jacobians = [
        [output.new_zeros((input.numel(), output.numel())) for output in outputs if has_gradient(output)] for _ in steps
    ]
    memory = input.data  # modified without autograd noticing
    for row, index in positions(input):
        for matrices, step in zip(jacobians, steps, strict=True):
            moved = _slopes(function, inputs, memory[index], index, eps, step)
            for matrix, values in zip(matrices, moved, strict=False):
                matrix[row] = values
    return jacobians


def _as_one(moved: Sequence[Sequence[Tensor]]) -> list[Tensor]:
    """The Jacobian of real outputs with respect to an input, from what `numerical` has found."""
    along, *across = moved
    return [one + other * 1j for one, other in zip(along, across[0], strict=True)] if across else list(along)


def _slopes(
    function: Function,
    inputs: Sequence[Any],
    cell: Tensor,
    index: tuple[int, ...],
    eps: float,
    step: complex,
) -> list[Tensor]:
    """How fast each output changes as a cell of an input moves by `step`: a central difference."""
    before = cell.clone()
    cell.copy_(before - step)
    low = [output.clone() for output in as_tuple(function(*inputs))]
    cell.copy_(before + step)
    high = [output.clone() for output in as_tuple(function(*inputs))]
    cell.copy_(before)
    slopes = []
    for one, other in zip(low, high, strict=False):
        _check_alike("shape", one.shape, other.shape, index, eps)
        _check_alike("dtype", one.dtype, other.dtype, index, eps)
        slopes.append(((other - one) / (2 * eps)).detach().reshape(-1))
    return slopes


def _check_alike(what: str, one: Any, other: Any, index: tuple[int, ...], eps: float) -> None:
    if one != other:
        raise AssertionError(
            f"Expected `func` to return outputs with the same {what} when inputs are perturbed on index {index} by "
            f"{eps}, but got: {what}s {one} and {other}."
        )


# --- by the recorded derivatives -------------------------------------------------------------------------------------


class Analytical:
    """The Jacobian of one output with respect to all inputs, and whether dtypes and sizes were right."""

    def __init__(self, inputs: Sequence[Tensor], output: Tensor) -> None:
        self.matrices = [input.new_zeros((input.numel(), output.numel())) for input in inputs]
        self.sizes_are_right = True
        self.dtypes_are_right = True
        start = zeros_like(output.detach()).contiguous()
        cells = start.view(-1)
        for column in range(output.numel()):
            cells.zero_()
            cells[column] = 1.0
            gradients = grad(output, inputs, start, retain_graph=True, allow_unused=True)
            for matrix, gradient, input in zip(self.matrices, gradients, inputs, strict=True):
                if gradient is not None:
                    self.sizes_are_right &= gradient._size == input._size
                    self.dtypes_are_right &= gradient._dtype is input._dtype
                    matrix[:, column] = gradient.detach().reshape(-1)

    def differs(self, other: Analytical, tolerance: float) -> bool:
        """Whether the same backward pass gave other values the second time."""
        pairs = zip(self.matrices, other.matrices, strict=True)
        return any(one.numel() and bool((one - two).abs().max() > tolerance) for one, two in pairs)
