"""Properties of every operator in the table, tested with its own samples: all its forms agree."""

from __future__ import annotations

import inspect
import math
import re
import warnings
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

import tensorglass as torch
from tensorglass.ops import OPERATORS
from tensorglass.ops.declare import samples
from tensorglass.ops.declare.lazy_loading import read_blocks
from tensorglass.ops.declare.registry import IN_PLACE_FUNCTIONS, Operator, Sample
from tensorglass.ops.declare.samples import samples_of

# Samples of few elements make var and std warn that they have no spread.
pytestmark = pytest.mark.filterwarnings("ignore:.*degrees of freedom:UserWarning")

TESTS = Path(__file__).resolve().parents[2]
SAMPLED = [row for row in OPERATORS.values() if samples_of(row)]
FUNCTIONS = [row for row in SAMPLED if row.is_function]


def name_of(row: Any) -> str:
    return row.name


def changed(argument: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """The argument with `change` made to every tensor in it."""
    if isinstance(argument, (list, tuple)):
        return type(argument)(changed(item, change) for item in argument)
    return change(argument) if isinstance(argument, torch.Tensor) else argument


def call(function: Callable[..., Any], sample: Sample, change: Callable[[Any], Any] = torch.clone, **more: Any) -> Any:
    """Call with copies of the sample's tensors."""
    keywords = {key: changed(value, change) for key, value in sample.keywords.items()}
    return function(*changed(sample.arguments, change), **keywords, **more)


def plain(result: Any) -> Any:
    """A result as numbers that compare: NaN as a word, floats to 12 places, as lanes of a processor may round apart."""
    if isinstance(result, torch.Tensor):
        return [repr(result.dtype), list(result.shape), plain(result.tolist())]
    if isinstance(result, (list, tuple)):
        return [plain(item) for item in result]
    if isinstance(result, float):
        return "nan" if math.isnan(result) else float(f"{result:.12g}")
    return result


# --- the table itself ------------------------------------------------------------------------------------------------


def test_every_operator_has_samples_or_tests_that_name_it() -> None:
    texts = [path.read_text() for path in TESTS.rglob("*.py") if path != Path(__file__)]
    words = set(re.findall(r"\w+", "\n".join(texts)))
    unnamed = [row.name for row in OPERATORS.values() if not samples_of(row) and row.name not in words]
    assert unnamed == []


def test_samples_are_of_operators_that_there_are() -> None:
    headings = read_blocks(Path(samples.__file__).with_name("samples.txt"))
    paths = [path for heading in headings for path in heading.split()]
    assert len(paths) == len(set(paths))
    assert set(paths) <= {row.path for row in OPERATORS.values() if row.samples is None}


def test_differences_from_pytorch_are_listed_in_the_documentation() -> None:
    pages = (TESTS.parent / "docs").glob("differences*.md")
    listed = set(re.findall(r"\w+", "\n".join(page.read_text() for page in pages)))
    differing = [row.path.rpartition(".")[2] for row in OPERATORS.values() if row.differs is not None]
    assert [name for name in differing if name not in listed] == []


@pytest.mark.parametrize("row", OPERATORS.values(), ids=name_of)
def test_operator_says_what_it_does_and_what_it_takes(row: Operator) -> None:
    for form in filter(None, (row.function, row.method, row.inplace)):
        assert form.__doc__
        assert inspect.signature(form).parameters


def calls_of_rows(row: Operator) -> list[tuple[Any, ...]]:
    """Arguments with which an operator may be called: one row of numbers, or one number, and some more."""
    rows = torch.tensor([3.0, 1.0, 2.0]), torch.tensor(2.0), torch.tensor([2, 1, 3])
    return [(row, *more) for row in rows for more in ((), (0,), (1, 0), (row.clone(),), (0, torch.tensor([1])))]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("row", FUNCTIONS, ids=name_of)
def test_what_the_public_form_makes_of_a_row_can_be_written_to(row: Operator) -> None:
    public = attrgetter(row.path)(torch)
    for arguments in calls_of_rows(row):
        try:
            result = public(*changed(arguments, torch.clone))
        except (RuntimeError, TypeError, IndexError, ValueError, NotImplementedError, torch.linalg.LinAlgError):
            continue
        for part in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(part, torch.Tensor) and 0 not in part.stride():
                assert part.zero_().any().item() is False


@pytest.mark.parametrize("row", SAMPLED, ids=name_of)
def test_samples_are_the_same_at_every_call_and_are_taken(row: Operator) -> None:
    first, second = samples_of(row), samples_of(row)
    assert first
    assert [plain(list(sample.arguments)) for sample in first] == [plain(list(sample.arguments)) for sample in second]
    for sample in first:
        call(row.function, sample)


# --- the forms of an operator ----------------------------------------------------------------------------------------


#: Their methods take the arguments in another order, as ``x.where(condition, other)``.
OTHER_ORDER = ("where",)


def forms(row: Operator) -> list[Callable[..., Any]]:
    """The operator under its names: functions of the namespace, methods, Python's operators."""
    forms: list[Callable[..., Any]] = []
    for name in (row.name, *[alias for alias in row.aliases if "." not in alias]):
        if row.is_function:
            forms.append(attrgetter(name if row.namespace == "" else row.path)(torch))
        if row.is_method and name not in OTHER_ORDER:
            forms.append(getattr(torch.Tensor, name))
    turned = ("__r", "__i")  # these take their operands in reverse, or write
    return forms + [getattr(torch.Tensor, name) for name in row.dunders if not name.startswith(turned)]


@pytest.mark.parametrize("row", SAMPLED, ids=name_of)
def test_function_method_and_python_operator_are_one(row: Operator) -> None:
    for sample in samples_of(row):
        if not isinstance(sample.arguments[0], torch.Tensor):
            continue  # a list of tensors has no methods
        results = [plain(call(form, sample)) for form in forms(row)]
        assert results == results[:1] * len(results)


@pytest.mark.parametrize("row", [row for row in SAMPLED if row.inplace is not None], ids=name_of)
def test_in_place_form_writes_what_the_other_form_returns(row: Operator) -> None:
    assert row.inplace is not None
    written = 0
    for sample in samples_of(row):
        target, *others = sample.arguments
        expected = call(row.function, sample)
        target = target.clone()
        memory = target.untyped_storage().data_ptr()
        if expected.shape != target.shape:
            continue  # an in-place form cannot make its tensor larger
        result = row.inplace(target, *changed(others, torch.clone), **sample.keywords)
        assert result is target
        assert plain(target) == plain(expected.to(target.dtype))
        assert target.untyped_storage().data_ptr() == memory
        assert target._version == 1
        written += 1
    assert written


@pytest.mark.parametrize("row", [row for row in SAMPLED if row.inplace and row.kind == "pointwise"], ids=name_of)
def test_in_place_form_refuses_to_write_a_cell_twice_and_writes_nothing(row: Operator) -> None:
    assert row.inplace is not None
    for sample in samples_of(row):
        target, *others = sample.arguments
        if target.shape != (2, 3):
            continue
        target = target[:1].clone().expand(2, 3)
        before = plain(target)
        with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
            row.inplace(target, *changed(others, torch.clone), **sample.keywords)
        assert plain(target) == before
        assert target._version == 0


def test_in_place_forms_are_functions_where_pytorch_has_them() -> None:
    for name in IN_PLACE_FUNCTIONS:
        assert inspect.unwrap(getattr(torch, name)) is inspect.unwrap(getattr(torch.Tensor, name))
    x = torch.tensor([-1.0, 2.0])
    assert torch.relu_(x) is x
    assert x.tolist() == [0.0, 2.0]


# --- out= ------------------------------------------------------------------------------------------------------------


def written(row: Operator) -> list[tuple[Sample, torch.Tensor]]:
    """The samples whose result is one tensor, with the result."""
    with warnings.catch_warnings():  # this is called while tests are collected, where no mark is heard
        warnings.simplefilter("ignore")
        results = [(sample, call(row.function, sample)) for sample in samples_of(row)]
    # sum, prod and the medians take no `out` without a dimension, as in PyTorch.
    return [
        (sample, result)
        for sample, result in results
        if isinstance(result, torch.Tensor)
        and not (row.name in ("sum", "prod", "median", "nanmedian") and len(sample.arguments) == 1)
        and not (row.name == "where" and any(not isinstance(argument, torch.Tensor) for argument in sample.arguments))
    ]


#: Sums and products are computed in the dtype of `out`.
IN_DTYPE_OF_OUT = ("sum", "nansum", "prod", "cumsum", "cumprod")
WRITING = [row for row in FUNCTIONS if row.has_out and written(row)]


@pytest.mark.parametrize("row", WRITING, ids=name_of)
def test_out_is_written_and_returned(row: Operator) -> None:
    for sample, expected in written(row):
        out = torch.empty_like(expected)
        version = out._version
        assert call(row.function, sample, out=out) is out
        assert plain(out) == plain(expected)
        assert out._version > version


@pytest.mark.parametrize("row", WRITING, ids=name_of)
def test_empty_out_is_resized(row: Operator) -> None:
    for sample, expected in written(row):
        out = torch.empty(0, dtype=expected.dtype)
        assert call(row.function, sample, out=out) is out
        assert plain(out) == plain(expected)


@pytest.mark.parametrize("row", WRITING, ids=name_of)
def test_out_with_gaps_is_written_and_its_gaps_are_left_alone(row: Operator) -> None:
    for sample, expected in written(row):
        room = torch.zeros((*expected.shape, 2), dtype=expected.dtype)
        call(row.function, sample, out=room[..., 1])
        assert plain(room[..., 1]) == plain(expected)
        assert not room[..., 0].any()


@pytest.mark.parametrize("row", WRITING, ids=name_of)
def test_out_that_cannot_take_the_result_in_is_refused_and_unchanged(row: Operator) -> None:
    refused = 0
    for sample, expected in written(row):
        out = torch.ones(expected.shape, dtype=torch.bool)
        if torch.can_cast(expected.dtype, torch.bool) or row.name in IN_DTYPE_OF_OUT:
            continue
        with pytest.raises((RuntimeError, TypeError)):
            call(row.function, sample, out=out)
        assert bool(out.all())
        assert out._version == 0
        refused += 1
    answers_in_bool = all(result.dtype is torch.bool for _, result in written(row))
    assert refused or answers_in_bool or row.name in IN_DTYPE_OF_OUT


# --- layouts ---------------------------------------------------------------------------------------------------------


def permuted(x: torch.Tensor) -> torch.Tensor:
    """The same elements, dimensions in memory in reverse."""
    order = tuple(reversed(range(x.dim())))
    return x.permute(order).contiguous().permute(order)


def sliced(x: torch.Tensor) -> torch.Tensor:
    """The same elements, every other cell of something larger, from its second on."""
    return torch.stack([x, x], -1)[..., 1]


def offset(x: torch.Tensor) -> torch.Tensor:
    """The same elements, behind others in one storage."""
    return torch.stack([x, x])[1]


def expanded(x: torch.Tensor) -> torch.Tensor:
    """The first element or row again and again, from one piece of memory."""
    return x[:1].expand(x.shape) if x.dim() and x.dtype.is_floating_point else x


@pytest.mark.sweep
@pytest.mark.parametrize("layout", [permuted, sliced, offset, expanded])
@pytest.mark.parametrize("row", SAMPLED, ids=name_of)
def test_layout_does_not_matter(row: Operator, layout: Callable[[torch.Tensor], torch.Tensor]) -> None:
    for sample in samples_of(row):
        laid_out = call(row.function, sample, layout)
        assert plain(laid_out) == plain(call(row.function, sample, lambda x: layout(x).contiguous()))
