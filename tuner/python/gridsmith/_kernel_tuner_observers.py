# SPDX-License-Identifier: Apache-2.0
"""The observers of Kernel Tuner by their names: answered where Gridsmith measures the same, else refused."""
from __future__ import annotations

import re
from typing import Any

from gridsmith._expression import evaluated, refuse


MOST_METERED = 1000  # configurations; each takes some seconds


class BenchmarkObserver:
    """What a script's own observers are derived from."""

    # Why tune_kernel does not take it; None: it does.
    refused: str | None = ("its methods cannot be called around a launch, because Gridsmith launches kernels in a process "
                           "of its own")
    # What it adds to a result, by name: a counter of Gridsmith, and a formula that begins with its portable name.
    adds: dict[str, tuple[str, str]] = {}

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
        self.adds = {metric: (metric, counter_name(metric)) for metric in self.metrics}


class NVMLObserver(BenchmarkObserver):
    """Adds what the board's sensor says while launches follow one another to each result."""

    refused = None

    QUANTITIES = {"nvml_energy": ("nvml__launch_energy.mj", "launch_energy * 0.001"),
                  "nvml_power": ("nvml__board_power.w", "board_power"),
                  "temperature": ("nvml__temperature.degrees", "board_temperature")}

    def __init__(self, observables: list[str], device: int = 0, **options: Any) -> None:
        super().__init__(observables, device, **options)
        for name in observables:
            if name not in self.QUANTITIES:
                refuse(f"NVMLObserver: '{name}' is not measured; observables are {', '.join(self.QUANTITIES)}")
        self.adds = {name: self.QUANTITIES[name] for name in observables}


class PMTObserver(BenchmarkObserver):
    """Refused."""

    refused = "Gridsmith reads the GPU board's sensor alone; NVMLObserver(['nvml_energy']) has its energy"


class PowerSensorObserver(PMTObserver):
    """Refused."""


class TegraObserver(PMTObserver):
    """Refused."""


class AccuracyObserver(BenchmarkObserver):
    """Adds how far the outputs are from answer to each result."""

    refused = None

    # By Kernel Tuner's names, without "error" and blanks and of small letters.
    METRICS = {"rmse|rootmeansq(uared?)?": ("result__difference.rms", "rms_difference"),
               "mse|(mean|average|avg)sq(uared?)?": ("result__difference.rms", "rms_difference ** 2"),
               "(mae|(mean|average|avg)?abs(olute)?)": ("result__abs_difference.avg", "mean_abs_difference"),
               "(mre|(mean|average|avg)?rel(ative)?)": ("result__rel_difference.avg", "mean_rel_difference"),
               "max(imum)?(abs(olute)?)?": ("result__abs_difference.max", "max_abs_difference"),
               "max(imum)?rel(ative)?": ("result__rel_difference.max", "max_rel_difference")}

    def __init__(self, metric: Any = "rmse", key: str = "error", **_: Any) -> None:
        super().__init__(metric, key)
        name = re.sub(r"error|[\s_-]", "", (metric or "rmse").lower()) if isinstance(metric, (str, type(None))) else ""
        found = [added for form, added in self.METRICS.items() if re.fullmatch(form, name)]
        if not found:
            refuse(f"AccuracyObserver: {metric!r} is not measured: results are compared on the device; metrics are RMSE, MSE, "
                   "MAE, MRE, max error and max relative error")
        self.adds = {key: found[0]}


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


def settings_for(observers: list[BenchmarkObserver]) -> dict[str, Any]:
    """What is measured in addition to the counters of NCUObserver: names for "counters", and what is measured again."""
    names = [counter for observer in observers if isinstance(observer, AccuracyObserver) for counter, _ in observer.adds.values()]
    metered = any(isinstance(observer, NVMLObserver) for observer in observers)
    settings: dict[str, Any] = {"names": list(dict.fromkeys(names + (["launch_energy"] if metered else [])))}
    if metered:  # finalists alone have energy, and each result is to have it
        settings |= {"finalists": MOST_METERED, "finalists_within": 1e9, "prune": False}
    return settings


def counter_name(metric: str) -> str:
    """A name for a counter in a definition, made of what the hardware calls it."""
    return re.sub(r"\W", "_", metric)


def formulas(observers: list[BenchmarkObserver]) -> dict[str, str]:
    """Formulas of the values that observers add to a result."""
    return {name: formula for observer in observers for name, (_, formula) in observer.adds.items()}


def observed(observers: list[BenchmarkObserver], registers: int | None, counters: dict[str, float]) -> dict[str, Any]:
    """What the observers add to a result."""
    found: dict[str, Any] = {}
    if registers is not None and any(isinstance(observer, RegisterObserver) for observer in observers):
        found["num_regs"] = registers
    for observer in observers:
        for name, (counter, formula) in observer.adds.items():
            word = formula.split()[0]
            value = counters.get(counter, counters.get(word))
            if value is not None:
                found[name] = evaluated(formula, {word: value})
    return found
