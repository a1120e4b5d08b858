"""`gradcheck` and `gradgradcheck`: are derivatives right? They are compared with finite differences of the function.

The second derivative of a function is the first derivative of its gradient function, which maps the inputs and the
outputs' gradients to the inputs' gradients.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorglass.autograd.backward import grad
from tensorglass.core.errors import GradcheckError
from tensorglass.ops.creation.fill import empty
from tensorglass.ops.views.shape import view_as_real
from tensorglass.tensor.tensor import Tensor

if TYPE_CHECKING:
    from tensorglass.autograd.checks import Function

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


def gradcheck(
    func: Function,
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Whether the gradients of ``func(*inputs)`` are right: True, or GradcheckError (False unless `raise_exception`).

    Each element of each input that requires a gradient is changed by `eps`, and how the outputs change is compared
    with the recorded derivative, within ``atol + rtol · |value|``. Use float64 or complex128, and points where the
    function is smooth. Also checked: that a second backward pass gives the same gradients (within `nondet_tol`), that
    they are zero for zero gradients of the outputs, and that outputs without a gradient are accepted
    (`check_undefined_grad`).

    `fast_mode`, `masked`, `check_batched_grad` and `check_batched_forward_grad` are accepted and change nothing: whole
    Jacobians are always compared, there are no sparse tensors, and a batch is a loop.

    >>> x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradcheck(torch.exp, x)
    True
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    from tensorglass.autograd.checks import Check, as_tuple  # not imported until needed

    check = Check(func, as_tuple(inputs), eps, atol, rtol, nondet_tol, check_grad_dtypes)
    try:
        check.inputs_can_be_checked()
        if check_backward_ad:
            check.backward()
        if check_forward_ad:
            check.forward()
        if check_backward_ad:
            check.zero_gradients()
            if check_undefined_grad:
                check.undefined_gradients()
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Function,
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Whether the gradients of the gradients of ``func(*inputs)`` are right.

    It is `gradcheck` of the function that takes the inputs and the outputs' gradients to the inputs' gradients.
    `grad_outputs` are random between -1 and 1 if not given.

    >>> x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradgradcheck(torch.exp, x)
    True
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    from tensorglass.autograd.checks import as_tuple, with_gradients  # not imported until needed

    given = as_tuple(inputs)
    if grad_outputs is None:
        outputs = with_gradients(func(*given))
        starts = tuple([_random_like(output, gen_non_contig_grad_outputs) for output in outputs])
    else:
        starts = as_tuple(grad_outputs)
    wanted = [place for place, input in enumerate(given) if isinstance(input, Tensor) and input.requires_grad]
    started = [place for place, start in enumerate(starts) if start.requires_grad]

    def gradients(*arguments: Any) -> tuple[Tensor, ...]:
        ins, outs = list(arguments[: len(given)]), list(arguments[len(given) :])
        for values, places in ((ins, wanted), (outs, started)):
            for place in places:  # forward mode clears the flag
                values[place] = values[place].requires_grad_()
        gradients_of_starts = grad(
            with_gradients(func(*ins)), [ins[place] for place in wanted], outs, create_graph=True, allow_unused=True
        )
        return tuple([gradient for gradient in gradients_of_starts if gradient is not None])

    return gradcheck(
        gradients,
        (*given, *starts),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
        masked=masked,
    )


def _random_like(output: Tensor, spread_out: bool) -> Tensor:
    """Elements between -1 and 1 in the form of `output`; with gaps between them if `spread_out`."""
    vector = empty(output._size, dtype=output._dtype)
    (view_as_real(vector) if vector.is_complex() else vector).uniform_(-1, 1)
    if spread_out and vector.numel() > 1:
        vector = vector.repeat_interleave(2, dim=-1)[..., ::2]
    return vector.requires_grad_()
