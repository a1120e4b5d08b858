"""The errors of autograd, kind by kind: the message of each, the tensors that it is about, and what to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from glassroom.reading.nodes import grad_fn_of, is_leaf_with_gradient
from glassroom.translations.templates import as_is

NO_GRAPH = "no graph"  # the problem for which the text names what cut the graph off


@dataclass(frozen=True)
class Kind:
    """A kind of error: the pattern of its message, the tensors that it is about, a sentence about them, and what to do.
    `says` may contain `{names}`, and the pattern's groups as `{0}`, `{1}`. `is_of_the_root` says that the error is
    about the tensor that a backward starts at.
    """

    problem: str
    pattern: str
    of: Callable[[Any], bool]
    says: str
    advice: str
    is_of_the_root: bool = False


def _requires(tensor: Any) -> bool:
    return bool(tensor.requires_grad)


def _requires_none(tensor: Any) -> bool:
    return not tensor.requires_grad


def _is_result(tensor: Any) -> bool:
    return grad_fn_of(tensor) is not None


def _has_several(tensor: Any) -> bool:
    return bool(tensor.requires_grad and tensor.numel() != 1)


def _is_view(tensor: Any) -> bool:
    return bool(tensor._is_view())


def _of_inference(tensor: Any) -> bool:
    return bool(tensor.is_inference())


def _not_floating(tensor: Any) -> bool:
    return not (tensor.is_floating_point() or tensor.is_complex())


NOT_USED = "a tensor that was not used"
_UNDER_NO_GRAD = (
    "An update or a starting value belongs under `with torch.no_grad():`; what belongs to the computation is written "
    "to a copy, `.clone()`."
)
KINDS = (
    Kind(
        "a write into a leaf",
        as_is(r"view of a leaf Variable that requires grad is being used in an in-place"),
        is_leaf_with_gradient,
        "{names} is a leaf that requires a gradient, and is written to through a view while autograd records",
        _UNDER_NO_GRAD,
    ),
    Kind(
        "a write into a leaf",
        as_is(r"leaf Variable that requires grad .*(?:in-place|moved into the graph)"),
        is_leaf_with_gradient,
        "{names} is a leaf that requires a gradient, and is written to while autograd records",
        _UNDER_NO_GRAD,
    ),
    Kind(
        NO_GRAPH,
        as_is(r"element \d+ of tensors does not require grad and does not have a grad_fn"),
        _requires_none,
        "{names} has no graph: nothing that it was computed from requires a gradient, or the record was cut",
        "The graph is cut by detach(), item(), numpy(), a new tensor(…), no_grad() and indices such as argmax: print "
        "grad_fn from the loss upward, the first None is where.",
        is_of_the_root=True,
    ),
    Kind(
        "several numbers",
        as_is(r"grad can be implicitly created only for scalar outputs"),
        _has_several,
        "{names} has more than one element, and a backward without weights starts at one number",
        "Reduce it by sum() or mean(), or give the weights: backward(gradient).",
        is_of_the_root=True,
    ),
    Kind(
        "a complex result",
        as_is(r"grad can be (?:implicitly )?created only for real scalar outputs"),
        _requires,
        "{names} is complex, and a backward starts at a real number",
        "Make one real number of it, such as by abs(), or give the weights: backward(gradient).",
        is_of_the_root=True,
    ),
    Kind(
        "a gradient of another size",
        as_is(
            r"Mismatch in shape: grad_output\[\d+\] has a shape of (?:torch\.Size\()?(\[[^\]]*\])\)? and "
            r"output\[\d+\] has a shape of (?:torch\.Size\()?(\[[^\]]*\])"
        ),
        _is_result,
        "the gradient that was given has size {0}, and {names} has size {1}",
        "Give one weight for each element of the result.",
    ),
    Kind(
        "a tensor without a gradient",
        as_is(r"differentiated Tensors does not require grad"),
        _requires_none,
        "{names} does not require a gradient",
        "Call requires_grad_() on it before anything is computed from it.",
    ),
    Kind(
        NOT_USED,
        as_is(r"differentiated Tensors? .*appears to not have been used in the graph"),
        is_leaf_with_gradient,
        "the result was not computed from {names}",
        "Ask for tensors that the result was computed from, before x.to(…) or x.clone() gave the name to another; "
        "allow_unused=True gives None.",
    ),
    Kind(
        "a write into one of several views",
        as_is(r"Output \d+ of (\w+) is a view and is being modified inplace"),
        _is_view,
        "{names} is one of the views that `{0}` returned together, and such views are not written to",
        "Compute a new tensor in the place of the write, or index one view at a time: x[0].",
    ),
    Kind(
        "a write into a view from elsewhere",
        as_is(r"A view was created in (no_grad|inference) mode and"),
        _is_view,
        "{names} is a view that was made in {0} mode, and is written to while autograd records",
        "Make the view and write to it in the same mode.",
    ),
    Kind(
        "a tensor of inference mode",
        as_is(r"Inference tensors cannot be saved|inference tensor outside InferenceMode"),
        _of_inference,
        "{names} was made in inference mode, which autograd does not record from",
        "Clone it outside of inference_mode(), or make it under no_grad().",
    ),
    Kind(
        "NumPy and a graph",
        as_is(r"Can't call numpy\(\) on Tensor that requires grad"),
        _requires,
        "{names} requires a gradient, and NumPy records nothing",
        "Call detach() first.",
    ),
    Kind(
        "a dtype without gradients",
        as_is(r"[Oo]nly Tensors of floating point (?:and complex )?dtype can require gradients"),
        _not_floating,
        "{names} has whole numbers, of which there are no gradients",
        "Make it of floating point: dtype=torch.float32, or float().",
    ),
    Kind(
        "the flag of a result",
        as_is(r"you can only change requires_grad flags of leaf variables"),
        _is_result,
        "{names} was computed, so whether it requires a gradient follows from what it was computed from",
        "detach() gives a tensor on the same memory that requires none.",
    ),
    Kind(
        "a gradient that is not a number",
        as_is(r"Function '(\w+)' returned nan values in its (\d+)th output"),
        _is_result,
        "`{0}` computed a gradient that is NaN, the one of its input {1}",
        "Look at what it is given: 0 in sqrt, log or a division has such a gradient; add a small number, or mask it.",
    ),
    Kind(
        "a gradient of another size",
        as_is(r"Function (\w+) returned an invalid gradient at index (\d+) - (got .*)"),
        _is_result,
        "`{0}` returned a gradient that does not fit its input {1}: {2}",
        "A backward returns for each input of forward a gradient of its size, dtype and device, or None.",
    ),
    Kind(
        "another number of gradients",
        as_is(r"function (\w+) returned an incorrect number of gradients \((.*)\)"),
        _is_result,
        "`{0}` returned another number of gradients than its forward has inputs: {1}",
        "A backward returns one gradient, or None, for each input of forward but ctx.",
    ),
    Kind(
        "a backward that returns no tensor",
        as_is(r"expected Variable or None \(got (\w+)\)"),
        _is_result,
        "a backward in the graph returned a {0}, which is no gradient",
        "A backward returns a tensor, or None, for each input of forward but ctx.",
    ),
    Kind(
        "a function without a backward",
        as_is(r"You must implement either the backward or vjp method"),
        _is_result,
        "a function in the graph has no backward",
        "Give its class a backward(ctx, gradient), or call it under no_grad().",
    ),
    Kind(
        "a hook that changes what a gradient is",
        as_is(r"hook '(.*?)' has changed the (\w+) of value"),
        _is_result,
        "the hook `{0}` returned a gradient of another {1} than it was given",
        "A hook returns a gradient of the size, dtype and device of the one that it is given, or None.",
    ),
    Kind(
        "another number of gradients",
        as_is(r"hook '(.*?)' has returned an incorrect number of values \((.*)\)"),
        _is_result,
        "the hook `{0}` returned another number of gradients than it was given: {1}",
        "A hook on a node returns a gradient for each of its inputs, or None.",
    ),
    Kind(
        "a hook that returns no tensor",
        as_is(r"expected Variable, but hook returned '(\w+)'"),
        _is_result,
        "a hook returned a {0}, which is no gradient",
        "A hook returns a tensor, or None where it only looks.",
    ),
    Kind(
        "a derivative of a derivative",
        as_is(r"trying to differentiate twice a function that was marked with @once_differentiable"),
        _is_result,
        "a function in the graph of {names} can be differentiated once",
        "Write its backward of operators that autograd records, and take the mark @once_differentiable away.",
    ),
    Kind(
        "no derivative",
        as_is(r"derivative for '?([\w:.]+)'? is not implemented"),
        _is_result,
        "`{0}` has no derivative",
        "Compute this part of others, under no_grad(), or in a Function with a backward of its own.",
    ),
    Kind(
        "an optimizer of results",
        as_is(r"can't optimize a non-leaf Tensor"),
        _is_result,
        "{names} was computed, and an optimizer changes leaves",
        "Compute the starting value first, then call detach().requires_grad_() on it.",
    ),
    Kind(
        "a hook without a gradient",
        as_is(
            r"cannot register a hook on a tensor that doesn't require gradient|can't retain_grad on Tensor that has "
            r"requires_grad=False"
        ),
        _requires_none,
        "{names} requires no gradient, so none will come",
        "Call requires_grad_() on it, or on what it is computed from, before.",
    ),
    Kind(
        "a gradient that does not fit",
        as_is(r"attempting to assign a gradient (.*?)(?:\. |$)"),
        is_leaf_with_gradient,
        "{names} was given a gradient that does not fit: {0}",
        "A gradient has the size, dtype and device of its tensor.",
    ),
    Kind(
        "a deep copy of a result",
        as_is(r"Only Tensors created explicitly by the user .*support the deepcopy protocol"),
        _is_result,
        "{names} was computed, and its graph is not copied with it",
        "Copy the values alone: detach().clone().",
    ),
    Kind(
        "out= in a graph",
        as_is(r"functions with out=\.\.\. arguments don't support automatic differentiation"),
        _requires,
        "{names} requires a gradient, and what is written to out= is not recorded",
        "Leave out= away, or write under no_grad().",
    ),
)
