"""How a device's memory is handed out: one caching allocator, by PyTorch's rules."""

from tensorglass.allocator.blocks import Allocation as Allocation
from tensorglass.allocator.blocks import Block as Block
from tensorglass.allocator.blocks import Segment as Segment
from tensorglass.allocator.caching import Addresses as Addresses
from tensorglass.allocator.caching import CachingAllocator as CachingAllocator
from tensorglass.allocator.caching import NoRoom as NoRoom
