"""`nn` is imported on first use, and under PyTorch's names if tensorglass replaces PyTorch."""

from __future__ import annotations

import subprocess
import sys

import pytest


def said(program: str) -> str:
    """What a program prints in a fresh process."""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert not run.returncode, run.stderr
    return run.stdout.strip()


def test_a_bare_import_does_not_load_it() -> None:
    assert said("import sys, tensorglass; print('tensorglass.nn' in sys.modules)") == "False"


@pytest.mark.parametrize(
    "form",
    [
        "import torch.nn as nn",
        "from torch import nn",
        "import torch.nn.modules.module, torch.nn as nn; assert torch.nn.modules.module.Module is nn.Module",
        "import torch.nn.functional as F, torch.nn as nn; assert F is nn.functional",
        "from torch.nn.parameter import Parameter; import torch.nn as nn; assert Parameter is nn.Parameter",
        "from torch.nn.utils import parametrize, clip_grad_norm_; from torch import nn",
        "from torch.utils.hooks import RemovableHandle; import torch; nn = torch.nn",
    ],
)
def test_pytorchs_forms_of_import_find_one_module(form: str) -> None:
    begin = "import sys, tensorglass; sys.modules['torch'] = tensorglass\n"
    assert said(f"{begin}{form}\nprint(nn.Linear.__module__, nn is tensorglass.nn)") == (
        "tensorglass.nn.modules.linear True"
    )


def test_a_missing_module_is_missing() -> None:
    program = """
import sys, tensorglass
sys.modules["torch"] = tensorglass
try:
    import torch.nowhere
except ModuleNotFoundError as error:
    print(error)
"""
    assert said(program) == "No module named 'torch.nowhere'"
