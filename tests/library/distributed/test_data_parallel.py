"""`DistributedDataParallel`: several processes train the network that one trains."""

import subprocess
import sys

import pytest

from tensorglass import nn


@pytest.mark.parametrize("processes", [1, 2, 4])
def test_several_processes_train_the_network_that_one_trains(run, processes):
    done = run("training.py", processes)
    assert (done.returncode, done.stdout.count("fine")) == (0, processes), done.stderr


def test_networks_of_different_shapes_are_refused(run):
    done = run("shapes.py", 2)
    assert done.returncode != 0
    words = (
        "RuntimeError: [1]: params[0] in this process with sizes [3, 2] appears not to match sizes of the same param"
    )
    assert words in done.stderr


def test_without_a_group_pytorchs_error_is_raised():
    words = "Default process group has not been initialized, please make sure to call init_process_group."
    with pytest.raises(ValueError, match=words):
        nn.parallel.DistributedDataParallel(nn.Linear(2, 2))


def test_networks_are_imported_without_mpi():
    program = "import sys, tensorglass.nn.parallel, tensorglass.distributed; print('mpi4py' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert said == "False\n"


@pytest.mark.parametrize("processes", [1, 2, 4])
def test_processes_with_unequal_numbers_of_batches_train_what_one_trains(run, processes):
    done = run("uneven.py", processes)
    assert (done.returncode, done.stdout.count("fine")) == (0, processes), done.stderr
