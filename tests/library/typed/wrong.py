"""Calls that are wrong, each with what type checkers must say of it: mypy's code for the error."""

from __future__ import annotations

import glassroom
import tensorglass as torch

x = torch.ones(2, 3)

torch.sigmiod(x)  # mypy: attr-defined
x.reshpae(6)  # mypy: attr-defined
torch.add(x, "two")  # mypy: arg-type
torch.zeros(2, dtype="float32")  # mypy: arg-type
torch.zeros(2, dtypes=torch.float32)  # mypy: call-arg
x.sum(keepdim="yes")  # mypy: arg-type
x.sum(0, out=x)  # mypy: call-arg
x.mean(dims=0)  # mypy: call-arg
x.backward(retain=True)  # mypy: call-arg
torch.cat(x)  # mypy: arg-type
torch.matmul(x)  # mypy: call-arg
torch.linalg.dett(x)  # mypy: attr-defined
torch.manual_seed("zero")  # mypy: arg-type
x.to(dtype=3)  # mypy: call-overload
values, places, rest = x.max(1)  # mypy: misc
number: int = torch.argmax(x)  # mypy: assignment
x.shape = torch.Size([3, 2])  # mypy: misc
glassroom.show(x).txt  # mypy: attr-defined
glassroom.graph(x).data.stepz  # mypy: attr-defined
glassroom.watch(3)  # mypy: arg-type
glassroom.graf(x)  # mypy: attr-defined
glassroom.show(x).save(3)  # mypy: arg-type
glassroom.aliases(x, whole_process="yes")  # mypy: arg-type
