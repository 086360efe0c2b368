# SPDX-License-Identifier: Apache-2.0
"""Scripts written for Kernel Tuner: `from gridsmith.kernel_tuner import tune_kernel`.

Takes the same arguments, makes a Gridsmith definition of them, tunes that, and returns the same kind of
results. What Gridsmith cannot do is refused with a reason (`gridsmith.InputError`) or warned of.
"""
from __future__ import annotations

import difflib
import itertools
import math
import re
import sys
import tempfile
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Callable, NamedTuple

import numpy

import gridsmith
from gridsmith import _expression as expression
from gridsmith import _formula
from gridsmith import _kernel_tuner_arguments as kernel_arguments
from gridsmith import _kernel_tuner_cache as kernel_cache
from gridsmith import _kernel_tuner_definition as kernel_definition
from gridsmith import _kernel_tuner_observers as kernel_observers
from gridsmith._expression import refuse
from gridsmith._kernel_tuner_observers import (AccuracyObserver, BenchmarkObserver, ContinuousObserver, IterationObserver,
                                               NCUObserver, NVMLObserver, OutputObserver, PMTObserver,
                                               PowerSensorObserver, PrologueObserver, RegisterObserver, TegraObserver)
from gridsmith._kernel_tuner_results import (CompilationFailedConfig, ErrorConfig, InvalidConfig, RuntimeFailedConfig,
                                             environment_of, get_best_config, get_config_string, get_t4_metadata,
                                             get_t4_results, objective_of, results_of, store_metadata_file,
                                             store_output_file, store_results)
from gridsmith._kernel_tuner_tunable import Tunable, TunablePrecision, chosen_of, parts_of

__all__ = ["tune_kernel", "run_kernel", "PythonKernel", "store_results", "store_output_file", "store_metadata_file",
           "get_t4_results", "get_t4_metadata", "get_best_config", "get_config_string", "create_device_targets",
           "ErrorConfig", "InvalidConfig", "CompilationFailedConfig", "RuntimeFailedConfig", "Tunable", "TunablePrecision",
           "OptAlgWrapper", "strategies",
           "AccuracyObserver", "BenchmarkObserver", "ContinuousObserver", "IterationObserver", "NCUObserver",
           "NVMLObserver", "OutputObserver", "PMTObserver", "PowerSensorObserver", "PrologueObserver", "RegisterObserver",
           "TegraObserver"]

# The options that both functions have, then those of tune_kernel, with their defaults. "platform", "log" and
# "parallel" change nothing: one CUDA platform, Gridsmith's own messages, compilers always in parallel.
KERNEL_OPTIONS: dict[str, Any] = {
    "grid_div_x": None, "grid_div_y": None, "grid_div_z": None, "lang": None, "device": 0, "platform": 0,
    "smem_args": None, "cmem_args": None, "texmem_args": None, "compiler": None, "compiler_options": None,
    "defines": None, "block_size_names": None, "quiet": False, "log": None}
TUNE_OPTIONS: dict[str, Any] = {
    **KERNEL_OPTIONS, "restrictions": None, "answer": None, "atol": 1e-6, "verify": None, "verbose": False,
    "iterations": 7, "strategy": None, "strategy_options": None, "cache": None, "metrics": None,
    "simulation_mode": False, "parallel": None, "observers": None, "objective": None,
    "objective_higher_is_better": None, "objectives": None, "seed": None, "settings": None}

# Kernel Tuner's strategies that Gridsmith has; the others become its own default.
STRATEGIES = {"brute_force": "exhaustive", "random_sample": "random"}
MOST_EXHAUSTIVE = 1000  # configurations that are all tried if no strategy is named
OTHER_STRATEGIES = ("minimize", "basinhopping", "diff_evo", "genetic_algorithm", "greedy_mls", "ordered_greedy_mls",
                    "greedy_ils", "dual_annealing", "mls", "pso", "simulated_annealing", "skopt", "firefly_algorithm",
                    "bayes_opt", "pyatf_strategies", "hybrid_vndx", "adaptive_tabu_greywolf")
MOST_COUNTED = 10**6  # combinations that are tried to find what fraction= of the space is
USUAL_SAMPLES = 50  # Gridsmith's own limit of the samples of a configuration
OBJECTIVES = {"time": "time", "nvml_energy": "energy_mj", "nvml_power": "power_w"}  # those that Gridsmith has itself


def _chosen(options: dict[str, Any], known: dict[str, Any], function: str) -> dict[str, Any]:
    for name in options:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            refuse(f"{function} has no option '{name}'" + (f"; did you mean {near[0]}? " if near else "; ")
                   + f"Options are {', '.join(known)}")
    return {**known, **options}


def _strategy(strategy: Any, definition: dict) -> str:
    known = ", ".join([*STRATEGIES, *OTHER_STRATEGIES])
    if strategy is None:  # Kernel Tuner tries everything, which takes it days where there are many
        return "exhaustive" if _at_most(definition, MOST_EXHAUSTIVE) else "default"
    if not isinstance(strategy, str):
        refuse(f"strategy is a {type(strategy).__name__}: a search written for Kernel Tuner cannot be run, because it asks "
               f"for one configuration at a time; derive one from gridsmith.Strategy, or take one of {known}")
    if strategy not in STRATEGIES and strategy not in OTHER_STRATEGIES:
        refuse(f"strategy '{strategy}' is not known; strategies are {known}")
    return STRATEGIES.get(strategy, "default")


def _at_most(definition: dict, count: int) -> bool:
    product = math.prod(len(each["Values"]) for each in definition["ConfigurationSpace"]["TuningParameters"])
    return product <= count or (product <= MOST_COUNTED and _configurations(definition) <= count)


def _configurations(definition: dict) -> int:
    """The size of the space without the limits of the device."""
    space = definition["ConfigurationSpace"]
    parameters = {each["Name"]: each["Values"] for each in space["TuningParameters"]}
    conditions = _conditions(definition)
    product = math.prod(len(values) for values in parameters.values())
    if not conditions:
        return product
    if product > MOST_COUNTED:
        refuse(f"strategy_options: 'fraction' is of a space that was cut from {product} combinations, too many to count; "
               "give 'max_fevals'")
    return sum(_holds(conditions, dict(zip(parameters, values))) for values in itertools.product(*parameters.values()))


def _conditions(definition: dict) -> list[str]:
    return [each["Expression"] for each in definition["ConfigurationSpace"].get("Conditions", [])]


def _holds(conditions: list[str], configuration: dict[str, Any]) -> bool:
    try:
        return all(expression.evaluated(text, configuration) for text in conditions)
    except ZeroDivisionError:
        return False


def _budget(options: dict[str, Any], definition: dict, parts: int) -> dict[str, Any]:
    """max_fevals, fraction and time_limit; other options of strategies have no meaning for Gridsmith's."""
    given = options["strategy_options"] or {}
    settings: dict[str, Any] = {}
    if given.get("fraction") is not None:
        fraction = _option(given, "fraction", "a number above 0, at most 1", lambda one: 0 < one <= 1)
        settings["evaluations"] = max(1, math.ceil(fraction * _configurations(definition)))
    if given.get("max_fevals") is not None:
        most = _option(given, "max_fevals", "a whole number of at least 1", lambda one: one >= 1 and one == int(one))
        settings["evaluations"] = max(1, int(most) // parts)
    if given.get("time_limit") is not None:
        settings["seconds"] = _option(given, "time_limit", "a number of seconds above 0", lambda one: 0 < one < math.inf) / parts
    return settings


def _option(given: dict[str, Any], name: str, valid: str, holds: Callable[[Any], bool]) -> float:
    try:
        if holds(given[name]):
            return float(given[name])
    except (TypeError, ValueError, OverflowError):
        pass
    refuse(f"strategy_options: '{name}' is {given[name]!r}; it must be {valid}")


def _searched(options: dict[str, Any], definition: dict, objective: str, higher: bool) -> str | _formula.Unknown:
    """By what the search goes: Gridsmith's name of it, or that of a metric that the definition gets. Unknown: no formula."""
    if objective in OBJECTIVES and objective not in (options["metrics"] or {}):
        return OBJECTIVES[objective]
    known: dict[str, Any] = {"time": expression.Symbol("time_ms"), "num_regs": expression.Symbol("registers_per_thread")}
    for each in definition["ConfigurationSpace"]["TuningParameters"]:
        name, values = each["Name"], each["Values"]
        text = any(isinstance(value, str) for value in values)
        known[name] = (values[0] if len(values) == 1 else _formula.Unknown("its values are texts") if text
                       else expression.Symbol(name))
    known.update((name, expression.Symbol(f"({text})"))
                 for name, text in kernel_observers.formulas(options["observers"] or []).items())
    found = _formula.formulas_of(options["metrics"] or {}, known).get(objective)
    if not isinstance(found, expression.Symbol):  # one of Gridsmith's, or its error names those
        return found if isinstance(found, _formula.Unknown) else objective
    name = "script_" + re.sub("[^A-Za-z0-9_]", "_", objective)  # no other metric has such a name
    definition["Gridsmith"]["Metrics"] = [
        {"Name": name, "Formula": found.text, "Better": "higher" if higher else "lower"}]
    return name


def settings_of(options: dict[str, Any], definition: kernel_definition.Definition, counters: list[str],
                searched: str | _formula.Unknown, parts: int = 1) -> dict[str, Any]:
    """What gridsmith.Session gets in addition to the kernel. @param parts how many share what may be spent"""
    more = kernel_observers.settings_for(options["observers"] or [])
    counted = (["default"] if counters else []) + more.pop("names")
    settings: dict[str, Any] = {"strategy": _strategy(options["strategy"], definition.json), "devices": [int(options["device"])],
                                "store": None, "counters": ",".join(counted) or "none", **more,
                                **_budget(options, definition.json, parts)}
    if definition.include:
        settings["include"] = definition.include
    if options["iterations"] > USUAL_SAMPLES:
        settings["samples"] = int(options["iterations"])
    if options["seed"] is not None:
        settings["seed"] = int(options["seed"])
    if isinstance(searched, _formula.Unknown):
        settings["prune"] = False  # a slow one may be the best
    elif searched != "time":
        settings["objective"] = searched
    cache = options["cache"]
    if options["simulation_mode"]:
        if not cache:
            refuse("simulation_mode needs cache=, the cache file of Kernel Tuner that is replayed")
        settings["recording"] = str(cache if Path(cache).suffix == ".json" else f"{cache}.json")
    elif cache:
        settings["store"] = f"{cache}.db"
    settings.update(options["settings"] or {})
    if isinstance(searched, _formula.Unknown) and settings["strategy"] not in STRATEGIES.values():
        refuse(f"objective: {searched.reason}; no search can go by it: strategy='brute_force' tries all configurations, and "
               "compares the results")
    return settings


def _say(options: dict[str, Any], settings: dict[str, Any]) -> None:
    """Where the search is not the one that was asked for."""
    if options["quiet"]:
        return
    if options["strategy"] is None and settings["strategy"] == "default":
        print(f"more than {MOST_EXHAUSTIVE} configurations: Gridsmith searches until a better one is unlikely; "
              "strategy='brute_force' tries all")
    elif options["verbose"] and settings["strategy"] == "default":
        print(f"strategy {options['strategy']}: Gridsmith's default strategy is used instead")


def _best(answer: Any, rows: list[dict], names: list[str], objective: str, higher: bool, searched: bool) -> dict | None:
    """Gridsmith's, which measured the finalists again; where no search went by the objective, that of the results."""
    correct = [row for row in rows if "__error__" not in row]
    if searched and answer.best:
        for row in correct:
            if all(row.get(name) == answer.best.get(name) for name in names):
                return row
    correct = [row for row in correct if objective in row]
    if searched and correct:
        warnings.warn(f"objective '{objective}': the search found no value of it, such as one below 0, and went without; the "
                      "best is that of the configurations that it tried")
    return get_best_config(correct, objective, higher) if correct else None


def _print_best(best: dict | None, names: list[str], objective: str, metrics: Any) -> None:
    if best is None:
        print("no configuration gave a correct result")
        return
    print(f"Best configuration by {objective}:")
    print(get_config_string(best, [*names, "time", objective, *(metrics or {})], {"time": "ms"}))


class _Tuned(NamedTuple):
    """What came of one definition."""

    answer: Any
    rows: list[dict]
    best: dict | None


def _tuned(definition: kernel_definition.Definition, names: list[str], options: dict[str, Any], searched: Any,
           settings: dict[str, Any], goal: tuple[str, bool]) -> _Tuned:
    with tempfile.TemporaryDirectory(prefix="gridsmith_") as folder:
        replayed = {}
        if options["simulation_mode"]:
            conditions = _conditions(definition.json)
            replayed["recording"] = kernel_cache.narrowed(settings["recording"], definition.json,
                                                          lambda configuration: _holds(conditions, configuration), folder)
        session = gridsmith.Session(kernel=str(definition.write(folder)), **{**settings, **replayed})
        answer = session.run(note=print if options["verbose"] and not options["quiet"] else None, progress=None)[0]
        if replayed:
            answer.json["recording"] = settings["recording"]  # the narrowed one goes with the folder
        rows = results_of(answer, names, options["metrics"], options["observers"], goal[0])
        return _Tuned(answer, rows, _best(answer, rows, names, *goal, isinstance(searched, str)))


def _together(parts: list[_Tuned], goal: tuple[str, bool]) -> _Tuned:
    """All rows, with the answer of the part that has the best. Finalists of two parts were not compared in turn."""
    found = [part for part in parts if part.best is not None]
    best = get_best_config([part.best or {} for part in found], *goal) if found else None
    chosen = next((part for part in found if part.best is best), parts[0])
    for part in parts:
        for row in part.rows if part is not chosen else []:
            row["gridsmith"]["tied"] = None
    return _Tuned(chosen.answer, [row for part in parts for row in part.rows], best)


def tune_kernel(kernel_name: str, kernel_source: Any, problem_size: Any, arguments: Any, tune_params: dict,
                **options: Any) -> tuple[list[dict], dict]:
    """Tunes a kernel as Kernel Tuner's function of this name does, with Gridsmith.

    :param options: those of Kernel Tuner, and `settings`, a dict of further settings of `gridsmith.Session`
    :returns: a dict for each configuration that was tried ("time" is the median in ms; "gridsmith" has what Kernel
        Tuner does not have), and a dict about the device and the run
    """
    chosen = _chosen(options, TUNE_OPTIONS, "tune_kernel")
    objective, higher = objective_of(chosen["objective"], chosen["objective_higher_is_better"], chosen["objectives"])
    chosen["observers"] = observers = kernel_observers.check(chosen["observers"])
    counters = kernel_observers.counters_wanted(observers)
    observed = any(isinstance(each, AccuracyObserver) for each in observers)
    if observed and chosen["answer"] is None:
        refuse("observers: AccuracyObserver needs answer=, from which it says how far results are")
    parts = parts_of(arguments, tune_params)
    if chosen["simulation_mode"]:  # which passes no arguments, and often no source
        parts = [(parts[0][0], tune_params)]
        kernel_source = kernel_source or "//\n"
    if len(parts) > 1 and objective not in ("time", *(chosen["metrics"] or ()), *kernel_observers.formulas(observers)):
        refuse(f"objective '{objective}' is in no result, by which the choices of a Tunable argument are compared; make it one of "
               "metrics")
    tuned: list[_Tuned] = []
    for passed, params in parts:
        definition = kernel_definition.definition_of(kernel_name, kernel_source, problem_size, passed, params, chosen, counters)
        if len(parts) > 1 and _at_most(definition.json, 0):
            continue  # a restriction excludes this choice
        if observed:
            kernel_arguments.warn_of_rounding(passed, chosen["answer"])
        searched = _searched(chosen, definition.json, objective, higher)
        settings = settings_of(chosen, definition, counters, searched, len(parts))
        _say(chosen, settings)
        tuned.append(_tuned(definition, list(tune_params), chosen, searched, settings, (objective, higher)))
    if not tuned:
        refuse("restrictions: no configuration of any value that chooses an argument holds")
    answer, rows, best = _together(tuned, (objective, higher))
    environment = environment_of(answer, rows, chosen)
    if best is not None:
        environment["best_config"] = best
    if not chosen["quiet"]:
        _print_best(best, list(tune_params), objective, chosen["metrics"])
    return rows, environment


def _copy(value: Any) -> Any:
    """A copy that a launch may write, in memory as it is and on the device where it is."""
    if hasattr(value, "detach"):
        return value.detach().clone()
    if isinstance(value, numpy.ndarray):
        dense = value.flags.c_contiguous or value.flags.f_contiguous
        return value.copy(order="K" if dense else "C")
    return value.copy() if hasattr(value, "__cuda_array_interface__") else value


class _Launched:
    """A kernel of one configuration, and the constants that follow its arguments."""

    def __init__(self, kernel_name: str, kernel_source: Any, problem_size: Any, arguments: Any, params: dict,
                 options: dict[str, Any]) -> None:
        definition = kernel_definition.definition_of(kernel_name, kernel_source, problem_size, arguments,
                                                     {name: [value] for name, value in params.items()}, options,
                                                     with_data=False)
        configuration = {name: expression.plain(value) for name, value in params.items()}
        self.constants = [kernel_arguments.on_host(value) for value in (options["cmem_args"] or {}).values()]
        with tempfile.TemporaryDirectory(prefix="gridsmith_") as folder:
            self.kernel = gridsmith.Kernel(str(definition.write(folder)), configuration,
                                           size=definition.json["KernelSpecification"]["ProblemSize"],
                                           device=int(options["device"]), include=definition.include)

    def __call__(self, arguments: list) -> None:
        # An array of any layout is passed as its elements in the order of memory, which share it.
        self.kernel(*[kernel_arguments.elements_of(value, "an argument") if isinstance(value, numpy.ndarray) else value
                      for value in [*arguments, *self.constants]])


def run_kernel(kernel_name: str, kernel_source: Any, problem_size: Any, arguments: Any, params: dict,
               **options: Any) -> list:
    """Compiles and launches one configuration, and returns copies of all arguments as they are then."""
    chosen = _chosen(options, KERNEL_OPTIONS, "run_kernel")
    arguments = chosen_of(arguments, params)
    launched = _Launched(kernel_name, kernel_source, problem_size, arguments, params, chosen)
    results = [_copy(value) for value in arguments]
    launched(results)
    return [value.cpu() if hasattr(value, "detach") else kernel_arguments.on_host(value) for value in results]


class PythonKernel:
    """A kernel of one configuration that is called with its arguments and returns the arrays that are outputs."""

    def __init__(self, kernel_name: str, kernel_string: Any, problem_size: Any, arguments: Any, params: dict | None = None,
                 inputs: Any = None, outputs: Any = None, verbose: bool = True, results_file: Any = None,
                 **options: Any) -> None:
        if results_file:
            refuse("PythonKernel: results_file is not read; give the values in params")
        chosen = _chosen(options, KERNEL_OPTIONS, "PythonKernel")
        self.params = dict(params or {})
        self.outputs = list(outputs or [True] * len(arguments))
        self.launched = _Launched(kernel_name, kernel_string, problem_size, chosen_of(arguments, self.params), self.params, chosen)

    def __call__(self, *arguments: Any) -> list:
        # A NumPy argument is not written, as in Kernel Tuner; an array on the device is.
        passed = [_copy(value) if isinstance(value, numpy.ndarray) else value
                  for value in chosen_of(arguments, self.params)]
        self.launched(passed)
        return [value for value, output in zip(passed, self.outputs) if output and isinstance(value, numpy.ndarray)]

    def run_kernel(self, arguments: list) -> list:
        """The same, of a list."""
        return self(*arguments)


class OptAlgWrapper:
    """A search written in Python, which is refused."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass


def create_device_targets(*_: Any, **__: Any) -> None:
    """Refused: Gridsmith writes a header that chooses at run time."""
    refuse("create_device_targets: use 'gridsmith export header' of the store of cache=, which writes a header")


# Kernel Tuner's modules are all this one: `from gridsmith.kernel_tuner.util import get_best_config` works.
MODULES = ("util", "file_utils", "integration", "interface", "accuracy", "kernelbuilder", "observers",
           "observers.observer", "observers.register", "observers.ncu", "observers.nvml", "observers.pmt",
           "observers.powersensor", "observers.tegra", "strategies.wrapper")
for _name in MODULES:
    sys.modules[f"{__name__}.{_name}"] = sys.modules[__name__]
util = file_utils = integration = interface = accuracy = kernelbuilder = observers = sys.modules[__name__]
# A strategy is its name: strategy=kernel_tuner.strategies.minimize.
strategies = SimpleNamespace(wrapper=sys.modules[__name__],
                             **{name: name for name in ("brute_force", "random_sample", *OTHER_STRATEGIES)})
sys.modules[f"{__name__}.strategies"] = strategies  # type: ignore[assignment]
