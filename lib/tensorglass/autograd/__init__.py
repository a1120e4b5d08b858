"""Gradients: walking the recorded graph backwards, functions of one's own, and what is built on them."""

from tensorglass import overriding
from tensorglass.autograd import backward as _walks
from tensorglass.autograd import engine, forward_ad, function, functional, graph
from tensorglass.autograd.backward import attach
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

backward = overriding.overridable(_walks.backward)
grad = overriding.overridable(_walks.grad)
overriding.at_work.append(lambda: engine.current.walk is not None)
