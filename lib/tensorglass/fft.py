"""``torch.fft``: Fourier transforms under the names that NumPy has for them too.

Its operators are declared in `ops` like all others; a name such as ``fft_ifft`` in the table is ``torch.fft.ifft``.
"""

from tensorglass.bootstrap.namespaces import answering

__getattr__, __dir__ = answering(globals(), "fft")
