"""What other tools say about the programs in `reported/`: `python other_tools.py TOOL` with the Python that has the
tool.

Prints a line of JSON for each program: what the tool says, whether that names the cause, and how many seconds it took.
A tool is used as its own documentation proposes for the symptom; if it proposes nothing, the line says why.
"""

from __future__ import annotations

import gc
import io
import json
import os
import sys
import tempfile
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path
from time import perf_counter
from typing import Any

from reported_programs import Program, programs, warm_up

Variables = dict[str, Any]


class DoesNotApply(Exception):
    """The tool cannot be used on such a program."""


def torchviz(program: Program, variables: Variables) -> str:
    """The graph behind the loss, with what it has saved."""
    from torchviz import make_dot

    values = [*variables.values()]
    values += [item for held in values if isinstance(held, (list, tuple, set)) for item in held]
    values += [item for held in values if isinstance(held, dict) and held is not variables for item in held.values()]
    loss = next((value for value in values if getattr(value, "grad_fn", None) is not None), None)
    if loss is None:
        raise DoesNotApply("there is no variable with a graph")
    parameters = dict(variables["net"].named_parameters()) if hasattr(variables.get("net"), "named_parameters") else {}
    return str(make_dot(loss, params=parameters, show_saved=True, show_attrs=True).source)


def objgraph(program: Program, variables: Variables) -> str:
    """The types of which a step creates more objects, and a chain of references to the newest tensor."""
    import objgraph as tool
    import torch

    if not program.grows:
        raise DoesNotApply("it counts objects, and none became more")
    tool.growth()
    known = {id(candidate) for candidate in gc.get_objects()}
    variables["step"]()
    grown = "\n".join(f"{name} +{more}" for name, _, more in tool.growth())
    new = [
        candidate
        for candidate in gc.get_objects()
        if issubclass(type(candidate), torch.Tensor) and id(candidate) not in known
    ]
    if not new:
        return f"{grown}\nno new tensor"
    chain = io.StringIO()
    tool.show_chain(tool.find_backref_chain(new[-1], tool.is_proper_module), output=chain)
    return f"{grown}\n{chain.getvalue()}"


def memray(program: Program, variables: Variables) -> str:
    """The lines that allocated memory that has not been freed, or that was held at the peak."""
    from memray import FileReader, Tracker

    step = variables.get("step") or variables.get("train")
    if step is None:
        raise DoesNotApply("memory is not what goes wrong")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "memray.bin")
        with Tracker(path):
            for _ in range(3):
                try:
                    step()
                except RuntimeError:
                    break
            gc.collect()
        with FileReader(path) as reader:
            if program.grows:
                records = list(reader.get_leaked_allocation_records(merge_threads=True))
            else:
                records = list(reader.get_high_watermark_allocation_records(merge_threads=True))
            records.sort(key=lambda record: -record.size)
            lines = []
            for record in records[:8]:
                stack = [f"{Path(file).name}:{line}" for _, file, line in record.stack_trace(max_stacks=12)]
                lines.append(f"{record.size} bytes: {' < '.join(stack)}")
    return "\n".join(lines) or "nothing"


def pytorch_memlab(program: Program, variables: Variables) -> str:
    """All tensors with their names, shapes and bytes, before a step and after."""
    from pytorch_memlab import MemReporter

    network = next((variable for variable in variables.values() if hasattr(variable, "named_parameters")), None)
    said = io.StringIO()
    with redirect_stdout(said):
        if "step" in variables:
            try:
                variables["step"]()
            except RuntimeError as error:
                print(error)
        MemReporter(network).report()
    return said.getvalue()


def torchlens(program: Program, variables: Variables) -> str:
    """A trace of the forward of the program's network."""
    import torch
    import torchlens as tool

    network = next((variable for variable in variables.values() if isinstance(variable, torch.nn.Module)), None)
    if network is None:
        raise DoesNotApply("there is no module")
    first = next(network.parameters(), None)
    if first is None or type(network).forward is torch.nn.Module.forward:
        raise DoesNotApply("the module has no forward")
    given = torch.rand(4, first.shape[-1])
    return str(tool.trace(network, given))


TOOLS: dict[str, Callable[[Program, Variables], str]] = {
    tool.__name__: tool for tool in (torchviz, objgraph, memray, pytorch_memlab, torchlens)
}


def ask(tool: str, program: Program) -> dict[str, Any]:
    """Use a tool on a program, in this process."""
    with warnings.catch_warnings(), redirect_stderr(io.StringIO()), redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        variables = program.run()
        begin = perf_counter()
        try:
            warm_up(program, variables)
            begin = perf_counter()
            answer, verdict = TOOLS[tool](program, variables), ""
            verdict = "yes" if program.names_cause(answer) else "no"
        except DoesNotApply as reason:
            answer, verdict = str(reason), "does not apply"
        except Exception as error:  # an error of the tool is its answer
            answer, verdict = f"{type(error).__name__}: {error}", "raises"
    seconds = perf_counter() - begin
    return {"tool": tool, "name": program.name, "verdict": verdict, "seconds": seconds, "answer": answer[:4000]}


def in_a_process_of_its_own(function: Callable[..., Any], arguments: list[tuple[Any, ...]]) -> list[Any]:
    """The results of a function, each from a new process, so that programs do not see what others have left."""
    method = "fork" if "fork" in get_all_start_methods() else "spawn"
    with get_context(method).Pool(1, initializer=_quietly, maxtasksperchild=1) as pool:
        return pool.starmap(function, arguments, chunksize=1)


def _quietly() -> None:
    """Suppress what the profiler prints to the process's own stdout, which would mix with the results."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)


def main() -> None:
    tool = sys.argv[1]
    try:
        __import__(tool)
        import torch
    except ImportError:
        print(json.dumps({"tool": tool, "verdict": "not installed"}))
        return
    torch.set_num_threads(1)
    names = sys.argv[2:]
    chosen = [program for program in programs() if not names or program.name in names]
    asked = [(tool, program) for program in chosen]
    if tool == "torchlens":  # it cannot trace in a child process
        answers = [ask(*question) for question in asked]
    else:
        answers = in_a_process_of_its_own(ask, asked)
    for answer in answers:
        print(json.dumps(answer))


if __name__ == "__main__":
    main()
