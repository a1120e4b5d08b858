"""A call that has failed, held against an operator's signatures, and the refusals that PyTorch's parser makes.

A program whose calls are right never comes here, and so never fetches this module.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from typing import Any

from tensorglass.core.errors import warn
from tensorglass.ops.arg_parser.checks import invalid_combination
from tensorglass.ops.arg_parser.schemas import DEPRECATED, signatures_of
from tensorglass.ops.arg_parser.signature import Signature, differ

__all__ = ["Signatures", "by_name", "differ", "refusal", "signatures_for"]


class Signatures:
    """All signatures of an operator, read from its declaration when a call has failed for the first time."""

    def __init__(
        self, own: Callable[[], inspect.Signature] | None, name: str, texts: Sequence[str], is_method: bool
    ) -> None:
        self._own, self._name, self._texts, self._is_method = own, name, texts, is_method

    @cached_property
    def all(self) -> list[Signature]:
        name = self._name
        if self._known:
            return [Signature.of_text(name, text) for text in self._known]
        read = [Signature.of_text(name, text) for text in self._texts]
        if not read and self._own is not None:
            read = [Signature.of_python(name, self._own())]
        return [each.as_method() for each in read] if self._is_method else read

    @cached_property
    def _known(self) -> list[str]:
        return [] if self._texts else signatures_of(self._name, is_method=self._is_method)

    def read(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments as the operator has them, by the first signature that fits. Raises PyTorch's TypeError."""
        taken = self._taken(arguments, keywords)
        values, named = taken.checked(arguments, keywords)
        return ([], taken.by_name(values, named)) if taken.is_another else (values, named)

    def named(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
        """The same, all by name."""
        taken = self._taken(arguments, keywords)
        return taken.by_name(*taken.checked(arguments, keywords))

    def _taken(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Signature:
        if self._is_method and len(self.all) == 1 and not self.all[0].parameters:
            name = f"TensorBase.{self._name}()"
            if keywords:
                raise TypeError(f"{name} takes no keyword arguments")
            if arguments:
                raise TypeError(f"{name} takes no arguments ({len(arguments)} given)")
        if len(self.all) == 1:
            return self.all[0]
        for signature in self.all:
            try:
                signature.read(arguments, keywords)
            except TypeError:
                continue
            if signature.is_deprecated:
                self._advise(signature)
            return signature
        count = len(arguments) + len(keywords)
        plausible = [each for each in self.all if each.may_take(count) and not each.is_deprecated]
        if len(plausible) == 1:
            plausible[0].read(arguments, keywords)
        raise invalid_combination(self._name, arguments, *self._shown(), keywords=keywords)

    def _advise(self, taken: Signature) -> None:
        older = self._known[self.all.index(taken)].removesuffix(DEPRECATED)
        newer = "".join(f"\n\t{self._name}{text}" for text in self._shown())
        warn(
            f"This overload of {self._name} is deprecated:\n\t{self._name}{older}\n"
            f"Consider using one of the following signatures instead:{newer}"
        )

    def _shown(self) -> list[str]:
        if self._known:
            shown = [each for each in self._known if not each.endswith(DEPRECATED)]
            return [each.replace("?", "").replace(" or int ", " ").replace(" or float ", " ") for each in shown]
        if not self._is_method:
            return list(self._texts)
        return [text.replace("Tensor input, ", "").replace("Tensor input", "") for text in self._texts]


@cache
def signatures_for(body: Callable[..., Any], name: str, texts: tuple[str, ...], is_method: bool) -> Signatures:
    """The signatures that calls of `name` are held against: those of `texts`, PyTorch's, or that of `body`."""
    return Signatures(lambda: inspect.signature(body), name, texts, is_method)


def refusal(name: str, arguments: Sequence[Any], keywords: Mapping[str, Any], *, is_method: bool) -> TypeError | None:
    """PyTorch's TypeError for a call that fits none of its signatures of `name`; None if one fits."""
    try:
        Signatures(None, name, (), is_method).read(arguments, keywords)
    except TypeError as error:
        return error.with_traceback(None)
    return None


def by_name(
    name: str, arguments: Sequence[Any], keywords: Mapping[str, Any], *, is_method: bool, own: inspect.Signature
) -> dict[str, Any]:
    """The arguments by the operator's names for them, read by the first of PyTorch's signatures of `name` that fits.

    Raises PyTorch's TypeError if none fits. An operator that PyTorch does not have is held against its `own`.
    """
    return Signatures(lambda: own, name, (), is_method).named(arguments, keywords)
