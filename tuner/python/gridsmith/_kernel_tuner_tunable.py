# SPDX-License-Identifier: Apache-2.0
"""Arguments that a parameter chooses: each of its values is a definition of its own."""
from __future__ import annotations

import itertools
from typing import Any

import numpy

from gridsmith._expression import plain, refuse
from gridsmith._kernel_tuner_arguments import on_host

# Kernel Tuner's names of types, which are CUDA's: numpy's "float" is a double.
PRECISIONS = {"half": "f2", "f16": "f2", "float16": "f2", "__half": "f2", "float": "f4", "single": "f4", "f32": "f4",
              "float32": "f4", "double": "f8", "f64": "f8", "float64": "f8"}


class Tunable:
    """One of several arrays, by the value of a parameter."""

    def __init__(self, param_key: str, arrays: Any) -> None:
        if not isinstance(param_key, str):
            refuse(f"{type(self).__name__}: param_key is a {type(param_key).__name__}; it must be the name of a parameter")
        self.param_key = param_key
        self.arrays = dict(enumerate(arrays)) if isinstance(arrays, (list, tuple)) else dict(arrays)

    def check(self, params: dict[str, Any]) -> None:
        if self.param_key not in params:
            refuse(f"{type(self).__name__}: '{self.param_key}' is no parameter; parameters are {', '.join(params)}")

    def __call__(self, params: dict[str, Any]) -> Any:
        self.check(params)
        value = plain(params[self.param_key])
        if value not in self.arrays:
            refuse(f"{type(self).__name__}: {self.param_key}={value} chooses none of {', '.join(map(str, self.arrays))}")
        return self.arrays[value]

    select_for_configuration = __call__


class TunablePrecision(Tunable):
    """One array, in the type that a parameter names."""

    def __init__(self, param_key: str, array: Any, dtypes: Any = None) -> None:
        given = dtypes or ("half", "float", "double")
        types = given if isinstance(given, dict) else {name: name for name in given}
        super().__init__(param_key, {name: self._type(one) for name, one in types.items()})
        self.array = on_host(array)

    @staticmethod
    def _type(name: Any) -> numpy.dtype:
        try:
            return numpy.dtype(PRECISIONS.get(name.lower(), name) if isinstance(name, str) else name)
        except TypeError:
            refuse(f"TunablePrecision: '{name}' is no type of numpy; types are {', '.join(PRECISIONS)}")

    def __call__(self, params: dict[str, Any]) -> Any:
        array = self.array if isinstance(self.array, numpy.generic) else numpy.asarray(self.array)
        return array.astype(super().__call__(params))

    select_for_configuration = __call__


def chosen_of(arguments: Any, params: dict[str, Any]) -> Any:
    """The arguments of one configuration."""
    if not isinstance(arguments, (list, tuple)):
        return arguments
    return [each(params) if isinstance(each, Tunable) else each for each in arguments]


def parts_of(arguments: Any, tune_params: Any) -> list[tuple[Any, Any]]:
    """Arguments and parameters of each definition that is to be tuned: one, if no argument is a Tunable."""
    tunables = [each for each in arguments if isinstance(each, Tunable)] if isinstance(arguments, (list, tuple)) else []
    if not tunables or not isinstance(tune_params, dict):
        return [(arguments, tune_params)]
    for each in tunables:
        each.check(tune_params)
    names = list(dict.fromkeys(each.param_key for each in tunables))
    choices = [dict(zip(names, values)) for values in itertools.product(*(tune_params[name] for name in names))]
    return [(chosen_of(arguments, choice), {**tune_params, **{name: [value] for name, value in choice.items()}})
            for choice in choices]
