"""`torch.nn.utils._per_sample_grad`: a name that libraries import. `torch.func.vmap` of `grad` does this here."""

from __future__ import annotations

from tensorglass.core.left_out import left_out

__all__ = ["call_for_per_sample_grads"]

call_for_per_sample_grads = left_out("nn.utils._per_sample_grad.call_for_per_sample_grads")
