"""The stable names for adding operators and backends.

An operator is one declaration: a kernel under `pointwise` or `reduction`, or a function of tensors under `operator`,
with its `derivative`. ``docs/adding-an-operator.md`` goes through one, and so does notebook 06 of part 4. A backend is
a class with the methods of `Backend`; notebook 09 of part 4 writes one, a subclass of `NumpyBackend`. Tools that
explain errors call `about_attribute` for what to say about a name that tensors do not have, and `translate_notes` to
have the notes under errors said in another language.

>>> from tensorglass.extending import OPERATORS
>>> OPERATORS["exp"].kind
'pointwise'
"""

from tensorglass.backends import Array, Backend, Family, get, register_family
from tensorglass.backends.numpy_backend import NumpyBackend
from tensorglass.bootstrap.namespaces import about_attribute
from tensorglass.core.dtypes import BOOL, COMPLEX, FLOATING, INTEGER
from tensorglass.core.errors import translate_notes
from tensorglass.graph.derivative import derivative
from tensorglass.ops import OPERATORS
from tensorglass.ops.declare.pointwise import Operand, pointwise
from tensorglass.ops.declare.reduction import reduction
from tensorglass.ops.declare.registry import Operator, Sample, attach, operator
from tensorglass.ops.declare.samples import pairs, unary
from tensorglass.ops.declare.type_promotion import FLOAT, PREDICATE, PROMOTE

__all__ = [
    "BOOL",
    "COMPLEX",
    "FLOAT",
    "FLOATING",
    "INTEGER",
    "OPERATORS",
    "PREDICATE",
    "PROMOTE",
    "Array",
    "Backend",
    "Family",
    "NumpyBackend",
    "Operand",
    "Operator",
    "Sample",
    "about_attribute",
    "attach",
    "derivative",
    "get",
    "operator",
    "pairs",
    "pointwise",
    "reduction",
    "register_family",
    "translate_notes",
    "unary",
]
