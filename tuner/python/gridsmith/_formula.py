# SPDX-License-Identifier: Apache-2.0
"""Metrics that a script writes as functions or texts, as formulas of a definition."""

from __future__ import annotations

import ast
import keyword
import re

from gridsmith._expression import FUNCTIONS, NODES, Symbol, refuse, text_of
from gridsmith._library import TYPE_CHECKING, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

_CONSTRUCTS = "arithmetic, comparisons, 'if' and " + ", ".join(sorted(FUNCTIONS))


class Unknown:
    """What a script may read and a formula cannot, and why."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


class Measured:
    """What a metric reads while it is traced: numbers that are known before, symbols for the others.

    @param known symbols, numbers and Unknown by name. @param other for names that are not among them
    """

    __iter__ = None

    def __init__(self, known: Mapping[str, Any], other: Callable[[str], Any]) -> None:
        self._known, self._other = known, other

    def __getitem__(self, name: str) -> Any:
        found = self._known[name] if name in self._known else self._other(name)
        if isinstance(found, Unknown):
            raise TypeError(f"it reads '{name}': {found.reason}")
        return found

    def get(self, name: str, default: Any = None) -> Any:
        return self[name]

    def __contains__(self, name: object) -> bool:
        raise TypeError("it asks which names there are")


def formula_of(metric: Any, measured: Measured, what: str) -> str:
    """The formula of a function or a text. @throws InputError"""
    try:
        return _of_function(metric, measured) if callable(metric) else _of_text(metric, measured)
    except Exception as error:
        refuse(f"{what} has no formula: {' '.join(str(error).split())}")


def _of_function(function: Callable[[Measured], Any], measured: Measured) -> str:
    found = function(measured)
    if isinstance(found, str):
        raise TypeError("it gives a text")
    return text_of(found)


def _of_text(text: str, measured: Measured) -> str:
    if not isinstance(text, str):
        raise TypeError(f"it is a {type(text).__name__}, not a text or a function")
    # Kernel Tuner replaces words too: not all of them are identifiers.
    words = re.split(r"(\w+)", text.strip())
    replaced = "".join(text_of(measured[word]) if word.isidentifier() and not keyword.iskeyword(word) and word not in FUNCTIONS
                       else word for word in words)
    try:
        nodes = list(ast.walk(ast.parse(replaced, mode="eval")))
    except SyntaxError as error:
        raise TypeError(f"'{text}': {error.msg}") from None
    if not all(isinstance(node, NODES) for node in nodes):
        raise TypeError(f"'{text}' has more than {_CONSTRUCTS}")
    return replaced


def formulas_of(metrics: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """What is known, and each metric, which may use those before it, as a Symbol, or Unknown."""
    def other(name: Any) -> Any:
        raise TypeError(f"it reads {name!r}, which no formula has")

    found = dict(known)
    for name, metric in metrics.items():
        try:
            found[name] = Symbol("(" + formula_of(metric, Measured(found, other), f"metrics['{name}']") + ")")
        except InputError as error:
            found[name] = Unknown(str(error))
    return found


def metrics_of(metrics: Any, more: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The setting "metrics" as the library takes it: of {name: function, formula or fields}, or of a list of fields."""
    if isinstance(metrics, dict):
        metrics = [{"Name": name, **(one if isinstance(one, dict) else {"Formula": one})} for name, one in metrics.items()]
    listed = [*metrics, *more]
    if not all(isinstance(one, dict) for one in listed):
        refuse('metrics: {"name": a function or a formula} is expected, or a list of {"Name", "Formula", "Unit", "Better"}')
    return [_with_formula(one) for one in listed]


def _named(name: Any) -> Symbol:
    """The library knows which names there are."""
    if not isinstance(name, str) or not name.isidentifier():
        raise TypeError(f"it reads {name!r}, which is no name")
    return Symbol(name)


def _with_formula(metric: dict[str, Any]) -> dict[str, Any]:
    if not callable(metric.get("Formula")):
        return metric
    return {**metric, "Formula": formula_of(metric["Formula"], Measured({}, _named), f"metrics['{metric.get('Name')}']")}
