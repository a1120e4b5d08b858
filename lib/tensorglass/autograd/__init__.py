"""Gradients: walking the recorded graph backwards, functions of one's own, and what is built on them."""

from tensorglass.autograd import forward_ad, function, functional, graph
from tensorglass.autograd.backward import attach, backward, grad
from tensorglass.autograd.function import Function
from tensorglass.autograd.gradcheck import gradcheck, gradgradcheck
from tensorglass.autograd.variable import Variable
from tensorglass.graph.anomaly import detect_anomaly, set_detect_anomaly
from tensorglass.graph.modes import enable_grad, inference_mode, no_grad, set_grad_enabled

__all__ = [
    "Function",
    "Variable",
    "attach",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "forward_ad",
    "function",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
]
