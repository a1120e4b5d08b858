"""``torch.jit`` and ``torch.compile`` do what PyTorch does where its compilers are switched off."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")

BEGIN = """
import sys, typing, warnings
if sys.argv[1] == "tensorglass":
    import tensorglass
    sys.modules["torch"] = tensorglass
import torch, torch._dynamo
from torch import nn
from torch.jit import Final
from torch._jit_internal import boolean_dispatch, BroadcastingList2, Optional
import torch._dynamo.config, torch._inductor.config, torch.jit.annotations, torch.compiler.config

def f(x, up=1):
    return x + up

class Net(nn.Module):
    size: Final[int]
    def __init__(self):
        super().__init__()
        self.size = 2
        self.line = nn.Linear(2, 2)
    def forward(self, x):
        return self.line(x) * self.size
    @torch.jit.export
    def twice(self, x: BroadcastingList2[int]):
        return 2 * x
    @torch.jit.ignore(drop=False)
    def thrice(self, x):
        return 3 * x
    @torch.jit.unused
    def never(self):
        return None

class Scripted(torch.jit.ScriptModule):
    __constants__ = ["size"]
    def __init__(self):
        super().__init__()
        self.line = nn.Linear(2, 2)
    @torch.jit.script_method
    def forward(self, x):
        return self.line(x)

class Told:
    pass

torch.manual_seed(0)
x, net = torch.ones(2), Net().eval()
made = torch.compile(net)
jit, compiler, dynamo = torch.jit, torch.compiler, torch._dynamo

def within(context, text):
    with context:
        return eval(text)

def shown(text):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            answer = repr(eval(text))
        except Exception as error:
            answer = f"{type(error).__name__}: {str(error).splitlines()[0]}"
    # PyTorch's compiler, imported by its first use, decorates methods of its own
    heard = [(each.category.__name__, str(each.message)) for each in heard if "script_method" not in str(each.message)]
    return answer, heard

for line in sys.stdin.read().splitlines():
    print(repr(shown(line)))
"""

QUESTIONS = """
jit.script(f) is f
jit.script(net) is net
jit.script(Told) is Told
jit.script(f, optimize=None, example_inputs=[(x,)]) is f
jit.script()
jit.script_if_tracing(f)(x)
jit.ignore(f) is f
jit.ignore()(f) is f
jit.ignore(drop=True)(f) is f
jit.ignore(drop_on_export=True)(f) is f
jit.ignore(3)
jit.unused(f) is f
type(jit.unused(property(f)))
jit.export(f) is f
jit.interface(3)
jit.is_scripting(), jit.is_tracing()
jit.annotate(int, "a"), jit.Attribute(3, int), jit.Final[int]
jit.isinstance(3, int), jit.isinstance([3], list[int]), jit.isinstance([3], typing.List[str])
jit.isinstance([], list[int])
jit.isinstance({"a": 3}, typing.Dict[str, int]), jit.isinstance({"a": 3}, dict[int, int])
jit.isinstance((1, "a"), typing.Tuple[int, str]), jit.isinstance((1,), tuple[int, str])
jit.isinstance(None, typing.Optional[int]), jit.isinstance("a", typing.Optional[int])
jit.isinstance([[1], [2]], list[list[int]]), jit.isinstance([["a"]], list[list[int]])
jit.isinstance([3], (str, list[int])), jit.isinstance(3, (str, bytes))
jit.isinstance([3], [int])
jit.isinstance(3, list)
jit.isinstance(3, typing.Dict)
jit.freeze(f)
jit.optimize_for_inference(f)
jit.trace(f, x) is f
jit.trace(f, (x,), check_trace=False, strict=False) is f
jit.trace(net, example_kwarg_inputs={"x": x}) is net
jit.trace_module(net, {"forward": x}) is net
jit.fork(f, x, up=2).wait()
jit.wait(jit.fork(f, x))
jit.fork(f, x).then(lambda done: done.value() + 1).wait()
jit.fork(lambda: 1 / 0)
jit.wait(3)
jit.set_fusion_strategy([("STATIC", 2)])
jit.strict_fusion().__class__.__name__
jit.last_executed_optimized_graph()
isinstance(net, jit.ScriptModule), isinstance(f, jit.ScriptFunction), issubclass(jit.Error, Exception)
Scripted()
Scripted()(x).shape
list(Scripted().state_dict())
Scripted().save("nowhere")
Scripted().code
net.twice(2), net.thrice(2), net.never()
boolean_dispatch("up", 1, False, f, max, "here", "name")(3, 4)
torch.futures.collect_all([jit.fork(f, 1), jit.fork(f, 2)]).wait()[1].value()
torch.futures.wait_all([jit.fork(f, 1), jit.fork(f, 2)])
torch.compile(f)(x)
torch.compile()(f)(x)
torch.compile(mode="max-autotune", dynamic=True)(f)(x)
torch.compile(f, disable=True) is f
torch.compile(Net) is Net
torch.compile(f, backend="eager")(x), torch.compile(f, backend=lambda graph, inputs: graph)(x)
torch.compile(f, mode="nonsense")
torch.compile(f, mode="default", options={})
torch.compile(f, backend="nonsense")
torch.compile(f, nonsense=1)
torch.compile(3)
made
made(x), made.training, made.size, made.line, made.twice(2)
list(made.state_dict()), [name for name, _ in made.named_parameters()]
made._orig_mod is net, isinstance(made, Net), type(made).__name__, isinstance(made, dynamo.OptimizedModule)
made.train().training, net.training, made.eval() is made, net.training
setattr(made, "more", nn.Linear(1, 1)), list(net._modules), list(made._modules), delattr(made, "more")
setattr(made, "number", 5), net.number, "number" in vars(made), delattr(made, "number"), hasattr(net, "number")
made.nonsense
made[0]
len(torch.compile(nn.Sequential(nn.ReLU())))
len(made)
made.load_state_dict(net.state_dict(), strict=False)
made.load_state_dict(made.state_dict())
sum(p.numel() for p in made.parameters()), made.to(torch.float64).line.weight.dtype, net.float().line.weight.dtype
[type(each).__name__ for each in made.modules()], made.apply(lambda each: None) is made
Net().compile(3)
compiler.is_compiling(), compiler.is_dynamo_compiling(), compiler.is_exporting(), dynamo.is_compiling()
compiler.disable(f)(x), compiler.disable()(f)(x), compiler.disable(recursive=False)(f)(x)
compiler.disable(f, reason="a")(x)
dynamo.disable(f)(x), dynamo.disable(recursive=False)(f)(x), dynamo.optimize("eager")(f)(x), dynamo.run(f)(x)
compiler.reset(), compiler.cudagraph_mark_step_begin(), dynamo.reset(), dynamo.graph_break()
compiler.list_backends(), dynamo.list_backends()
compiler.allow_in_graph(f) is f, compiler.allow_in_graph([f]) == [f], compiler.assume_constant_result(f) is f
compiler.wrap_numpy(lambda a: a + 1)(x)
compiler.set_stance("force_eager").__class__.__name__
compiler.nested_compile_region(f)(x), compiler.nested_compile_region()(f)(x)
dynamo.mark_dynamic(x, 0), dynamo.maybe_mark_dynamic(x, 0), dynamo.mark_static(x), dynamo.mark_static_address(x)
setattr(dynamo.config, "suppress_errors", True), dynamo.config.suppress_errors, dynamo.config.cache_size_limit
within(dynamo.config.patch(verbose=True), "torch._dynamo.config.verbose"), dynamo.config.verbose
within(dynamo.config.patch("recompile_limit", 3), "torch._dynamo.config.recompile_limit"), dynamo.config.recompile_limit
setattr(torch._inductor.config, "coordinate_descent_tuning", True), torch._inductor.config.coordinate_descent_tuning
setattr(torch._inductor.config.triton, "unique_kernel_names", True), torch._inductor.config.triton.unique_kernel_names
issubclass(dynamo.exc.InvalidBackend, RuntimeError), dynamo.eval_frame.OptimizedModule is dynamo.OptimizedModule
"""


def test_programs_that_ask_for_a_compiler_are_answered_as_by_pytorch_without_one() -> None:
    # PyTorch reads its switches when it is imported
    environment = {**os.environ, "PYTORCH_JIT": "0", "TORCH_COMPILE_DISABLE": "1"}
    questions = QUESTIONS.strip()
    said = {
        library: subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", BEGIN, library],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for library in ("torch", "tensorglass")
    }
    answers = {library: process.communicate(questions) for library, process in said.items()}
    assert [process.returncode for process in said.values()] == [0, 0], answers
    theirs, ours = (answers[library][0].splitlines() for library in ("torch", "tensorglass"))
    asked = questions.splitlines()
    different = [row for row in zip(asked, theirs, ours, strict=True) if row[1] != row[2]]
    assert not different, "\n".join("\n  ".join(pair) for pair in different)


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
def test_a_model_that_is_frozen_is_the_model_itself() -> None:
    """PyTorch refuses it with its compiler off; programs that freeze what they have scripted go on here."""
    import tensorglass as torch

    net = torch.nn.Linear(2, 2)
    with pytest.raises(RuntimeError, match=r"^Freezing is currently only implemented for modules in eval mode\."):
        torch.jit.freeze(torch.jit.script(net))
    assert torch.jit.freeze(torch.jit.script(net.eval())) is net
    assert torch.jit.optimize_for_inference(net) is net
    assert torch.jit.interface(torch.nn.Linear) is torch.nn.Linear  # PyTorch reads its source


def test_a_compiled_network_is_copied_and_pickled_with_the_network_in_it() -> None:
    import tensorglass as torch

    net = torch.nn.Linear(2, 2)
    x = torch.ones(2)
    for copied in (copy.deepcopy(torch.compile(net)), pickle.loads(pickle.dumps(torch.compile(net)))):
        assert type(copied) is torch._dynamo.OptimizedModule
        assert copied._orig_mod is not net
        assert torch.equal(copied(x), net(x))
    net.compile(mode="reduce-overhead")  # in place: there is nothing to do
    with pytest.raises(RuntimeError, match=r"^Unrecognized mode=fast"):
        net.compile(mode="fast")


def test_what_stays_out_of_scope_says_what_to_do_instead() -> None:
    import tensorglass as torch

    for call in (lambda: torch.jit.save(None, "f"), lambda: torch.jit.load("f"), lambda: torch.export.export(None, ())):
        with pytest.raises(NotImplementedError, match="is a name here, and no more") as caught:
            call()
        assert "is out of scope here" in caught.value.__notes__[0]
