"""`torch.autograd.anomaly_mode`: where PyTorch's programs find what looks for nan in gradients."""

from tensorglass.graph.anomaly import detect_anomaly, set_detect_anomaly

__all__ = ["detect_anomaly", "set_detect_anomaly"]
