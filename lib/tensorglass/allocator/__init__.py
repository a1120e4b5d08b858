"""How a device's memory is handed out: one caching allocator, by PyTorch's rules."""

from tensorglass.allocator.blocks import Allocation as Allocation
from tensorglass.allocator.blocks import Block as Block
from tensorglass.allocator.blocks import Segment as Segment
from tensorglass.allocator.memory_pool import Addresses as Addresses
from tensorglass.allocator.memory_pool import CachingAllocator as CachingAllocator
from tensorglass.allocator.memory_pool import NoRoom as NoRoom
