# SPDX-License-Identifier: Apache-2.0
"""The observers of Kernel Tuner by their names: answered where Gridsmith measures the same, else refused."""
from __future__ import annotations

import re
from typing import Any

from gridsmith._kernel_tuner_expression import refuse


class BenchmarkObserver:
    """What a script's own observers are derived from."""

    # Why tune_kernel does not take it; None: it does.
    refused: str | None = ("its methods cannot be called around a launch, because Gridsmith launches kernels in a process "
                           "of its own")

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.arguments, self.options = arguments, options


class IterationObserver(BenchmarkObserver):
    """Refused."""


class ContinuousObserver(BenchmarkObserver):
    """Refused."""


class OutputObserver(BenchmarkObserver):
    """Refused."""


class PrologueObserver(BenchmarkObserver):
    """Refused."""


class RegisterObserver(BenchmarkObserver):
    """Adds "num_regs", the registers of a thread, to each result."""

    refused = None


class NCUObserver(BenchmarkObserver):
    """Adds counters of the hardware, by the names of Nsight Compute, to each result."""

    refused = None

    def __init__(self, metrics: list[str] | None = None, device: int = 0) -> None:
        super().__init__(metrics, device)
        self.metrics = list(metrics or [])


class NVMLObserver(BenchmarkObserver):
    """Refused."""

    refused = "Gridsmith measures no power, energy or temperature; observers can be RegisterObserver and NCUObserver"


class PMTObserver(NVMLObserver):
    """Refused."""


class PowerSensorObserver(NVMLObserver):
    """Refused."""


class TegraObserver(NVMLObserver):
    """Refused."""


class AccuracyObserver(BenchmarkObserver):
    """Refused."""

    refused = "Gridsmith measures no errors; it compares each output with answer, within atol"


def check(observers: Any) -> list[BenchmarkObserver]:
    """The observers that are answered; InputError for one that is not."""
    for observer in observers or []:
        reason = getattr(observer, "refused", BenchmarkObserver.refused)
        if reason:
            refuse(f"observers: {type(observer).__name__} is not possible: {reason}")
    return list(observers or [])


def counters_wanted(observers: list[BenchmarkObserver]) -> list[str]:
    """What the observers count, each once."""
    return list(dict.fromkeys(metric for observer in observers for metric in getattr(observer, "metrics", [])))


def counter_name(metric: str) -> str:
    """A name for a counter in a definition, made of what the hardware calls it."""
    return re.sub(r"\W", "_", metric)


def observed(observers: list[BenchmarkObserver], registers: int | None, counters: dict[str, float]) -> dict[str, Any]:
    """What the observers add to a result."""
    found: dict[str, Any] = {}
    if registers is not None and any(isinstance(observer, RegisterObserver) for observer in observers):
        found["num_regs"] = registers
    for metric in counters_wanted(observers):
        value = counters.get(metric, counters.get(counter_name(metric)))
        if value is not None:
            found[metric] = value
    return found
