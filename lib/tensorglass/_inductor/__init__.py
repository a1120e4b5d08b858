"""``torch._inductor``: the settings of PyTorch's code generator, which programs set and nothing here reads."""

from tensorglass._inductor import config

__all__ = ["config"]
