"""``torch.linalg``: linear algebra under NumPy's names.

Its operators are declared in `ops` like all others; a name such as ``linalg_det`` in the table is ``torch.linalg.det``.
"""

from tensorglass.bootstrap.namespaces import answering
from tensorglass.core.errors import LinAlgError as LinAlgError

__getattr__, __dir__ = answering(globals(), "linalg")
