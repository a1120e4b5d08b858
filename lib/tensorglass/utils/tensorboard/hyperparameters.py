"""The table of hyperparameters: a run's settings and what it reached, as TensorBoard's plugin for them reads them."""

from __future__ import annotations

from typing import Any

from tensorboard.compat.proto import summary_pb2
from tensorboard.plugins.hparams import api_pb2, metadata, plugin_data_pb2

from tensorglass.tensor.tensor import Tensor

_NUMBER, _WORD = "DATA_TYPE_FLOAT64", "DATA_TYPE_STRING"


def summaries(settings: Any, results: Any, choices: Any = None) -> list[Any]:
    """What is written of a run: the names of its settings and results, the settings' values, and that it ended well.

    `choices` names the values that a setting may have.
    """
    choices = choices or {}
    for name, given in (("hparam_dict", settings), ("metric_dict", results)):
        if not isinstance(given, dict):
            raise TypeError(f"parameter: {name} should be a dictionary, nothing logged.")
    if not isinstance(choices, dict):
        raise TypeError("parameter: hparam_domain_discrete should be a dictionary, nothing logged.")
    for name, values in choices.items():
        kind = type(settings.get(name))
        if name not in settings or not isinstance(values, list) or not all(isinstance(each, kind) for each in values):
            raise TypeError(
                f"parameter: hparam_domain_discrete[{name}] should be a list of same type as hparam_dict[{name}]."
            )
    described = []
    start = plugin_data_pb2.SessionStartInfo()
    for name, value in settings.items():
        if value is None:
            continue
        field = "string_value" if isinstance(value, str) else "number_value"
        setattr(start.hparams[name], field, _plain(value))
        kind = api_pb2.DataType.Value(_WORD if isinstance(value, str) else _NUMBER)
        described.append(api_pb2.HParamInfo(name=name, type=kind))
        for each in choices.get(name, ()):
            described[-1].domain_discrete.values.add(**{field: each})
    metrics = [api_pb2.MetricInfo(name=api_pb2.MetricName(tag=name)) for name in results]
    experiment = api_pb2.Experiment(hparam_infos=described, metric_infos=metrics)
    end = plugin_data_pb2.SessionEndInfo(status=api_pb2.Status.Value("STATUS_SUCCESS"))
    return [
        _summary(metadata.EXPERIMENT_TAG, experiment=experiment),
        _summary(metadata.SESSION_START_INFO_TAG, session_start_info=start),
        _summary(metadata.SESSION_END_INFO_TAG, session_end_info=end),
    ]


def _plain(value: Any) -> float | str:
    if isinstance(value, Tensor):
        return float(value.reshape(-1)[0])
    if isinstance(value, (str, int, float)):
        return value
    raise ValueError("value should be one of int, float, str, bool, or torch.Tensor")


def _summary(tag: str, **content: Any) -> Any:
    data = plugin_data_pb2.HParamsPluginData(version=metadata.PLUGIN_DATA_VERSION, **content)
    plugin = summary_pb2.SummaryMetadata.PluginData(plugin_name=metadata.PLUGIN_NAME, content=data.SerializeToString())
    described = summary_pb2.SummaryMetadata(plugin_data=plugin)
    return summary_pb2.Summary(value=[summary_pb2.Summary.Value(tag=tag, metadata=described)])
