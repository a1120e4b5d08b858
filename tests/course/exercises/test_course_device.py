"""The device of the notebooks about devices: what they ask for it, and how `glassroom lab --device` chooses it."""

import pytest

import tensorglass
from glassroom import course_device
from glassroom.cli import app
from glassroom.workspace.execution import execute
from glassroom.workspace.problems import Exit

ASKING = {
    "cells": [
        {
            "cell_type": "code",
            "id": "asking",
            "metadata": {},
            "execution_count": None,
            "outputs": [],
            "source": "import tensorglass as torch\nfrom glassroom import course_device\nprint(course_device(torch))",
        }
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}
without_a_gpu = pytest.mark.skipif(tensorglass.cuda.is_available(), reason="there is a GPU here")


@pytest.fixture(autouse=True)
def nothing_chosen(monkeypatch):
    monkeypatch.setenv("GLASSROOM_DEVICE", "")


def test_it_is_the_simulated_accelerator_where_the_library_has_one(torch):
    assert course_device(torch) == ("sim" if hasattr(torch, "sim") else "cpu")


@pytest.mark.parametrize("device", ["sim", "cpu"])
def test_the_environment_chooses_another(monkeypatch, device):
    monkeypatch.setenv("GLASSROOM_DEVICE", device)
    assert course_device(tensorglass) == device


def test_a_device_that_does_not_exist_is_refused_by_name(monkeypatch):
    monkeypatch.setenv("GLASSROOM_DEVICE", "gpu")
    with pytest.raises(ValueError, match="GLASSROOM_DEVICE is 'gpu'; it may be cuda, sim, cpu"):
        course_device(tensorglass)


@without_a_gpu
def test_cuda_where_there_is_none_is_refused_with_what_to_do(torch, monkeypatch):
    monkeypatch.setenv("GLASSROOM_DEVICE", "cuda")
    with pytest.raises(RuntimeError, match=r"no CUDA device that \w+ can use here"):
        course_device(torch)


def test_lab_leaves_word_for_the_kernels_that_it_starts(tmp_path):
    assert app.run(["lab", str(tmp_path / "mine"), "--no-lab", "--device", "cpu"]) == Exit.OK
    (cell,) = execute(ASKING, tmp_path)["cells"]
    assert cell["outputs"][0]["text"] == "cpu\n"


@without_a_gpu
def test_lab_on_a_gpu_that_is_not_there_says_so_and_makes_nothing(tmp_path, capsys):
    assert app.run(["lab", str(tmp_path / "mine"), "--no-lab", "--device", "cuda"]) == Exit.REQUIREMENT
    assert "no CUDA device here that tensorglass can use" in capsys.readouterr().err
    assert not (tmp_path / "mine").exists()


def test_lab_names_the_devices_that_there_are(capsys):
    with pytest.raises(SystemExit) as ended:
        app.run(["lab", "--device", "tpu"])
    assert ended.value.code == Exit.USAGE
    assert "invalid choice: 'tpu'" in capsys.readouterr().err
