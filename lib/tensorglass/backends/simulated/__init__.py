"""The simulated accelerator: devices "sim:0", "sim:1", … with a memory and a clock of their own.

It lets everything about devices run, and be tested, on a laptop. `array` keeps the host from reading the device's
memory, `module` runs kernels there, `clock` says how long things take, and `backend` puts them together.
"""

from tensorglass.backends.base import register_family
from tensorglass.backends.simulated.backend import FAMILY

register_family("sim", FAMILY)
