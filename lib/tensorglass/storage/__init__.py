"""A storage: one run of bytes on one device. ``torch.storage`` has the two classes under PyTorch's names."""

from tensorglass.storage.storage import UntypedStorage as UntypedStorage
from tensorglass.storage.typed_storage import TypedStorage as TypedStorage
