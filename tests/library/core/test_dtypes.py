"""Dtypes: their attributes, promotion, the default dtype."""

import copy
import itertools
import pickle

import pytest

from tensorglass.core import dtypes
from tensorglass.core.dtype_info import finfo, iinfo

EVERY = pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
PROMOTED = [dtype for dtype in dtypes.ALL if dtype not in dtypes.WIDE_UNSIGNED]
PAIRS = list(itertools.product(PROMOTED, repeat=2))


@pytest.fixture(autouse=True)
def _restore_default_dtype():
    before = dtypes.get_default_dtype()
    yield
    dtypes.set_default_dtype(before)


@EVERY
def test_copies_and_pickles_of_a_dtype_are_the_dtype_itself(dtype):
    assert copy.copy(dtype) is dtype
    assert copy.deepcopy(dtype) is dtype
    assert pickle.loads(pickle.dumps(dtype)) is dtype


@EVERY
def test_what_a_dtype_says_of_itself_cannot_be_changed(dtype):
    before = dtype.itemsize
    with pytest.raises(AttributeError, match=r"attribute 'itemsize' of .* is not writable"):
        dtype.itemsize = 3
    assert dtype.itemsize == before


def test_there_are_no_other_dtypes():
    with pytest.raises(TypeError, match=r"cannot create 'torch\.dtype' instances"):
        dtypes.dtype("float8")


def test_promotion_does_not_depend_on_order_or_grouping():
    for a, b in PAIRS:
        assert dtypes.promote_types(a, b) is dtypes.promote_types(b, a)
    for a, b, c in itertools.product(PROMOTED, repeat=3):
        left = dtypes.promote_types(dtypes.promote_types(a, b), c)
        assert left is dtypes.promote_types(a, dtypes.promote_types(b, c)), (a, b, c)


def test_promotion_never_lowers_the_category():
    for a, b in PAIRS:
        assert dtypes.promote_types(a, b).category == max(a.category, b.category)


@pytest.mark.parametrize("dtype", PROMOTED, ids=str)
def test_a_dtype_promotes_to_itself_with_itself_and_with_bool(dtype):
    assert dtypes.promote_types(dtype, dtype) is dtype
    assert dtypes.promote_types(dtype, dtypes.bool) is dtype


@pytest.mark.parametrize("wide", sorted(dtypes.WIDE_UNSIGNED, key=str), ids=str)
def test_wide_unsigned_dtypes_promote_with_themselves_and_with_fractions_alone(wide):
    for other in dtypes.ALL:
        if other is wide or other.is_floating_point:
            assert dtypes.promote_types(wide, other) is dtypes.promote_types(other, wide) is other
            continue
        with pytest.raises(RuntimeError, match=f"attempted to promote {wide.scalar_type} and {other.scalar_type}"):
            dtypes.promote_types(wide, other)


def test_a_lower_rank_of_equal_or_lower_category_changes_nothing():
    for a, b in PAIRS:
        if b.category <= a.category:
            assert dtypes.combine_ranks(a, b, None) is a
            assert dtypes.combine_ranks(a, None, b) is a
            assert dtypes.combine_ranks(None, a, b) is a


def test_a_type_without_operands_is_refused():
    with pytest.raises(RuntimeError):
        dtypes.combine_ranks(None, None, None)


def test_python_numbers_stand_for_the_dtypes_that_tensors_of_them_get():
    assert dtypes.of_number(True) is dtypes.bool
    assert dtypes.of_number(3) is dtypes.int64
    assert dtypes.of_number(3.0) is dtypes.float32
    assert dtypes.of_number(3j) is dtypes.complex64
    dtypes.set_default_dtype(dtypes.float64)
    assert dtypes.of_number(3.0) is dtypes.float64
    assert dtypes.of_number(3j) is dtypes.complex128
    with pytest.raises(TypeError):
        dtypes.of_number("3")


@pytest.mark.parametrize("wrong", [dtypes.int32, dtypes.bool, dtypes.complex64, "float32", None, 3])
def test_a_refused_default_dtype_leaves_the_old_one(wrong):
    with pytest.raises(TypeError, match="only floating-point types are supported as the default type"):
        dtypes.set_default_dtype(wrong)
    assert dtypes.get_default_dtype() is dtypes.float32


@pytest.mark.parametrize("dtype", [d for d in dtypes.ALL if d.is_floating_point], ids=str)
def test_the_limits_of_a_floating_point_dtype_hang_together(dtype):
    limits = finfo(dtype)
    assert limits.bits == 8 * dtype.itemsize
    assert limits.min == -limits.max
    assert limits.tiny == limits.smallest_normal > 0
    assert 0 < limits.eps < 1


@pytest.mark.parametrize("dtype", [d for d in dtypes.ALL if d.category == dtypes.INTEGER], ids=str)
def test_an_integer_dtype_counts_every_pattern_of_its_bits(dtype):
    limits = iinfo(dtype)
    assert limits.max - limits.min + 1 == 2**limits.bits
    assert (limits.min < 0) == dtype.is_signed


def test_limits_asked_of_the_wrong_kind_name_the_right_question():
    with pytest.raises(TypeError) as caught:
        finfo(dtypes.int32)
    assert any("torch.iinfo(torch.int32)" in note for note in caught.value.__notes__)
    with pytest.raises(TypeError) as caught:
        iinfo(dtypes.float32)
    assert any("torch.finfo(torch.float32)" in note for note in caught.value.__notes__)
