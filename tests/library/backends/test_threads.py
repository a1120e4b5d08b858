"""Operators in several threads."""

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


def test_hooks_of_saved_tensors_and_inference_mode_hold_in_each_thread_by_itself() -> None:
    saved: list[int] = []
    marked: list[bool] = []

    def work() -> None:
        for _ in range(50):
            seen: list[torch.Tensor] = []
            x = torch.ones(2, requires_grad=True)
            with torch.autograd.graph.saved_tensors_hooks(
                lambda tensor, seen=seen: seen.append(tensor), lambda tensor: tensor
            ):
                _ = x * x
            saved.append(len(seen))
            with torch.inference_mode():
                marked.append(torch.ones(2).is_inference())

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert saved == [2] * 400
    assert marked == [True] * 400
    assert not torch.ones(2).is_inference()
