"""`torch.autograd.anomaly_mode`: finding the operator that gave nan in a backward pass."""

from tensorglass.graph.anomaly import detect_anomaly, set_detect_anomaly

__all__ = ["detect_anomaly", "set_detect_anomaly"]
