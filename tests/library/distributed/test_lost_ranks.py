"""A process that MPI has started is lost: the others are told, also where they wait for objects or a new group."""

from __future__ import annotations

import pytest
from attacks import lost_rank, ranks

pytest.importorskip("mpi4py", reason="mpi4py is not installed (extra: distributed)")
if not ranks.MPIEXEC.exists():
    pytest.skip("mpich is not installed (extra: distributed)", allow_module_level=True)

pytestmark = pytest.mark.timeout(600)


def test_each_way_ends_the_program_with_a_word_and_leaves_nothing() -> None:
    report = ranks.run(len(lost_rank.WAYS), seed=0)
    assert report["broken"] == []


def test_no_call_with_objects_waits_longer_than_its_time() -> None:
    calls = ("broadcast_object_list", "gather_object", "scatter_object_list", "recv_object_list", "new_group")
    assert [faults for call in calls for faults in ranks.lost("leaves", call, 2)] == []
