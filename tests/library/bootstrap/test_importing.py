"""What a bare import loads, and what it leaves for later: names that are needed later are all found."""

import subprocess
import sys

import pytest

import tensorglass as torch
from tensorglass.ops.declare.lazy_loading import FAMILIES

#: Modules of the standard library that nothing else loads before, and that the import must not load.
NOT_NEEDED = (
    "concurrent.futures", "ctypes.util", "hashlib", "multiprocessing", "numpy.random", "pathlib", "pickletools",
    "random", "secrets", "shutil", "string", "tempfile", "traceback", "unittest", "urllib.parse", "zipfile",
)  # fmt: skip
NEEDED_BY_FEW = (
    "accelerator", "array_api", "autograd.checks", "autograd.forward_ad", "autograd.function", "autograd.functional",
    "backends.cupy_backend", "backends.simulated", "cuda", "func", "library", "multiprocessing",
    "ops.arg_parser.signature", "overrides", "serialization", "sim", "testing",
    "utils.checkpoint",
)  # fmt: skip


def said(program: str) -> str:
    """What a program prints in a fresh process."""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert not run.returncode, run.stderr
    return run.stdout


def modules_of(imported: str) -> set[str]:
    return set(said(f"import sys, {imported}\nprint(*sys.modules)").split())


def test_an_import_fetches_what_nearly_every_program_needs_and_no_more():
    loaded = modules_of("tensorglass")
    later = [f"tensorglass.{name}" for name in (*FAMILIES, *NEEDED_BY_FEW)]
    assert sorted(loaded.intersection(later)) == []
    assert sorted(loaded.intersection(NOT_NEEDED) - modules_of("numpy")) == []


def test_every_name_of_a_family_is_given_by_it():
    for order in ("", "[::-1]"):
        program = f"""
import tensorglass as torch
from tensorglass.ops.declare.lazy_loading import FAMILIES, Awaited
from importlib import import_module
from tensorglass.ops.declare.registry import FUNCTIONS
for family, paths in list(FAMILIES.items()){order}:
    import_module(f"tensorglass.{{family}}")
    for path in paths:
        home, _, name = path.rpartition(".")
        there = type(vars(torch.Tensor)[name]) is not Awaited if home == "Tensor" else path in FUNCTIONS
        if not there:
            print(family, path)
"""
        assert said(program) == ""


@pytest.mark.sweep
@pytest.mark.parametrize(
    "program",
    [
        "print(torch.linalg.qr(torch.eye(2)).R.shape)",
        "from tensorglass.linalg import qr; print(qr(torch.eye(2)).R.shape)",
        "from tensorglass import qr; print(qr(torch.eye(2)).R.shape)",
        "from tensorglass import *; print(qr(eye(2)).R.shape)",
        "from tensorglass.linalg import *; print(qr(torch.eye(2)).R.shape)",
        "import tensorglass.linalg as la; print(getattr(la, 'qr')(torch.eye(2)).R.shape)",
        "print(torch.eye(2).qr().R.shape)",
        "print(torch.Tensor.qr(torch.eye(2)).R.shape)",
        "print(torch.ops.OPERATORS['linalg_qr'].function(torch.eye(2)).R.shape)",
        "import pickle; x = pickle.loads(pickle.dumps(torch.eye(2))); print(x.qr().R.shape)",
        "print('qr' in dir(torch) and 'qr' in dir(torch.linalg) and 'qr' in dir(torch.eye(2)) and torch.Size([2, 2]))",
        "with torch.inference_mode(): print(torch.eye(2).qr().R.shape)",
        "torch.set_default_dtype(torch.float64); print(torch.eye(2).qr().R.shape)",
    ],
)
def test_what_is_fetched_later_is_found_wherever_it_is_asked_for(program):
    assert said(f"import tensorglass as torch\n{program}") == "torch.Size([2, 2])\n"


@pytest.mark.parametrize("path", ["qr", "det", "linalg.qr", "special.airy_ai", "fft.fft", "save", "vmap", "einsum"])
def test_a_function_is_the_same_object_each_time_it_is_asked_for(path):
    objects = [eval(f"torch.{path}", {"torch": torch}) for _ in range(2)]
    assert objects[0] is objects[1]


def test_a_method_that_a_program_puts_there_stays_when_its_family_is_fetched():
    program = """
import tensorglass as torch
torch.Tensor.qr, torch.svd = "mine", "mine too"
torch.linalg.qr
print(torch.Tensor.qr, torch.svd, callable(torch.Tensor.svd))
"""
    assert said(program) == "mine mine too True\n"


def test_a_class_is_asked_about_operators_that_are_fetched_after_it_was_derived():
    program = """
import tensorglass as torch
class Told(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func.__name__
x = torch.eye(2).as_subclass(Told)
print(torch.linalg.det(x), x.qr(), torch.einsum("ij->i", x), torch.special.airy_ai(x), x.erf_())
"""
    assert said(program) == "linalg_det qr einsum special_airy_ai erf_\n"


def test_several_threads_may_be_the_first_to_call_an_operator():
    program = """
import sys, threading
import tensorglass as torch
sys.setswitchinterval(1e-7)
def first(name, together):
    x = torch.eye(3, requires_grad=True)
    together.wait()
    try:
        getattr(x, name)(*[0] if name in ("cumsum", "cumprod", "cummax", "unbind") else [])
    except Exception as error:
        print(name, repr(error))
for name in ("cumsum", "sort", "tril", "cumprod", "prod", "var", "unbind", "t", "diag", "det", "qr", "cummax", "erf"):
    together = threading.Barrier(6)
    threads = [threading.Thread(target=first, args=(name, together)) for _ in range(6)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
"""
    assert said(program) == ""


def test_a_name_that_is_a_function_and_a_module_stays_the_function():
    program = """
import tensorglass.autograd.gradcheck, tensorglass.autograd.functional
import tensorglass as torch
print(torch.autograd.gradcheck(torch.exp, torch.ones(2, dtype=torch.float64, requires_grad=True)))
"""
    assert said(program) == "True\n"


def test_an_import_leaves_the_garbage_collector_as_it_was():
    frozen = "kept = gc.get_freeze_count(); import tensorglass; print(gc.isenabled(), gc.get_freeze_count() == kept)"
    assert said(f"import gc; {frozen}") == "True True\n"  # Python 3.12 starts with some frozen objects
    assert said("import gc; gc.disable(); import tensorglass; print(gc.isenabled())") == "False\n"


def test_an_import_that_fails_leaves_the_garbage_collector_awake():
    program = """
import gc, sys
sys.modules["tensorglass.ops"] = None
try:
    import tensorglass
except ImportError:
    print(gc.isenabled())
del sys.modules["tensorglass.ops"]
import tensorglass
print(tensorglass.ones(2).qr is not None, gc.isenabled())
"""
    assert said(program) == "True\nTrue True\n"


AS_TORCH = "import sys, tensorglass; sys.modules['torch'] = tensorglass\n"


@pytest.mark.sweep
@pytest.mark.parametrize(
    "line",
    [
        "from torch.distributions.normal import Normal",
        "from torch.distributions.relaxed_bernoulli import LogitRelaxedBernoulli, RelaxedBernoulli",
        "from torch.nn.attention.bias import causal_lower_right",
        "from torch.nn.modules.utils import _pair; assert _pair(3) == (3, 3)",
        "from torch.nn.common_types import _size_2_t",
        "from torch.nn.modules.activation import MultiheadAttention",
        "from torch.optim.adamw import AdamW",
        "from torch.utils._pytree import tree_map",
        "from torch.utils.data._utils.collate import default_collate",
        "from torch.utils.data._utils.collate import collate_int_fn; assert collate_int_fn([2, 3]).tolist() == [2, 3]",
        "import re; from torch.utils.data._utils.collate import np_str_obj_array_pattern as p; assert p.search('<U3')",
        "from torch.utils.data._utils.worker import get_worker_info",
        "from torch.random import default_generator",
        "from torch.serialization import MAP_LOCATION; assert isinstance('cpu', MAP_LOCATION.__args__[2])",
        "from torch.distributions.constraints import *; from torch.distributions.constraints import __all__; simplex",
        "from torch.cuda.amp import autocast, GradScaler",
        "from torch.nn.attention import SDPBackend, sdpa_kernel",
        "from torch.nn import DataParallel; import torch.nn.parallel",
    ],
)
def test_where_it_stands_for_pytorch_pytorchs_modules_are_found(line):
    assert said(f"{AS_TORCH}{line}") == ""


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("_export.db", "call the function itself"),
        ("utils.benchmark.examples", "memory_timeline"),
        ("distributed.flight_recorder", "DistributedDataParallel"),
    ],
)
@pytest.mark.parametrize("library", ["torch", "tensorglass"])
def test_an_import_of_what_is_left_out_says_what_to_do_instead(library, name, advice):
    told = said(
        f"{AS_TORCH}try:\n    import {library}.{name}\n"
        "except ModuleNotFoundError as error:\n    print(error, error.name, *error.__notes__)"
    )
    assert told.startswith(f"No module named '{library}.{name}' {library}.{name} torch.{name} is out of scope here")
    assert advice in told
