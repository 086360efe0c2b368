# SPDX-License-Identifier: Apache-2.0
"""What tune_kernel returns, made of Gridsmith's answer, and the files that scripts store it in."""
from __future__ import annotations

import csv
import io
import json
import math
import os
import re
from pathlib import Path
from typing import Any

from gridsmith import _expression as expression
from gridsmith import _kernel_tuner_observers as kernel_observers
from gridsmith._expression import refuse


class ErrorConfig(str):
    """In place of a number, for a configuration that failed; larger than any, so min() passes it over."""

    def __lt__(self, other: object) -> bool:
        return isinstance(other, str) and str.__lt__(self, other)

    def __gt__(self, other: object) -> bool:
        return not isinstance(other, str) or str.__gt__(self, other)

    def __str__(self) -> str:
        return type(self).__name__

    __repr__ = __str__


class InvalidConfig(ErrorConfig):
    """Not allowed by the device."""


class CompilationFailedConfig(ErrorConfig):
    """Did not compile."""


class RuntimeFailedConfig(ErrorConfig):
    """Could not be launched, hung, or gave a wrong result."""


ERRORS = {"constraints": InvalidConfig, "compile": CompilationFailedConfig, "runtime": RuntimeFailedConfig,
          "correctness": RuntimeFailedConfig, "timeout": RuntimeFailedConfig}
T4_WORDS = {InvalidConfig: "constraints", CompilationFailedConfig: "compile", RuntimeFailedConfig: "runtime"}

# Kernel Tuner's name of a time: T4's. All in ms.
TIMES = {"compile_time": "compilation", "verification_time": "validation", "benchmark_time": "benchmark",
         "framework_time": "framework", "strategy_time": "search_algorithm"}

# Objectives of which it is known whether more is better.
HIGHER_IS_BETTER = {"time": False, "energy": False, "nvml_energy": False, "nvml_power": False, "fitness": True,
                    "cost": False, "loss": False, "GFLOP/s": True, "TFLOP/s": True, "GB/s": True, "TB/s": True, "GFLOPS/W": True, "TFLOPS/W": True, "GFLOP/J": True,
                    "TFLOP/J": True}


def objective_of(objective: Any, higher_is_better: Any, objectives: Any) -> tuple[str, bool]:
    """The one objective, and whether more of it is better."""
    if objectives:
        objective, higher_is_better = list(objectives), list(dict(objectives).values())
    if isinstance(objective, (list, tuple)):
        if len(objective) != 1:
            refuse(f"objective has {len(objective)} names; one objective can be tuned at a time")
        objective = objective[0]
    if isinstance(higher_is_better, (list, tuple)):
        higher_is_better = higher_is_better[0]
    objective = objective or "time"
    if higher_is_better is None and objective not in HIGHER_IS_BETTER:
        refuse(f"objective_higher_is_better must be given, True or False, for the objective '{objective}'; it is known of "
               f"{', '.join(HIGHER_IS_BETTER)}")
    return objective, HIGHER_IS_BETTER[objective] if higher_is_better is None else bool(higher_is_better)


def with_metrics(row: dict, metrics: Any) -> None:
    """Adds the metrics of a script, in their order: texts and functions of the result."""
    for name, value in (metrics or {}).items():
        if callable(value):
            row[name] = value(row)
        elif isinstance(value, str):
            # As in Kernel Tuner names are replaced, because not all of them are identifiers.
            words = re.split(r"([A-Za-z0-9_]+)", value)
            row[name] = eval("".join(str(row[word]) if word in row else word for word in words))
        else:
            refuse(f"metrics['{name}'] is a {type(value).__name__}; it can be a text or a function of the result")


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None


def _key(configuration: dict) -> str:
    return json.dumps(configuration, sort_keys=True)


def _more(answer: Any, count: int) -> list[dict]:
    """The rows of the CSV, which has what T4 lacks: intervals, registers. In the same order."""
    rows = list(csv.DictReader(io.StringIO(answer.text("csv"))))
    return rows if len(rows) == count else [{} for _ in range(count)]


def _own(entry: dict, more: dict, tied: bool | None) -> dict:
    """The part of a result that only Gridsmith has."""
    counters = {m["name"]: m["value"] for m in entry["measurements"] if m["name"] != "time"}
    registers = _number(more.get("registers_per_thread"))
    return {"status": entry["invalidity"], "reason": entry.get("reason", ""), "tied": tied,
            "low": _number(more.get("low_ms")), "high": _number(more.get("high_ms")),
            "registers_per_thread": None if registers is None else int(registers),
            "verified_against": more.get("verified_against") or None, "counters": counters}


def _row(entry: dict, more: dict, tied: bool | None, observers: list, names: list[str]) -> dict:
    configuration = entry["configuration"]
    row = {name: configuration[name] for name in names if name in configuration}
    own = _own(entry, more, tied)
    status = entry["invalidity"]
    if status == "correct":
        # The median of the samples. Kernel Tuner's is their mean, which a single disturbed launch moves.
        row["time"] = next(m["value"] for m in entry["measurements"] if m["name"] == "time")
        row["times"] = entry["times"]["runtimes"]
        row.update(kernel_observers.observed(observers, own["registers_per_thread"], own["counters"]))
    else:
        row["time"] = row["__error__"] = ERRORS.get(status, RuntimeFailedConfig)(status)
    row.update({name: entry["times"].get(word, 0) for name, word in TIMES.items()})
    row["timestamp"] = entry["timestamp"]
    row["gridsmith"] = own
    return row


def results_of(answer: Any, names: list[str], metrics: Any, observers: list, objective: str) -> list[dict]:
    """A dict for each configuration that was tried, in the order of the measurements."""
    entries = json.loads(answer.text("t4"))["results"]
    tied = {_key(each["configuration"]): each.get("tied") for each in answer.json.get("ranking") or []}
    rows = []
    for entry, more in zip(entries, _more(answer, len(entries))):
        row = _row(entry, more, tied.get(_key(entry["configuration"])), observers, names)
        if "__error__" in row:
            row[objective] = row["__error__"]
        else:
            with_metrics(row, metrics)
        rows.append(row)
    return rows


def environment_of(answer: Any, rows: list[dict], options: dict[str, Any]) -> dict:
    """What the results were measured with."""
    device = answer.json.get("device") or {}
    environment = {"device_name": device.get("name", ""), "cuda_version": device.get("toolkit_version", ""),
                   "driver_version": device.get("driver_version", ""), "device_properties": device,
                   "compute_capability": str(device.get("compute_capability", "")),
                   "iterations": options["iterations"], "compiler_options": options["compiler_options"] or []}
    for name in TIMES:
        environment[f"total_{name}"] = sum(row[name] for row in rows)
    environment["gridsmith"] = answer.json
    return environment


def get_best_config(results: list[dict], objective: str, objective_higher_is_better: bool = False) -> dict:
    """The result with the best objective; failed ones count as the worst."""
    worst = -math.inf if objective_higher_is_better else math.inf

    def value(row: dict) -> float:
        found = row.get(objective)
        return worst if "__error__" in row or not isinstance(found, (int, float)) else found

    return (max if objective_higher_is_better else min)(results, key=value)


def get_config_string(params: dict, keys: Any = None, units: dict | None = None) -> str:
    """A result in one line: "block_size_x=128, time=0.123ms"."""
    def shown(name: str, value: Any) -> str:
        unit = (units or {}).get(name, "") if not isinstance(value, ErrorConfig) else ""
        return f"{name}={value:.3f}{unit}" if isinstance(value, float) else f"{name}={value}{unit}"

    return ", ".join(shown(name, value) for name, value in params.items() if not keys or name in keys)


def _t4_result(row: dict, tune_params: dict, objective: str) -> dict:
    apart = {*tune_params, *TIMES, "timestamp", "times", "gridsmith", "__error__"}
    times = {word: row.get(name, 0) for name, word in TIMES.items()}
    measurements = [{"name": name, "value": str(value) if isinstance(value, ErrorConfig) else value,
                     "unit": "ms" if name.startswith("time") else ""} for name, value in row.items() if name not in apart]
    error = row.get("__error__")
    own = row.get("gridsmith") or {}
    status = own.get("status") or T4_WORDS.get(type(error), "correct")
    return {"timestamp": row.get("timestamp", ""), "configuration": {n: row[n] for n in tune_params if n in row},
            "times": {**times, "runtimes": row.get("times", [])}, "invalidity": status,
            "correctness": int(status == "correct"), "measurements": measurements, "objectives": [objective]}


def get_t4_results(results: list[dict], tune_params: dict, objective: str = "time") -> dict:
    """The results as a T4 file has them."""
    return {"schema_version": "1.0.0", "metadata": {"timeunit": "milliseconds"},
            "results": [_t4_result(row, tune_params, objective) for row in results]}


def _json_path(filename: str | Path) -> Path:
    path = Path(filename)
    path = path if path.suffix == ".json" else Path(f"{path}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def store_output_file(output_filename: str | Path, results: list[dict], tune_params: dict, objective: str = "time") -> None:
    """Writes the results as T4."""
    text = json.dumps(get_t4_results(results, tune_params, objective), default=expression.plain)
    _json_path(output_filename).write_text(text)


def get_t4_metadata() -> dict:
    """What the machine is, as T4's metadata have it; the device is in the results' environment."""
    system = os.uname()
    environment = {"operating_system": system.sysname, "hardware": {"machine": system.machine}, "requirements": []}
    return {"schema_version": "1.0.0", "metadata": {"environment": environment}}


def store_metadata_file(metadata_filename: str | Path) -> None:
    """Writes the metadata of T4."""
    _json_path(metadata_filename).write_text(json.dumps(get_t4_metadata()))


def store_results(results_filename: str | Path, kernel_name: str, kernel_string: Any, tune_params: dict,
                  problem_size: Any, results: list[dict], env: dict, top: float = 3, objective: Any = None,
                  objective_higher_is_better: Any = None) -> None:
    """Writes the best results of this device and problem size; those of others in the file stay.

    :param top: how many percent a result may be worse than the best one
    """
    objective, higher = objective_of(objective, objective_higher_is_better, None)
    correct = [row for row in results if "__error__" not in row and objective in row]
    if not correct:
        refuse(f"store_results: no result has a value of '{objective}'")
    best = get_best_config(correct, objective, higher)[objective]
    near = [row for row in correct
            if (row[objective] >= best * (1 - top / 100) if higher else row[objective] <= best * (1 + top / 100))]
    extents = problem_size if isinstance(problem_size, (list, tuple)) else (problem_size,)
    place = {"device_name": re.sub("[^0-9a-zA-Z]+", "_", env["device_name"].strip()),
             "problem_size": "x".join(str(extent) for extent in extents)}
    path = Path(results_filename)
    stored = json.loads(path.read_text()) if path.is_file() else {
        "version_number": "1.0", "kernel_name": kernel_name, "objective": objective, "objective_higher_is_better": higher,
        "tunable_parameters": list(tune_params), "data": []}
    if isinstance(kernel_string, str) and "kernel_string" not in stored:
        stored["kernel_string"] = kernel_string
    if stored["kernel_name"] != kernel_name or stored["objective"] != objective:
        refuse(f"store_results: {path} has {stored['kernel_name']} by {stored['objective']}; give another file")
    others = [each for each in stored["data"] if any(each[name] != value for name, value in place.items())]
    stored["data"] = others + [{**place, "tunable_parameters": {name: row[name] for name in tune_params},
                                objective: row[objective]} for row in near]
    path.write_text(json.dumps(stored, default=expression.plain))
