"""The inverse of the short-time Fourier transform `stft`: the signal of a sequence of spectra.

Frames are added up where they lay in the signal, and so are the windows that they were faded by; the one divided by the
other is the signal, wherever a window reaches.
"""

from __future__ import annotations

from typing import Any

from tensorglass import geometry
from tensorglass.core.errors import explained, warn
from tensorglass.ops.arg_parser.checks import check_tensor
from tensorglass.ops.copies.copy import resolve_conj
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.derivatives.view_nodes import slice_view
from tensorglass.ops.fft.common import BY_COUNT, BY_ROOT, complex_to_complex, complex_to_real
from tensorglass.ops.fft.stft import ONE_SIDED, RECTANGLE, call_as_shown, check_transformable
from tensorglass.ops.rearrange.pad import constant_pad_nd
from tensorglass.ops.views.as_strided_backward import unfold_backward
from tensorglass.ops.views.shape import view_as_complex, view_as_real
from tensorglass.tensor.tensor import Tensor


@operator("Fourier")
def istft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor:
    """The signal whose `stft` these spectra are, or the one closest to it: (…, frequencies, frames) → (…, samples).

    All arguments are to be those that `stft` was given; `length` cuts the signal, or fills it up with zeros. Raises
    RuntimeError where the windows leave samples out.
    """
    check_tensor("istft", input)
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    if window is None:
        warn(
            "A window was not provided. A rectangular window will be applied.Please provide the same window used by "
            f"stft to make the inversion lossless.{RECTANGLE}"
        )
    elif input.device != window.device:
        raise RuntimeError(
            "istft input and window must be on the same device but got self on "
            f"{input.device} and window on {window.device}"
        )
    if not input._dtype.is_complex:
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with return_complex=True."
        )
    geometry.wrap_dim(-3, input.dim() + 1)  # of the real numbers, which have one dimension more
    frequencies, count = input.size(-2), input.size(-1)
    numbers = {"n_fft": n_fft, "hop_length": hop, "win_length": width}
    flags = {
        "center": center, "normalized": normalized, "onesided": onesided, "length": length,
        "return_complex": return_complex,
    }  # fmt: skip
    call = call_as_shown("istft", input, window, numbers, flags)
    is_onesided = frequencies != n_fft if onesided is None else onesided
    wrong = _misfit_back(input, n_fft, hop, width, window, is_onesided)
    if wrong is not None:
        raise RuntimeError(f"{call} : {wrong}")
    real = view_as_real(resolve_conj(input))
    check_transformable(input)
    faded = real.new_ones((width,)) if window is None else window
    if width != n_fft:
        before = (n_fft - width) // 2
        faded = constant_pad_nd(faded, (before, n_fft - width - before))
    batch = real.unsqueeze(0) if input.dim() == 2 else real
    frames: Tensor = _transformed_back(
        view_as_complex(batch.transpose(1, 2)), window, n_fft, normalized, is_onesided, flags
    )
    whole = n_fft + hop * (count - 1)
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else -(n_fft // 2) if center else whole
    signal, weights = (slice_view(each, 1, start, end) for each in _overlap_added(frames, faded, hop, whole))
    if bool(weights.abs().min() < 1e-11):
        raise explained(
            RuntimeError(f"{call} window overlap add min: 1"),
            "Some samples lie under no window: take a smaller hop_length, or a window that does not reach 0.",
        )
    signal = signal / weights
    if input.dim() == 2:
        signal = signal.squeeze(0)
    if end > whole:
        warn(
            "The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail. "
            "Please check your center and hop_length settings."
        )
        signal = constant_pad_nd(signal, (0, end - whole))
    result: Tensor = signal
    return result


def _overlap_added(frames: Tensor, window: Tensor, hop: int, whole: int) -> tuple[Tensor, Tensor]:
    """Frames added up where they lay in a signal of `whole` samples; and the squared windows over each sample."""
    _, count, n_fft = frames.shape
    signal = unfold_backward(frames * window.view(1, 1, n_fft), (len(frames), whole), 1, n_fft, hop)
    weights = unfold_backward(window.pow(2).expand(1, count, n_fft), (1, whole), 1, n_fft, hop)
    return signal, weights


def _transformed_back(
    spectra: Tensor, window: Tensor | None, n_fft: int, normalized: bool, onesided: bool, flags: dict[str, Any]
) -> Any:
    scaling = BY_ROOT if normalized else BY_COUNT
    if flags["return_complex"]:
        if onesided:
            raise RuntimeError(ONE_SIDED)
        return complex_to_complex(spectra, (2,), scaling, False)
    if window is not None and window._dtype.is_complex:
        raise RuntimeError("Complex windows are incompatible with return_complex=False")
    if not onesided:
        spectra = slice_view(spectra, -1, 0, n_fft // 2 + 1)
    return complex_to_real(spectra, (2,), scaling, n_fft)


def _misfit_back(input: Tensor, n_fft: int, hop: int, width: int, window: Tensor | None, onesided: bool) -> str | None:
    """What is wrong with the numbers of `istft`, in PyTorch's words."""
    frequencies = input._size[-2]
    if not input.numel():
        return "input tensor cannot be empty."
    if len(input._size) not in (2, 3):
        return f"expected a tensor with 3 or 4 dimensions, but got {len(input._size) + 1}"
    expected = n_fft // 2 + 1 if onesided else n_fft
    if frequencies != expected:
        match = "n_fft / 2 + 1 when onesided=True" if onesided else "n_fft when onesided=False"
        return (
            f"expected the frequency dimension (3rd to the last) of the input tensor to match {match}, but got "
            f"{frequencies}"
        )
    if not 0 < hop <= width:
        return "expected 0 < hop_length <= win_length"
    if not 0 < width <= n_fft:
        return "expected 0 < win_length <= n_fft"
    if window is not None and window._size != (width,):
        return "Invalid window shape. window has to be 1D and length of `win_length`"
    return None
