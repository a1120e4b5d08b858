"""``torch.utils.model_zoo``: an older name of `torch.hub.load_state_dict_from_url`."""

from tensorglass.hub import download_url_to_file as _download_url_to_file
from tensorglass.hub import load_state_dict_from_url as load_url

__all__ = ["_download_url_to_file", "load_url"]
