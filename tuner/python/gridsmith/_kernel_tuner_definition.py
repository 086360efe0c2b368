# SPDX-License-Identifier: Apache-2.0
"""A Gridsmith definition made of what a script passes to Kernel Tuner."""
from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy

from gridsmith import _kernel_tuner_arguments as kernel_arguments
from gridsmith import _expression as expression
from gridsmith import _kernel_tuner_source as kernel_sources
from gridsmith._expression import plain, refuse
from gridsmith._kernel_tuner_observers import AccuracyObserver, counter_name

BLOCK_NAMES = ("block_size_x", "block_size_y", "block_size_z")
BLOCK_DEFAULTS = (256, 1, 1)  # threads of a block, as in Kernel Tuner
FORBIDDEN = ("grid_size_x", "grid_size_y", "grid_size_z", "time")


@dataclass
class Definition:
    """The JSON of a definition, the files that it names, and the folders of its headers."""

    json: dict
    files: dict[str, Any] = field(default_factory=dict)  # text, bytes, or an array for .npy, by relative name
    include: list[str] = field(default_factory=list)
    name: str = "kernel"

    def write(self, folder: str | Path) -> Path:
        """Writes all files below this folder. @return the definition's"""
        for name, content in self.files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, numpy.ndarray):
                numpy.save(path, content)
            elif isinstance(content, bytes):
                path.write_bytes(content)
            else:
                path.write_text(content)
        path = Path(folder) / f"{self.name}.json"
        path.write_text(json.dumps(self.json, indent=2))
        return path


def parameters_of(tune_params: Any) -> dict[str, list]:
    """The parameters with their values as plain numbers, truth values and texts, each once."""
    if not isinstance(tune_params, dict) or not tune_params:
        refuse("tune_params must be a dict of names, each with the list of its values, such as "
               "{'block_size_x': [64, 128]}")
    result: dict[str, list] = {}
    for name, values in tune_params.items():
        if not isinstance(name, str) or not name.isidentifier():
            refuse(f"tune_params: '{name}' is no name of a macro; letters, digits and _ are possible")
        if name in FORBIDDEN:
            refuse(f"tune_params: the name '{name}' has a meaning of its own; {', '.join(FORBIDDEN)} are not possible")
        if name.startswith("nvml_"):
            refuse(f"tune_params: '{name}' would set a clock or power limit, which Gridsmith does not tune; "
                   "'gridsmith tune --lock-clock' measures at one clock")
        result[name] = _values(name, values)
    return result


def _values(name: str, values: Any) -> list:
    if isinstance(values, (str, dict)) or not hasattr(values, "__iter__"):
        refuse(f"tune_params['{name}'] is a {type(values).__name__}; it must be a list of values")
    listed = list(dict.fromkeys(plain(value) for value in values))
    if not listed:
        refuse(f"tune_params['{name}'] has no values")
    for value in listed:
        if not isinstance(value, (bool, int, float, str)):
            refuse(f"tune_params['{name}'] has a {type(value).__name__}; values are numbers, truth values and texts")
    return listed


def block_names_of(names: Any, params: dict[str, list]) -> list[str]:
    """The names of the three extents of a block; spelt in capitals too, if no others are given."""
    if names is None:
        spelt = {name.lower(): name for name in params}
        return [name if name in params else spelt.get(name, name) for name in BLOCK_NAMES]
    if not isinstance(names, (list, tuple)) or len(names) > 3 or not all(isinstance(name, str) for name in names):
        refuse("block_size_names must be a list of at most three names of parameters")
    return list(names) + list(BLOCK_NAMES[len(names):])


def _extents(problem_size: Any, params: dict[str, list]) -> list[int | str]:
    """Numbers, and expressions of the parameters."""
    if callable(problem_size):
        found = expression.of_function(problem_size, params, "problem_size")
        listed: list = found if isinstance(found, list) else [found]
    elif isinstance(problem_size, (list, tuple, numpy.ndarray)):
        listed = list(problem_size)
    else:
        listed = [problem_size]
    if not 1 <= len(listed) <= 3:
        refuse(f"problem_size has {len(listed)} extents; it can have 1 to 3")
    return [_extent(plain(each), params, i) for i, each in enumerate(listed)]


def _extent(extent: Any, params: dict[str, list], axis: int) -> int | str:
    what = f"problem_size[{axis}]"
    if isinstance(extent, str):
        text = str(expression.of_text(extent, params, what))
        return int(text) if text.isdigit() else text
    if not isinstance(extent, int) or isinstance(extent, bool) or extent < 1:
        refuse(f"{what} is {extent!r}; it can be a whole number of at least 1, a text such as 'num_blocks', or the whole "
               "size a function of the parameters")
    return extent


def _divisors(division: Any, block_name: str, params: dict[str, list], what: str) -> list[str | int | float]:
    """What an extent is divided by: factors."""
    if division is None:
        return [block_name] if block_name in params else [1]
    if isinstance(division, (list, tuple)):
        factors = [f for i, each in enumerate(division) if each is not None
                   for f in _divisors(each, block_name, params, f"{what}[{i}]")]
        return factors or [1]
    found = expression.of_any(division, params, what)
    # Kernel Tuner makes an integer of each text.
    if isinstance(division, str) and re.search(r"(?<!/)/(?!/)|\.", division):
        return [f"int({found})"]
    return [found]


def _largest(extent: int | str, params: dict[str, list]) -> int:
    """A number for an extent that depends on parameters: the largest that single values give."""
    if isinstance(extent, int):
        return extent
    found = []
    for choose in (min, max):
        try:
            found.append(int(expression.evaluated(extent, {n: choose(v) for n, v in params.items()})))
        except (TypeError, ValueError, ZeroDivisionError):
            continue
    return max([1, *found])


def _geometry(specification: dict, problem_size: Any, divisions: list, names: list[str], params: dict[str, list]) -> None:
    """The block, and the grid: T1's divisors, or its expressions if the problem depends on parameters."""
    extents = _extents(problem_size, params)
    specification["ProblemSize"] = [_largest(extent, params) for extent in extents]
    specification["LocalSize"] = {axis: name if name in params else str(default)
                                  for axis, name, default in zip("XYZ", names, BLOCK_DEFAULTS)}
    factors = [_divisors(division, name, params, f"grid_div_{axis}") for axis, division, name in
               zip("xyz", divisions, names)][:len(extents)]
    if all(isinstance(extent, int) for extent in extents):
        for axis, listed in zip("XYZ", factors):
            specification[f"GridDiv{axis}"] = listed
        return
    grid = {}
    for axis, extent, listed in zip("XYZ", extents, factors):
        product = " * ".join(f"({factor})" for factor in listed)
        # int: Kernel Tuner cuts an extent that is a text or gives a fraction.
        grid[axis] = f"ceil({extent if isinstance(extent, int) else f'int({extent})'} / ({product}))"
    specification["GlobalSize"] = grid


def _shared_bytes(smem_args: Any, params: dict[str, list]) -> str | int | float | None:
    if not smem_args:
        return None
    if not isinstance(smem_args, dict) or set(smem_args) != {"size"}:
        refuse("smem_args must be {'size': BYTES}: a number, a text or a function of the parameters")
    return expression.of_any(smem_args["size"], params, "smem_args['size']")


def _check_texture(texmem_args: Any) -> None:
    if texmem_args:
        refuse(f"texmem_args ({', '.join(map(str, texmem_args))}): CUDA 12 and later have no texture references; make it a "
               "texture object, which a definition describes under Textures (docs/definition.md)")


def _file_name(kernel_name: Any) -> str:
    if not isinstance(kernel_name, str) or not kernel_name.strip():
        refuse("kernel_name must be the name of the kernel, such as 'add' or 'add<float, block_size_x>'")
    return re.sub(r"\W+", "_", kernel_name.split("<")[0].split("::")[-1].strip()) or "kernel"


def definition_of(kernel_name: str, kernel_source: Any, problem_size: Any, arguments: Any, tune_params: dict,
                  options: dict[str, Any], counters: list[str] | None = None, with_data: bool = True) -> Definition:
    """The definition of a tuning. @param with_data false: arguments get no elements, because they are passed later"""
    params = parameters_of(tune_params)
    conditions = expression.restrictions_of(options.get("restrictions"), params)
    source = kernel_sources.source_of(kernel_source, params, conditions)
    kernel_sources.check_language(options.get("lang"), source.text)
    _check_texture(options.get("texmem_args"))
    found = kernel_arguments.arguments_of(arguments, options.get("cmem_args"), source.text, kernel_name, set(params),
                                          options.get("answer"), options.get("atol", 1e-6), options.get("verify"),
                                          with_data)
    if found.reference and any(isinstance(each, AccuracyObserver) for each in options.get("observers") or []):
        # As in Kernel Tuner: what is observed is not judged.
        found.reference = {"File": found.reference["File"], "Accept": "rms_error >= 0"}
    kernel_sources.with_defines(source, options.get("defines"), params)
    name = _file_name(kernel_name)
    specification: dict = {"Language": "CUDA", "KernelName": kernel_name, "KernelFile": f"{name}.cu"}
    words = kernel_sources.compiler_options_of(options.get("compiler_options"), source.folders)
    if words:
        specification["CompilerOptions"] = words
    block_names = block_names_of(options.get("block_size_names"), params)
    _geometry(specification, problem_size, [options.get(f"grid_div_{axis}") for axis in "xyz"], block_names, params)
    if options.get("defines") is None:
        # Names of Gridsmith's own it defines itself, where the source has them.
        source.macros.update({own: str(default) for own, default in zip(block_names, BLOCK_DEFAULTS)
                              if own not in params and own not in BLOCK_NAMES and kernel_sources.names(source, own)})
    shared = _shared_bytes(options.get("smem_args"), params)
    if shared is not None:
        specification["SharedMemory"] = shared
    specification["Arguments"] = found.listed
    section = {"Inputs": found.inputs, "Reference": found.reference, "Macros": source.macros,
               "Counters": {counter_name(metric): metric for metric in counters or []},
               "Compiler": kernel_sources.compiler_of(options.get("compiler"), source)}
    space: dict = {"TuningParameters": [{"Name": n, "Values": v} for n, v in params.items()]}
    if conditions:
        space["Conditions"] = [{"Expression": text} for text in conditions]
    return Definition({"ConfigurationSpace": space, "KernelSpecification": specification,
                       "Gridsmith": {field_name: value for field_name, value in section.items() if value}},
                      {**source.files, f"{name}.cu": source.text, **found.files}, source.folders, name)
