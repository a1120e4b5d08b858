"""``torch.nn._reduction``: the helpers of losses that losses of other libraries import."""

from tensorglass.nn.functional.loss.numbered import get_enum, legacy_get_enum, legacy_get_string

__all__ = ["get_enum", "legacy_get_enum", "legacy_get_string"]
