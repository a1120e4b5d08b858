"""`torch.optim`: rules by which gradients change parameters, one file for each."""

from tensorglass.core.lazy_modules import fetching
from tensorglass.optim import lr_scheduler
from tensorglass.optim.adadelta import Adadelta
from tensorglass.optim.adafactor import Adafactor
from tensorglass.optim.adagrad import Adagrad
from tensorglass.optim.adam import Adam, AdamW
from tensorglass.optim.adamax import Adamax
from tensorglass.optim.asgd import ASGD
from tensorglass.optim.lbfgs import LBFGS
from tensorglass.optim.muon import Muon
from tensorglass.optim.nadam import NAdam
from tensorglass.optim.optimizer import Optimizer
from tensorglass.optim.radam import RAdam
from tensorglass.optim.rmsprop import RMSprop
from tensorglass.optim.rprop import Rprop
from tensorglass.optim.sgd import SGD
from tensorglass.optim.sparse_adam import SparseAdam

__getattr__ = fetching(globals(), {"swa_utils": (), "_functional": ()})  # the first needs `nn`

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SparseAdam",
    "lr_scheduler",
    "swa_utils",
]
