"""Operators in several threads at once."""

import threading
import warnings

import tensorglass as torch
from tensorglass.backends.numpy_backend import HOST


def test_operators_compute_quietly_while_another_thread_is_within_a_kernel() -> None:
    within, done = threading.Event(), threading.Event()

    def kernel() -> None:
        within.set()
        done.wait()

    other = threading.Thread(target=HOST.attempt, args=(kernel,))
    other.start()
    within.wait()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            a = torch.tensor([1.0, float("inf")])
            assert (a + a).tolist() == [2.0, float("inf")]
            assert (a - a).isnan().tolist() == [False, True]
            assert (a * 0).isnan().tolist() == [False, True]
            assert (-a).log().isnan().tolist() == [True, True]
            assert a.add_(1).tolist() == [2.0, float("inf")]
    finally:
        done.set()
        other.join()
