"""Mixed precision, `torch.amp`: `autocast` runs products in a lower precision, `GradScaler` keeps gradients from
vanishing.

Loaded on first use. Operators look up the settings in `ops.declare.autocast`, which has the lists.
"""

from tensorglass.amp.autocast_mode import autocast, custom_bwd, custom_fwd
from tensorglass.amp.grad_scaler import GradScaler
from tensorglass.amp.settings import is_autocast_available

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]
