"""Interrupts, threads and forks: a few seconds of the attacks that `benchmarks` runs for longer."""

from __future__ import annotations

import os

import pytest
from attacks import interrupts, threads


def test_nothing_is_lost_or_stays_changed_wherever_an_interrupt_comes() -> None:
    report = interrupts.run(400, seed=1)
    assert report["broken"] == []
    assert report["tried"] >= 400


def test_what_is_made_on_first_use_is_made_once() -> None:
    tried, broken = threads.first_uses(1)
    assert broken == []
    assert tried == len(threads.FIRST_USES)


def test_sixteen_threads_get_right_results() -> None:
    assert threads.together(2, seed=1) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_child_that_was_forked_while_threads_worked_can_do_everything() -> None:
    assert threads.forks(8, seed=1) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_fork_waits_for_what_a_thread_imports() -> None:
    tried, broken = threads.forks_at_first_uses(1)
    assert broken == []
    assert tried == len(threads.FIRST_USES)
