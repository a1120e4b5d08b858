"""``torch.utils.model_zoo``: an older name of `torch.hub.load_state_dict_from_url`."""

from tensorglass.hub import load_state_dict_from_url as load_url

__all__ = ["load_url"]
