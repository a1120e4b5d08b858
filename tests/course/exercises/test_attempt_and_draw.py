"""`attempt` prints what lines raise and warn of, with either library alike; `draw` puts pictures beside each other."""

from __future__ import annotations

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest

import tensorglass
from glassroom import attempt, draw


def told(capsys, run, what=""):
    with attempt(what):
        run()
    return capsys.readouterr().out


def test_an_exception_is_printed_with_its_class_and_what_was_tried(torch, capsys):
    assert told(capsys, lambda: torch.arange(6).view(7), "view(7)") == (
        "view(7): RuntimeError: shape '[7]' is invalid for input of size 6\n"
    )


def test_the_notes_under_an_exception_are_printed_where_they_are_asked_for(capsys):
    def refused():
        tensorglass.arange(6).view(2, 3).t().view(6)

    with attempt(notes=True):
        refused()
    with_notes = capsys.readouterr().out
    assert with_notes.startswith(without := told(capsys, refused))
    assert "cannot: dimension 1 spans 6 cells" in with_notes[len(without) :]
    assert "The course explains it" not in with_notes  # whoever reads it is there
    assert all(len(line) <= 78 for line in with_notes.splitlines())


def test_a_warning_is_printed_without_a_place_in_pytorchs_sources(torch, capsys):
    result = torch.ones(2, requires_grad=True) * 2
    text = told(capsys, lambda: result.grad)
    assert text.startswith("UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor is")
    assert "Triggered internally" not in text
    assert all(len(line) <= 78 for line in text.splitlines())


def test_what_is_well_prints_nothing_and_what_was_printed_stays(torch, capsys):
    assert told(capsys, lambda: torch.ones(2)) == ""
    assert told(capsys, lambda: print("here")) == "here\n"


def test_of_the_traceback_of_anomaly_detection_the_last_line_is_left(torch, capsys):
    x = torch.zeros(2, requires_grad=True)

    def walk():
        with torch.autograd.detect_anomaly():
            y = x.sqrt()
            (y * 0).sum().backward()

    text = told(capsys, walk)
    assert "Error detected in SqrtBackward0" in text
    assert "\n    y = x.sqrt()\n" in text
    assert "File" not in text


def test_interrupts_go_through_and_filters_of_warnings_stay_as_they_were(capsys):
    before = list(warnings.filters)

    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        told(capsys, interrupted)
    assert warnings.filters == before


@pytest.fixture
def shown(monkeypatch):
    monkeypatch.setattr(plt, "show", lambda: None)
    plt.switch_backend("agg")
    yield lambda: [axis for axis in plt.gcf().axes if axis.images]
    plt.close("all")


def test_pictures_stand_beside_each_other_under_their_names(torch, shown):
    photo = torch.zeros(4, 6, 3, dtype=torch.uint8)
    draw(photo=photo, only_red=photo[..., 0])
    assert [axis.get_title() for axis in shown()] == ["photo", "only red"]
    assert [axis.images[0].get_array().shape for axis in shown()] == [(4, 6, 3), (4, 6)]
    assert shown()[1].images[0].get_clim() == (0, 255)


def test_a_mapping_has_any_titles_and_fills_rows(torch, shown):
    weights = torch.ones(5, 2, 2, requires_grad=True)
    draw({f"{number}: 0%": weight for number, weight in enumerate(weights)}, columns=3, limits=(-1, 1))
    assert len(plt.gcf().axes) == 6
    assert len(shown()) == 5
    assert shown()[4].images[0].get_clim() == (-1, 1)


def test_an_array_can_be_drawn_and_nothing_needs_no_figure(shown):
    draw(array=np.ones((2, 2)), tensor=tensorglass.ones(2, 2))
    assert len(shown()) == 2
    plt.close("all")
    draw()
    assert plt.get_fignums() == []


def test_a_picture_of_one_channel_has_a_frame_in_which_it_ends(shown):
    draw(a_map=np.ones((4, 6)), photo=np.ones((4, 6, 3)))
    plain, colored = plt.gcf().axes
    (frame,) = plain.patches
    assert frame.get_bbox().extents.tolist() == [-0.5, -0.5, 5.5, 3.5]
    assert list(colored.patches) == []
    plt.close("all")
