"""Run in Pyodide: what needs processes, shared memory or a package that is not there, and the README's tour; and what
each says, as JSON."""

import json
import re
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import tensorglass as torch

mp = torch.multiprocessing
batches = torch.utils.data.DataLoader(torch.arange(4), batch_size=2, num_workers=2)
ATTEMPTS: dict[str, Callable[[], Any]] = {
    "a loader's workers": lambda: list(batches),
    "a process": lambda: mp.Process(target=print),
    "a context": lambda: mp.get_context("fork"),
    "a queue": lambda: mp.Queue(),
    "a pool": lambda: mp.Pool(2),
    "spawn": lambda: mp.spawn(print),
    "shared memory": lambda: torch.zeros(1).share_memory_(),
    "a shared file": lambda: torch.from_file("/tmp/shared", shared=True, size=4),
    "bfloat16": lambda: torch.ones(1, dtype=torch.bfloat16),
    "a process group": lambda: torch.distributed.init_process_group("mpi"),
}


def main() -> None:
    said = {"start methods": mp.get_all_start_methods()}
    for what, attempt in ATTEMPTS.items():
        try:
            attempt()
        except Exception as error:
            said[what] = [type(error).__name__, str(error), *getattr(error, "__notes__", ())]
    torch.save(torch.arange(3), "/tmp/saved.pt")
    said["saved"] = [torch.load("/tmp/saved.pt", mmap=mapped).tolist() for mapped in (False, True)]
    scores = torch.zeros(2, 5, requires_grad=True)
    torch.nn.functional.cross_entropy(scores, torch.tensor([1, 4])).backward()
    said["gradients of classes"] = [round(float(scores.grad[0, 1]), 6), round(float(scores.grad[1, 4]), 6)]
    pairs = re.findall(r"```python\n(.*?)```\n+```text\n(.*?)```", Path("/checkout/README.md").read_text(), re.DOTALL)
    said["the tour"] = [[printed_by(code), printed] for code, printed in pairs]
    print(json.dumps(said))


def printed_by(code: str) -> str:
    with redirect_stdout(StringIO()) as printed:
        exec(compile(code, "<tour>", "exec"), {"__name__": "__main__"})
    return printed.getvalue()


if __name__ == "__main__":
    main()
