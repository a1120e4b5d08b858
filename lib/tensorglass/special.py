"""``torch.special``: functions that have names of their own, under the names that SciPy has for them too.

Its operators are declared in `ops` like all others; ``special_entr`` in the table is ``torch.special.entr``.
What has another name elsewhere has that of this namespace as an alias: ``special.expit`` is `sigmoid`.
"""

from tensorglass.bootstrap.namespaces import answering

__getattr__, __dir__ = answering(globals(), "special")
