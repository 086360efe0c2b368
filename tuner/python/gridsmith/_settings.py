# SPDX-License-Identifier: Apache-2.0
"""Types of the settings, for editors and type checkers, which alone import this file. gridsmith.settings() says what each
means; tests/python/session_test.py compares the names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypedDict, Union

from gridsmith._session import Objective, Strategy

Path = Union[str, "PathLike[str]"]
Size = Union[int, str, Sequence[int]]
MetricFormula = Union[str, Callable[[Any], Any]]


class Metric(TypedDict, total=False):
    """An entry of "metrics"; Name is the key where they are a dict."""

    Name: str
    Formula: MetricFormula
    Unit: str
    Better: Literal["higher", "lower", "neither"]
    Source: str


class HelperSettings(TypedDict, total=False):
    """How compilers and worker run."""

    compilers: int | None
    nvrtc: Path | None
    nvcc: Path | None
    cache: bool
    confined: bool
    share: bool


class MeasureSettings(HelperSettings, total=False):
    """Of kernels that were compiled by others."""

    devices: Sequence[int]
    recording: Path | None
    back_end: str
    objective: str | Objective
    metrics: Mapping[str, MetricFormula | Metric] | Sequence[Metric]
    only: Sequence[Mapping[str, Any]]
    evaluations: int | None
    seconds: float | None
    seed: int
    repeatable: bool
    finalists: int
    finalists_within: float
    regime: Literal["cold", "warm", "rotate", "back-to-back", "graph"]
    every_regime: bool
    clocks: Sequence[int]
    counters: str
    interval: float
    samples: int
    prune: bool
    bitwise: bool
    timeout: float
    locked_clock_mhz: int | None
    store: Path | None
    reuse: bool
    compile_timeout: float | None


class TuneSettings(MeasureSettings, total=False):
    """Of a session, in addition to its kernel."""

    definition: Mapping[str, Any]
    sizes: str | Sequence[Size]
    across: Literal["each", "mean", "worst"] | None
    weights: Sequence[float]
    include: Sequence[Path]
    strategy: str | Strategy
    calibrate: int
    add: int


class CheckSettings(HelperSettings, total=False):
    """Of a check, in addition to its baseline."""

    against: str | None
    old_nvrtc: Path | None
    kernels: Sequence[str]
    sizes: Sequence[Size]
    include: Sequence[Path]
    effect: float
    strict: bool
    allow_missing: bool
    counters: Literal["none", "explain", "exact"]
    identical_too: bool
    device: int
    locked_clock_mhz: int | None
    timeout: float
    store: Path | None
    seed: int
