"""`GradScaler`: a loss is scaled up, so that its gradients do not vanish in float16, and they are scaled back down.

The scale grows while all gradients are finite, and shrinks when one is not; that step is left out (Micikevicius and
others, "Mixed Precision Training", 2018).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from typing import Any

import tensorglass as torch
from tensorglass.backends.cupy_backend import FAMILY as CUDA
from tensorglass.core.devices import device as Device
from tensorglass.core.errors import warn
from tensorglass.tensor.tensor import Tensor


class OptState(Enum):
    """How far the step of an optimizer has come."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _new_step() -> dict[str, Any]:
    return {"stage": OptState.READY, "found_inf_per_device": {}}


class GradScaler:
    """Scales losses, and steps optimizers with the gradients scaled back.

    ``scaler.scale(loss).backward()``, ``scaler.step(optimizer)``, ``scaler.update()`` make one iteration. `update`
    multiplies the scale, at first `init_scale`, by `backoff_factor` if a gradient was not finite, and by
    `growth_factor` after `growth_interval` steps in a row without one. If not `enabled` it does nothing.
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = device
        if device == "cuda" and enabled and not CUDA.count():
            warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.")
            enabled = False
        self._enabled = enabled
        if not enabled:
            return
        _require(growth_factor > 1.0, "The growth factor must be > 1.0.")
        _require(backoff_factor < 1.0, "The backoff factor must be < 1.0.")
        self._init_scale = init_scale
        self._init_growth_tracker = 0
        self._scale: Tensor | None = None  #: made by the first `scale`, on the device of the loss
        self._growth_tracker: Tensor | None = None  #: how many steps in a row had finite gradients
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._per_optimizer_states: dict[int, dict[str, Any]] = defaultdict(_new_step)

    # --- one iteration -----------------------------------------------------------------------------------------------

    def scale(self, outputs: Any) -> Any:
        """A loss multiplied by the scale, or an iterable of losses, however nested."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            if self._scale is None:
                self._lazy_init_scale_growth_tracker(outputs.device)
            assert self._scale is not None
            return outputs * self._scale.to(outputs.device)
        if not isinstance(outputs, Iterable):
            raise ValueError("outputs must be a Tensor or an iterable of Tensors")
        scaled = map(self.scale, outputs)
        return type(outputs)(scaled) if isinstance(outputs, list | tuple) else scaled

    def _lazy_init_scale_growth_tracker(self, dev: Any) -> None:
        if self._growth_tracker is not None:
            raise AssertionError("_growth_tracker initialized before _scale")
        self._scale = torch.full((), self._init_scale, dtype=torch.float32, device=dev)
        self._growth_tracker = torch.full((), self._init_growth_tracker, dtype=torch.int32, device=dev)

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients of an optimizer by the scale, in place, and note whether all are finite.

        `step` does so itself; call this before it to clip the gradients. RuntimeError if called twice in an iteration.
        """
        if not self._enabled:
            return
        scale, _ = self._check_scale_growth_tracker("unscale_")
        step = self._per_optimizer_states[id(optimizer)]
        if step["stage"] is OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if step["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        inverse = scale.double().reciprocal().float()
        found_inf = torch.full((), 0.0, dtype=torch.float32, device=scale.device)
        step["found_inf_per_device"] = self._unscale_grads_(optimizer, inverse, found_inf, False)
        step["stage"] = OptState.UNSCALED

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Call ``optimizer.step(*args, **kwargs)`` with the unscaled gradients, unless one of them is not finite."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check_scale_growth_tracker("step")
        step = self._per_optimizer_states[id(optimizer)]
        if step["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if step["stage"] is OptState.READY:
            self.unscale_(optimizer)
        _require(len(step["found_inf_per_device"]) > 0, "No inf checks were recorded for this optimizer.")
        result = self._maybe_opt_step(optimizer, step, *args, **kwargs)
        step["stage"] = OptState.STEPPED
        return result

    def _maybe_opt_step(self, optimizer: Any, optimizer_state: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        found_inf = sum(found_inf.item() for found_inf in optimizer_state["found_inf_per_device"].values())
        return None if found_inf else optimizer.step(*args, **kwargs)

    def _unscale_grads_(
        self, optimizer: Any, inv_scale: Tensor, found_inf: Tensor, allow_fp16: bool
    ) -> dict[Device, Tensor]:
        """Multiply the gradients by `inv_scale`, in place. Returns for each device 1.0 if one was not finite.

        `found_inf` is what the result begins with: the tensor itself for its own device, and copies for others.
        """
        result: dict[Device, Tensor] = {}
        with torch.no_grad():
            for param in [param for group in optimizer.param_groups for param in group["params"]]:
                grad = param.grad
                if grad is None:
                    continue
                if grad.dtype is torch.float16 and not allow_fp16:
                    raise ValueError("Attempting to unscale FP16 gradients.")
                if grad.device not in result:
                    result[grad.device] = found_inf.to(grad.device)
                if not grad.isfinite().all():
                    result[grad.device].fill_(1.0)
                grad.mul_(inv_scale.to(grad.device))
        return result

    def _check_inf_per_device(self, optimizer: Any) -> dict[Device, Tensor]:
        """For each device, 1.0 if a gradient on it is not finite; the gradients stay as they are."""
        scale, _ = self._check_scale_growth_tracker("_check_inf_per_device")
        one = torch.full((), 1.0, dtype=torch.float32, device=scale.device)
        found = self._unscale_grads_(optimizer, one, torch.zeros_like(one), True)
        self._per_optimizer_states[id(optimizer)]["found_inf_per_device"] = found
        return found

    def _found_inf_per_device(self, optimizer: Any) -> dict[Device, Tensor]:
        """What `unscale_` has found."""
        found: dict[Device, Tensor] = self._per_optimizer_states[id(optimizer)]["found_inf_per_device"]
        return found

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """End the iteration: adapt the scale to what was found, or set it to `new_scale`."""
        if not self._enabled:
            return
        scale, tracker = self._check_scale_growth_tracker("update")
        if isinstance(new_scale, float):
            scale.fill_(new_scale)
        elif new_scale is not None:
            reason = (
                "new_scale should be a float or a 1-element torch.cuda.FloatTensor or "
                "torch.FloatTensor with requires_grad=False."
            )
            is_fit = new_scale.device.type == self._device and new_scale.numel() == 1 and not new_scale.requires_grad
            _require(is_fit, reason)
            scale.copy_(new_scale)
        else:
            self._adapt(scale, tracker)
        self._per_optimizer_states = defaultdict(_new_step)

    def _adapt(self, scale: Tensor, tracker: Tensor) -> None:
        result = [
            found_inf.item()
            for step in self._per_optimizer_states.values()
            for found_inf in step["found_inf_per_device"].values()
        ]
        _require(len(result) > 0, "No inf checks were recorded prior to update.")
        if any(result):
            scale.mul_(self._backoff_factor)
            tracker.zero_()
            return
        finite_steps = tracker.item() + 1
        if finite_steps == self._growth_interval:
            grown = scale * self._growth_factor
            if grown.isfinite():
                scale.copy_(grown)
            finite_steps = 0
        tracker.fill_(finite_steps)

    def _check_scale_growth_tracker(self, funcname: str) -> tuple[Tensor, Tensor]:
        """The scale and the count of finite steps; an error before the first `scale`."""
        fix = "This may indicate your script did not use scaler.scale(loss or outputs) earlier in the iteration."
        if self._scale is None:
            raise AssertionError(f"Attempted {funcname} but _scale is None.  " + fix)
        assert self._growth_tracker is not None
        return self._scale, self._growth_tracker

    # --- settings and state ------------------------------------------------------------------------------------------

    def is_enabled(self) -> bool:
        """Whether it does anything."""
        return self._enabled

    def get_scale(self) -> float:
        """The scale; 1.0 if it is not enabled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else float(self._scale.item())

    def get_growth_factor(self) -> float:
        """What the scale grows by."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set what the scale grows by."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """What the scale is multiplied by when a gradient was not finite."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set what the scale is multiplied by when a gradient was not finite."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """How many steps in a row must have finite gradients before the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set how many steps in a row must have finite gradients before the scale grows."""
        self._growth_interval = new_interval

    def _get_scale_async(self) -> Tensor | None:
        return self._scale

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        return self._init_growth_tracker if self._growth_tracker is None else int(self._growth_tracker.item())

    def state_dict(self) -> dict[str, Any]:
        """The scale, the settings, and the number of steps in a row with finite gradients; empty if not enabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale = state_dict["scale"]
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._init_growth_tracker = state_dict["_growth_tracker"]
        if self._scale is not None and self._growth_tracker is not None:
            self._scale.fill_(self._init_scale)
            self._growth_tracker.fill_(self._init_growth_tracker)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if self._enabled:
            _require(
                not self._per_optimizer_states,
                "A GradScaler instance may only be pickled at the beginning "
                "of an iteration, or at the end after scaler.update().",
            )
            state["_init_scale"], state["_init_growth_tracker"] = self.get_scale(), self._get_growth_tracker()
            state["_scale"] = state["_growth_tracker"] = None
        return state


def _require(is_so: bool, message: str) -> None:
    if not is_so:
        raise AssertionError(message)
