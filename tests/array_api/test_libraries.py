"""SciPy and scikit-learn compute with tensors: tensors go in, tensors come out, with what NumPy's arrays give."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorglass as torch

os.environ["SCIPY_ARRAY_API"] = "1"  # SciPy reads it when it is imported
scipy = pytest.importorskip("scipy", reason="SciPy is not installed (extra: test)")
sklearn = pytest.importorskip("sklearn", reason="scikit-learn is not installed (extra: test)")

decomposition, discriminant, linear, metrics, preprocessing = (
    pytest.importorskip(f"sklearn.{part}")
    for part in ("decomposition", "discriminant_analysis", "linear_model", "metrics", "preprocessing")
)

DRAW = np.random.default_rng(0)
VECTOR = DRAW.random(20)
MATRIX = DRAW.random((30, 4))

OF_SCIPY: dict[str, Callable[..., Any]] = {
    "logsumexp": scipy.special.logsumexp,
    "softmax": lambda x: scipy.special.softmax(x, axis=0),
    "log_softmax": scipy.special.log_softmax,
    "entr": scipy.special.entr,
    "rel_entr": lambda x: scipy.special.rel_entr(x, x + 1),
    "expit": scipy.special.expit,
    "zscore": scipy.stats.zscore,
    "skew": scipy.stats.skew,
    "kurtosis": scipy.stats.kurtosis,
    "gmean": scipy.stats.gmean,
    "circmean": scipy.stats.circmean,
    "entropy": scipy.stats.entropy,
    "ttest_ind": lambda x: tuple(scipy.stats.ttest_ind(x, x[::2])),
    "pearsonr": lambda x: scipy.stats.pearsonr(x[:-1], x[1:]).statistic,
    "normaltest": lambda x: tuple(scipy.stats.normaltest(x)),
    "bartlett": lambda x: tuple(scipy.stats.bartlett(x, x[::2])),
    "dct": scipy.fft.dct,
    "whiten": lambda x: scipy.cluster.vq.whiten(x.reshape(10, 2)),
    "vq": lambda x: scipy.cluster.vq.vq(x.reshape(10, 2), x.reshape(10, 2)[:2]),
    "trapezoid": scipy.integrate.trapezoid,
    "cumulative_trapezoid": scipy.integrate.cumulative_trapezoid,
    "detrend": scipy.signal.detrend,
    "convolve": lambda x: scipy.signal.convolve(x, x[:3]),
    "hilbert": scipy.signal.hilbert,
    "gaussian_filter": lambda x: scipy.ndimage.gaussian_filter(x, 1.0),
    "rosen": scipy.optimize.rosen,
    "rotations": lambda x: scipy.spatial.transform.Rotation.from_rotvec(x[:18].reshape(6, 3)).as_matrix(),
    "splines": lambda x: scipy.interpolate.make_interp_spline(x.cumsum(0), x)(x + 1),
}


def check(function: Callable[..., Any], *arrays: np.ndarray) -> None:
    expected = function(*arrays)
    result = function(*[torch.from_numpy(array) for array in arrays])
    parts = (result, expected) if isinstance(expected, tuple) else ((result,), (expected,))
    for one, other in zip(*parts, strict=True):
        if not isinstance(other, float) or isinstance(other, np.generic):  # metrics are Python's floats
            assert isinstance(one, torch.Tensor)
        rtol = 1e-6 if isinstance(other, float) else 1e-9  # a metric is a mean in the default dtype
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=rtol, atol=1e-12)


@pytest.mark.parametrize("name", OF_SCIPY)
def test_scipy_takes_tensors(name: str) -> None:
    check(OF_SCIPY[name], VECTOR)


OF_SKLEARN: dict[str, Callable[..., Any]] = {
    "MinMaxScaler": lambda x: preprocessing.MinMaxScaler().fit_transform(x),
    "StandardScaler": lambda x: preprocessing.StandardScaler().fit_transform(x),
    "MaxAbsScaler": lambda x: preprocessing.MaxAbsScaler().fit_transform(x),
    "Normalizer": lambda x: preprocessing.Normalizer().fit_transform(x),
    "PCA": lambda x: abs(decomposition.PCA(2, svd_solver="full").fit_transform(x)),
    "Ridge": lambda x: linear.Ridge(solver="svd").fit(x[:, 1:], x[:, 0]).predict(x[:, 1:]),
    "LinearDiscriminantAnalysis": lambda x: (
        discriminant.LinearDiscriminantAnalysis().fit(x, x[:, 0] > 0.5).predict_proba(x)
    ),
    "mean_squared_error": lambda x: metrics.mean_squared_error(x[:, 0], x[:, 1]),
    "accuracy_score": lambda x: metrics.accuracy_score(x[:, 0] > 0.5, x[:, 1] > 0.5),
    "euclidean_distances": metrics.pairwise.euclidean_distances,
    "rbf_kernel": metrics.pairwise.rbf_kernel,
    "cosine_similarity": metrics.pairwise.cosine_similarity,
}


@pytest.mark.parametrize("name", OF_SKLEARN)
def test_scikit_learn_takes_tensors(name: str) -> None:
    with sklearn.config_context(array_api_dispatch=True):
        check(OF_SKLEARN[name], MATRIX)


CHECKED = [
    decomposition.PCA(n_components=2, svd_solver="full"),
    decomposition.PCA(n_components=2, svd_solver="covariance_eigh"),
    linear.Ridge(solver="svd"),
    linear.RidgeCV(),
    discriminant.LinearDiscriminantAnalysis(),
    preprocessing.MinMaxScaler(),
    preprocessing.MaxAbsScaler(),
    preprocessing.StandardScaler(),
    preprocessing.Normalizer(norm="l1"),
    preprocessing.KernelCenterer(),
    preprocessing.PolynomialFeatures(),
    preprocessing.Binarizer(),
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("estimator", CHECKED, ids=str)
def test_scikit_learns_own_check_of_an_estimator_passes_with_our_namespace(estimator: Any, dtype: str) -> None:
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    checks.check_array_api_input(type(estimator).__name__, estimator, "tensorglass.array_api", "cpu", dtype, True)
