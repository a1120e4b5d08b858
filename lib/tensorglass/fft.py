"""``torch.fft``: Fourier transforms under the names that NumPy has for them too.

Its operators are declared in `ops` like all others; a name such as ``fft_ifft`` in the table is ``torch.fft.ifft``.
"""

from typing import Any

from tensorglass.ops.table import functions_of

globals().update(functions_of(__name__.rpartition(".")[2]))


def __getattr__(name: str) -> Any:
    """Python asks this for a name that is not above."""
    from tensorglass.missing import no_such_name  # when it is needed: imports should be quick

    raise no_such_name(name, globals(), "fft")
