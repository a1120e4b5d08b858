"""All that can be asked about dtypes is compared with PyTorch: there are fifteen, so every combination is tried."""

import itertools

import pytest

from tensorglass.core import dtypes
from tensorglass.core.dtype_info import finfo, iinfo

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")

EVERY = pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
NUMBERS = (True, 3, 3.0, 3j)
DEFAULTS = ("float32", "float64", "bfloat16", "float16")


@pytest.fixture(autouse=True)
def _restore_default_dtypes():
    yield
    dtypes.set_default_dtype(dtypes.float32)
    torch.set_default_dtype(torch.float32)


def theirs(dtype):
    """PyTorch's dtype of the same name; other values unchanged."""
    return getattr(torch, dtype.name) if isinstance(dtype, dtypes.dtype) else dtype


def outcome(function, *args):
    """The printed form of the result, or the class and first line of the error."""
    try:
        return repr(function(*args))
    except (TypeError, RuntimeError, AttributeError) as error:
        return type(error), str(error).splitlines()[0]


@EVERY
def test_a_dtype_says_of_itself_what_pytorch_says(dtype):
    for attribute in ("is_floating_point", "is_complex", "is_signed", "itemsize"):
        assert getattr(dtype, attribute) == getattr(theirs(dtype), attribute)
    assert (repr(dtype), str(dtype)) == (repr(theirs(dtype)), str(theirs(dtype)))
    assert outcome(dtype.to_real) == outcome(theirs(dtype).to_real)
    if dtype is not dtypes.float16:  # whose complex type, complex32, tensorglass does not have
        assert outcome(dtype.to_complex) == outcome(theirs(dtype).to_complex)


@pytest.mark.parametrize("name", ["short", "int", "long", "half", "float", "double", "cfloat", "cdouble", "bool"])
def test_second_names_mean_the_same_dtype(name):
    assert repr(getattr(dtypes, name)) == repr(getattr(torch, name))


def test_every_pair_promotes_and_casts_as_in_pytorch():
    for a, b in itertools.product(dtypes.ALL, repeat=2):
        assert outcome(dtypes.promote_types, a, b) == outcome(torch.promote_types, theirs(a), theirs(b))
        assert outcome(dtypes.can_cast, a, b) == outcome(torch.can_cast, theirs(a), theirs(b))


@pytest.mark.parametrize("default", DEFAULTS)
def test_every_pair_of_operands_of_every_rank_has_pytorchs_result_type(default):
    dtypes.set_default_dtype(getattr(dtypes, default))
    torch.set_default_dtype(getattr(torch, default))
    operands = [(rank, dtype) for rank in ("dimensioned", "zero_dim") for dtype in dtypes.ALL]
    operands += [("number", value) for value in NUMBERS]
    for pair in itertools.product(operands, repeat=2):
        expected = outcome(torch.result_type, *(_their_operand(*operand) for operand in pair))
        if isinstance(expected, tuple):  # the class of an error, which is the same for operands of every size
            assert outcome(_our_result_type, *pair)[0] is expected[0], pair
            continue
        # PyTorch returns its half-precision complex type here; tensorglass only has the next wider one.
        expected = expected.replace("complex32", "complex64")
        assert repr(_our_result_type(*pair)) == expected, pair


def _their_operand(rank, what):
    return what if rank == "number" else torch.empty((1,) if rank == "dimensioned" else (), dtype=theirs(what))


def _our_result_type(*operands):
    ranks = {"dimensioned": None, "zero_dim": None, "number": None}
    for rank, what in operands:
        dtype = dtypes.of_number(what) if rank == "number" else what
        ranks[rank] = dtype if ranks[rank] is None else dtypes.promote_types(ranks[rank], dtype)
    return dtypes.combine_ranks(**ranks)


@pytest.mark.parametrize("wrong", [3, "float32", None, list, float, int, bool, complex])
def test_what_is_no_dtype_is_refused_or_taken_for_one_as_in_pytorch(wrong):
    for name in ("promote_types", "can_cast"):
        ours, oracle = getattr(dtypes, name), getattr(torch, name)
        assert outcome(ours, wrong, wrong) == outcome(oracle, wrong, wrong)
        assert outcome(ours, dtypes.int8, wrong) == outcome(oracle, torch.int8, wrong)
    assert outcome(iinfo, wrong) == outcome(torch.iinfo, wrong)
    if wrong is not None:  # None means the default dtype to our finfo, and nothing to PyTorch's
        assert outcome(finfo, wrong) == outcome(torch.finfo, wrong)
    assert outcome(dtypes.set_default_dtype, wrong) == outcome(torch.set_default_dtype, wrong)


@EVERY
def test_limits_are_pytorchs(dtype):
    for ours, oracle in ((finfo, torch.finfo), (iinfo, torch.iinfo)):
        assert outcome(ours, dtype) == outcome(oracle, theirs(dtype))
        if outcome(ours, dtype)[0] is not TypeError:
            for field in ours.__slots__:
                mine, true = getattr(ours(dtype), field), getattr(oracle(theirs(dtype)), field)
                assert (mine, type(mine)) == (true, type(true)), field


@pytest.mark.parametrize("limits", ["finfo", "iinfo"])
def test_limits_are_equal_where_pytorch_finds_them_equal(limits):
    ours, oracle = {"finfo": (finfo, torch.finfo), "iinfo": (iinfo, torch.iinfo)}[limits]
    fitting = [dtype for dtype in dtypes.ALL if outcome(ours, dtype)[0] is not TypeError]
    for a, b in itertools.product(fitting, repeat=2):
        assert (ours(a) == ours(b)) == (oracle(theirs(a)) == oracle(theirs(b))), (a, b)
        assert (ours(a) != ours(b)) == (oracle(theirs(a)) != oracle(theirs(b))), (a, b)


@pytest.mark.parametrize("default", DEFAULTS)
def test_the_default_dtype_is_taken_and_used_as_in_pytorch(default):
    dtypes.set_default_dtype(getattr(dtypes, default))
    torch.set_default_dtype(getattr(torch, default))
    assert repr(dtypes.get_default_dtype()) == repr(torch.get_default_dtype())
    assert repr(finfo()) == repr(torch.finfo())


@EVERY
def test_only_floating_point_dtypes_become_the_default(dtype):
    assert outcome(dtypes.set_default_dtype, dtype) == outcome(torch.set_default_dtype, theirs(dtype))
    assert repr(dtypes.get_default_dtype()) == repr(torch.get_default_dtype())
