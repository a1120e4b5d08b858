"""The short-time Fourier transform, stft, which gives spectra of short pieces of a signal; and its inverse, istft.

The pieces, or frames, are a view with overlapping rows. Each is multiplied by the window and transformed. Backwards,
frames are added up where they lay in the signal, and so are their windows; one divided by the other is the signal,
wherever a window reaches.
"""

from __future__ import annotations

from typing import Any

from tensorglass import geometry
from tensorglass.core.errors import explained, warn
from tensorglass.ops.arg_parser.checks import check_tensor
from tensorglass.ops.copies.copy import resolve_conj
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.derivatives.view_nodes import slice_view, unfold_backward
from tensorglass.ops.fft.fft import BY_COUNT, BY_ROOT, UNSCALED, complex_to_complex, complex_to_real, real_to_complex
from tensorglass.ops.rearrange.pad import constant_pad_nd, pad
from tensorglass.ops.views.shape import view_as_complex, view_as_real
from tensorglass.tensor.tensor import Tensor

RECTANGLE = (
    "To suppress this warning and use a rectangular window, explicitly set `window=torch.ones(n_fft, device=<device>)`."
)
ONE_SIDED = "Cannot have onesided output if window or input is complex"


def check_transformable(input: Tensor) -> None:
    """Raise for half types, which PyTorch's CPU cannot transform."""
    if input._dtype.itemsize == 2:
        raise explained(
            RuntimeError(f"MKL FFT doesn't support tensors of type: {input._dtype.scalar_type}"),
            "Convert it first: x.float().",
        )


def _checked(
    input: Any, n_fft: Any, hop: Any, win: Any, window: Any, normalized: Any, onesided: Any, is_complex: Any, align: Any
) -> None:
    """Raise PyTorch's TypeError for what is no number, no flag or no tensor."""
    numbers = (n_fft, 0 if hop is None else hop, 0 if win is None else win)
    flags = [flag for flag in (onesided, is_complex, align) if flag is not None]
    if (
        any(type(number) is not int for number in numbers)
        or not isinstance(window, Tensor | None)
        or any(type(flag) is not bool for flag in (normalized, *flags))
    ):
        given = (input, n_fft, hop, win, window, normalized, onesided, is_complex, align)
        from tensorglass.ops.arg_parser.signature import refusal  # when it is needed: imports should be quick

        raise refusal("stft", given, {}, is_method=False) or TypeError("stft(): no such combination of arguments")


@operator("Fourier", signatures=None)
def stft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Tensor:
    """The short-time Fourier transform of a signal, or of a batch: (…, samples) → (…, frequencies, frames).

    A frame of `n_fft` samples begins every `hop_length`, a quarter of it if not said, and is multiplied by `window`,
    of `win_length` numbers. If `center`, frames lie around their positions, and the signal is padded at both ends as
    `pad_mode` says. Of a real signal the first half of each spectrum is given, if not ``onesided=False``.
    """
    if center and align_to_window is not None:
        raise RuntimeError("stft align_to_window should only be set when center = false")
    if center:
        rank, around = input.dim(), n_fft // 2
        longer = pad(input.view([1] * (3 - rank) + list(input.size())), (around, around), pad_mode)
        input = longer.view(longer.shape[-rank:]) if rank else longer.view(longer.shape)
    _checked(input, n_fft, hop_length, win_length, window, normalized, onesided, return_complex, align_to_window)
    return _spectra(input, n_fft, hop_length, win_length, window, normalized, onesided, return_complex, align_to_window)


def _spectra(
    input: Tensor,
    n_fft: int,
    hop_length: int | None,
    win_length: int | None,
    window: Tensor | None,
    normalized: bool,
    onesided: bool | None,
    return_complex: bool | None,
    align_to_window: bool | None,
) -> Tensor:
    check_tensor("stft", input)
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    if window is None:
        warn(
            "A window was not provided. A rectangular window will be applied,which is known to cause spectral leakage. "
            "Other windows such as torch.hann_window or torch.hamming_window are recommended to reduce spectral "
            f"leakage.{RECTANGLE}"
        )
    elif input.device != window.device:
        raise RuntimeError(
            "stft input and window must be on the same device but got self on "
            f"{input.device} and window on {window.device}"
        )
    is_complex = input._dtype.is_complex or (window is not None and window._dtype.is_complex)
    if not (is_complex if return_complex is None else return_complex):
        _advise_complex(is_given=return_complex is not None)
    wrong = _misfit(input, n_fft, hop, width, window)
    if wrong is not None:
        raise RuntimeError(f"stft(): {wrong}")
    frames = _frames(input, n_fft, hop, width, bool(align_to_window))
    if window is not None or width < n_fft:
        frames = frames * _centred(frames if window is None else window, window, n_fft, width)
    check_transformable(frames)
    scaling = BY_ROOT if normalized else UNSCALED
    if frames._dtype.is_complex:
        if onesided:
            raise RuntimeError(ONE_SIDED)
        spectrum = complex_to_complex(frames, (2,), scaling, True)
    else:
        spectrum = real_to_complex(frames, (2,), scaling, onesided is not False)
    spectrum.transpose_(1, 2)
    if input.dim() == 1:
        spectrum.squeeze_(0)
    return spectrum if return_complex is not False else view_as_real(spectrum)


def _advise_complex(is_given: bool) -> None:
    """Raise if `return_complex` is missing, and warn if it is False."""
    if not is_given:
        raise explained(
            RuntimeError(
                "stft requires the return_complex parameter be given for real inputs, and will further require that "
                "return_complex=True in a future PyTorch release."
            ),
            "Write return_complex=True; view_as_real of the result gives real numbers.",
        )
    warn(
        "stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex tensors "
        "for all inputs, and return_complex=False will raise an error.\nNote: you can still call torch.view_as_real on "
        "the complex output to recover the old return format."
    )


def _misfit(input: Tensor, n_fft: int, hop: int, width: int, window: Tensor | None) -> str | None:
    """What is wrong with the numbers of `stft`, in PyTorch's words."""
    if not (input._dtype.is_floating_point or input._dtype.is_complex):
        return "expected a tensor of floating point or complex values"
    if len(input._size) not in (1, 2):
        return "expected a 1D or 2D tensor"
    length = input._size[-1]
    if not 0 < n_fft <= length:
        return f"expected 0 < n_fft < {length}, but got n_fft={width}"
    if hop <= 0:
        return f"expected hop_length > 0, but got hop_length={hop}"
    if not 0 < width <= n_fft:
        return f"expected 0 < win_length <= n_fft, but got win_length={width}"
    if window is not None and window._size != (width,):
        return (
            f"expected a 1D window tensor of size equal to win_length={width}, but got window with size "
            f"{list(window._size)}"
        )
    return None


def _frames(input: Tensor, n_fft: int, hop: int, width: int, align_to_window: bool) -> Tensor:
    """The pieces of a signal, as a view: (batch, frames, n_fft)."""
    signals = input.unsqueeze(0) if input.dim() == 1 else input
    if align_to_window:  # the first window begins with the signal, and the last may end with it
        around = (n_fft - width) // 2
        signals = constant_pad_nd(signals, (around, around))
    batch, length = signals.shape
    one, step = signals.stride()
    return signals.as_strided((batch, 1 + (length - n_fft) // hop, n_fft), (one, hop * step, step))


def _centred(like: Tensor, window: Tensor | None, n_fft: int, width: int) -> Tensor:
    """The window (ones if None), padded with zeros on both sides to the length of a frame."""
    if window is not None and width == n_fft:
        return window
    result = like.new_zeros((n_fft,))
    middle = result.narrow(0, (n_fft - width) // 2, width)
    if window is None:
        middle.fill_(1)
    else:
        middle.copy_(window)
    return result


# --- the inverse -----------------------------------------------------------------------------------------------------


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
    geometry.wrap_dim(-3, input.dim() + 1)  # as a tensor of real numbers it has one dimension more
    frequencies, count = input.size(-2), input.size(-1)
    is_onesided = frequencies != n_fft if onesided is None else onesided
    wrong = _misfit_back(input, n_fft, hop, width, window, is_onesided)
    if wrong is not None:
        raise RuntimeError(f"istft(): {wrong}")
    real = view_as_real(resolve_conj(input))
    check_transformable(input)
    faded = real.new_ones((width,)) if window is None else window
    if width != n_fft:
        before = (n_fft - width) // 2
        faded = constant_pad_nd(faded, (before, n_fft - width - before))
    batch = real.unsqueeze(0) if input.dim() == 2 else real
    frames = _transformed_back(
        view_as_complex(batch.transpose(1, 2)), window, n_fft, normalized, is_onesided, return_complex
    )
    whole = n_fft + hop * (count - 1)
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else -(n_fft // 2) if center else whole
    signal, weights = (slice_view(signal, 1, start, end) for signal in _overlap_added(frames, faded, hop, whole))
    if bool(weights.abs().min() < 1e-11):
        raise explained(
            RuntimeError("istft(): window overlap add min: 1"),
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
    return signal


def _overlap_added(frames: Tensor, window: Tensor, hop: int, whole: int) -> tuple[Tensor, Tensor]:
    """Frames added up where they lay in a signal of `whole` samples; and the squared windows over each sample."""
    _, count, n_fft = frames.shape
    signal = unfold_backward(frames * window.view(1, 1, n_fft), (len(frames), whole), 1, n_fft, hop)
    weights = unfold_backward(window.pow(2).expand(1, count, n_fft), (1, whole), 1, n_fft, hop)
    return signal, weights


def _transformed_back(
    spectra: Tensor, window: Tensor | None, n_fft: int, normalized: bool, onesided: bool, is_complex: bool
) -> Tensor:
    scaling = BY_ROOT if normalized else BY_COUNT
    if is_complex:
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
