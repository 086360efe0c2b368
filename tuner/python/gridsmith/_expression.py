# SPDX-License-Identifier: Apache-2.0
"""Texts and functions, most of them of Kernel Tuner's scripts, as expressions of a Gridsmith definition."""
from __future__ import annotations

import ast
import inspect
import itertools
import random
from typing import Any, Callable, Iterable, NoReturn

import gridsmith

MOST_COMBINATIONS = 10**6  # of a function that cannot be traced: about a second of Python
MOST_TEXT = 10**6  # characters of the expression made of a function
SAMPLES = 50  # combinations on which a traced expression is compared with its function

FUNCTIONS = {"min", "max", "abs", "ceil", "floor", "log2", "round", "int", "pow"}
NODES = (ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv,
         ast.Mod, ast.Pow, ast.UnaryOp, ast.Not, ast.USub, ast.UAdd, ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE,
         ast.Gt, ast.GtE, ast.In, ast.NotIn, ast.IfExp, ast.Call, ast.Name, ast.Load, ast.Constant, ast.Tuple,
         ast.List)


def refuse(message: str) -> NoReturn:
    """Bad input: one line that names what was wrong."""
    raise gridsmith.InputError(message)


def plain(value: Any) -> Any:
    """A NumPy scalar as Python's own; other values as they are."""
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value


class Symbol:
    """Stands for what a function reads while it is traced: arithmetic and comparisons become text."""

    __array_ufunc__ = None  # a NumPy scalar on the left leaves the operation to the symbol
    __hash__ = None

    def __init__(self, text: str) -> None:
        self.text = text

    def __bool__(self) -> bool:
        raise TypeError("a branch, min or max depends on what it reads")

    def _number(self) -> Any:
        raise TypeError(f"it calls a function of another module; expressions have {', '.join(sorted(FUNCTIONS))}")

    __float__ = __int__ = __index__ = _number

    def __round__(self, digits: int | None = None) -> "Symbol":
        if digits:
            raise TypeError("rounding to digits has no expression")
        return Symbol(f"round({self.text})")

    def __pow__(self, other: Any) -> "Symbol":
        return Symbol(f"({self.text} ** {text_of(other)})")

    def __rpow__(self, other: Any) -> "Symbol":
        return Symbol(f"({text_of(other)} ** {self.text})")


def _operation(sign: str) -> tuple[Callable, Callable]:
    def forward(self: Symbol, other: Any) -> Symbol:
        return Symbol(f"({self.text} {sign} {text_of(other)})")

    def reflected(self: Symbol, other: Any) -> Symbol:
        return Symbol(f"({text_of(other)} {sign} {self.text})")

    return forward, reflected


def _call(form: str) -> Callable:
    return lambda self: Symbol(form.format(self.text))


for _name, _sign in {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%"}.items():
    _forward, _reflected = _operation(_sign)
    setattr(Symbol, f"__{_name}__", _forward)
    setattr(Symbol, f"__r{_name}__", _reflected)
for _name, _sign in {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items():
    setattr(Symbol, f"__{_name}__", _operation(_sign)[0])
for _name, _form in {"neg": "(-{})", "pos": "{}", "abs": "abs({})", "ceil": "ceil({})", "floor": "floor({})",
                     "trunc": "int({})"}.items():
    setattr(Symbol, f"__{_name}__", _call(_form))


def text_of(value: Any) -> str:
    """A symbol, number, text or truth value as part of an expression; TypeError for anything else."""
    value = plain(value)
    if isinstance(value, Symbol):
        return value.text
    if isinstance(value, (bool, int, float, str)):
        return repr(value)
    raise TypeError(f"{type(value).__name__} has no expression")


class Configuration(dict):
    """The parameters of one configuration, as functions get them; remembers which were read."""

    def __init__(self, values: dict[str, Any]) -> None:
        super().__init__(values)
        self.read: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        value = super().__getitem__(name)
        self.read.add(name)
        return value

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default

    def _all(self) -> None:
        self.read.update(dict.keys(self))

    def __iter__(self) -> Any:
        self._all()
        return super().__iter__()

    def __repr__(self) -> str:
        self._all()
        return super().__repr__()

    def keys(self) -> Any:
        self._all()
        return super().keys()

    def values(self) -> Any:
        self._all()
        return super().values()

    def items(self) -> Any:
        self._all()
        return super().items()

    def copy(self) -> dict:
        return dict(self.items())


Caller = Callable[[Configuration], Any]


def by_signature(function: Callable, params: dict[str, list]) -> Caller:
    """How a restriction is called: with all parameters in a dict, or with those that its arguments name."""
    try:
        arguments = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return function
    named = [a.name for a in arguments if a.kind in (a.POSITIONAL_OR_KEYWORD, a.KEYWORD_ONLY)]
    kinds = {a.kind for a in arguments}
    if named and all(name in params for name in named) and inspect.Parameter.VAR_KEYWORD not in kinds:
        return lambda p: function(**{name: p[name] for name in named})
    if kinds == {inspect.Parameter.VAR_KEYWORD}:
        return lambda p: function(**p)
    return function


def tabulate(call: Caller, params: dict[str, list], what: str,
             most: int = MOST_COMBINATIONS) -> tuple[list[str], dict[tuple, Any]]:
    """Results of a function over the values of the parameters that it reads, found on the way."""
    read: set[str] = set()
    while True:
        names = [name for name in params if name in read]
        combinations = 1
        for name in names:
            combinations *= len(params[name])
        if combinations > most:
            refuse(f"{what} reads {', '.join(names)}, which have {combinations} combinations of values; at most {most} "
                   "are evaluated: write it as a text, or without 'and', 'or', 'if'")
        first = {name: values[0] for name, values in params.items()}
        table: dict[tuple, Any] = {}
        for values in itertools.product(*(params[name] for name in names)):
            configuration = Configuration({**first, **dict(zip(names, values))})
            table[values] = _called(call, configuration, params, what)
            read |= configuration.read & params.keys()
            if len(read) > len(names):
                break  # it reads another one for these values: once more, with the values of that
        else:
            return names, table


def _called(call: Caller, configuration: Configuration, params: dict[str, list], what: str) -> Any:
    try:
        return call(configuration)
    except KeyError as error:
        refuse(f"{what} reads {error}, which is no parameter; parameters are {', '.join(params)}")
    except ZeroDivisionError:
        return False  # as a constraint of Gridsmith: without a result it does not hold
    except Exception as error:
        shown = ", ".join(f"{name}={dict.__getitem__(configuration, name)}" for name in configuration.read)
        refuse(f"{what} fails ({shown}): {type(error).__name__}: {error}")


def _chosen(name: str, branches: list[tuple[str, list]]) -> str:
    """One branch by the parameter's value; halved, because expressions nest at most 200 deep."""
    if len(branches) == 1:
        return branches[0][0]
    half = len(branches) // 2
    listed = [text_of(value) for _, values in branches[:half] for value in values]
    held = f"{name} == {listed[0]}" if len(listed) == 1 else f"{name} in ({', '.join(listed)})"
    return f"({_chosen(name, branches[:half])} if {held} else {_chosen(name, branches[half:])})"


def tree(names: list[str], table: dict[tuple, Any], what: str) -> str:
    """A table as conditional expressions, one level for each parameter; equal branches are joined."""
    def level(depth: int, rows: list[tuple[tuple, Any]]) -> str:
        if len({repr(result) for _, result in rows}) == 1:
            return text_of(rows[0][1])
        by_value: dict[Any, list] = {}
        for values, result in rows:
            by_value.setdefault(values[depth], []).append((values, result))
        by_text: dict[str, list] = {}
        for value, part in by_value.items():
            by_text.setdefault(level(depth + 1, part), []).append(value)
        return _chosen(names[depth], list(by_text.items()))

    rows = [(values, plain(result)) for values, result in table.items()]
    try:
        text = level(0, rows)
    except TypeError as error:
        refuse(f"{what} gives no number: {error}")
    if len(text) > MOST_TEXT:
        refuse(f"{what} has no short expression over {', '.join(names)}: write it as a text")
    return text


def evaluated(text: str, configuration: dict[str, Any]) -> Any:
    """The value of an expression for one configuration, by Python."""
    import math

    functions = {"ceil": math.ceil, "floor": math.floor, "log2": math.log2}
    return eval(text, {**functions, **configuration})  # the script's own text, as Kernel Tuner evaluates it


def _samples(params: dict[str, list]) -> Iterable[dict[str, Any]]:
    """Some configurations, the same in every run."""
    chance = random.Random(1)
    for _ in range(SAMPLES):
        yield {name: chance.choice(values) for name, values in params.items()}


def _agrees(text: str, call: Caller, params: dict[str, list], part: int | None) -> bool:
    for configuration in _samples(params):
        try:
            found = call(Configuration(configuration))
            expected = plain(found if part is None else found[part])
        except ZeroDivisionError:
            continue
        if evaluated(text, configuration) != expected:
            return False
    return True


def traced(call: Caller, params: dict[str, list]) -> list[str] | str | None:
    """The expression of a function, or those of a tuple of results; None where it branches on a parameter."""
    try:
        result = call(Configuration({name: Symbol(name) for name in params}))
        if isinstance(result, (tuple, list)):
            texts = [text_of(part) for part in result]
            return texts if all(_agrees(t, call, params, i) for i, t in enumerate(texts)) else None
        text = text_of(result)
        return text if _agrees(text, call, params, None) else None
    except Exception:  # whatever a symbol cannot do, the values themselves can
        return None


def of_function(call: Caller, params: dict[str, list], what: str) -> list[str] | str:
    """The expression of a function of the parameters; a list of them where it gives a tuple."""
    found = traced(call, params)
    if found is not None:
        return found
    names, table = tabulate(call, params, what)
    lengths = {len(result) if isinstance(result, (tuple, list)) else 0 for result in table.values()}
    if len(lengths) > 1:
        refuse(f"{what} gives {' or '.join(str(n or 1) for n in sorted(lengths))} numbers; it must always give as many")
    length = lengths.pop()
    if length == 0:
        return tree(names, table, what)
    return [tree(names, {values: result[i] for values, result in table.items()}, what) for i in range(length)]


def of_text(text: str, params: dict[str, list], what: str) -> str:
    """A text as an expression: as it is, or, where it has more of Python than expressions, tabulated."""
    try:
        parsed = ast.parse(text.strip(), mode="eval")
    except SyntaxError as error:
        refuse(f"{what}: '{text}' is no expression: {error.msg}")
    names = {node.id for node in ast.walk(parsed) if isinstance(node, ast.Name)}
    called = {node.func.id for node in ast.walk(parsed) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    simple = all(isinstance(node, NODES) for node in ast.walk(parsed)) and called <= FUNCTIONS
    if simple and names - called <= params.keys():
        return " ".join(text.split())
    code = compile(parsed, what, "eval")
    unknown = names - called - params.keys() - {"math", "numpy", "np"}
    if unknown:
        refuse(f"{what}: '{text}' names {', '.join(sorted(unknown))}, which is no parameter; parameters are "
               f"{', '.join(params)}")
    return _text_of_code(code, names, params, what)


def _text_of_code(code: Any, names: set[str], params: dict[str, list], what: str) -> str:
    import math

    import numpy

    known = {"math": math, "numpy": numpy, "np": numpy, "ceil": math.ceil, "floor": math.floor, "log2": math.log2}
    wanted = [name for name in params if name in names]
    found = of_function(lambda p: eval(code, dict(known), {name: p[name] for name in wanted}), params, what)
    if isinstance(found, list):
        refuse(f"{what} gives several numbers where one is meant")
    return found


def of_any(value: Any, params: dict[str, list], what: str) -> str | int | float:
    """A number, a text or a function of the parameters as an expression."""
    value = plain(value)
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, str):
        return of_text(value, params, what)
    if not callable(value):
        refuse(f"{what} is a {type(value).__name__}; it can be a number, a text or a function of the parameters")
    found = of_function(value, params, what)
    if isinstance(found, list):
        refuse(f"{what} gives several numbers where one is meant")
    return found


def restrictions_of(restrictions: Any, params: dict[str, list]) -> list[str]:
    """Each restriction as an expression that must hold."""
    if restrictions is None:
        return []
    listed = restrictions if isinstance(restrictions, list) else [restrictions]
    return [_restriction(each, params, f"restrictions[{i}]") for i, each in enumerate(listed)]


def _restriction(restriction: Any, params: dict[str, list], what: str) -> str:
    if isinstance(restriction, str):
        return of_text(restriction, params, what)
    if isinstance(restriction, tuple) and len(restriction) in (2, 3) and callable(restriction[0]):
        restriction, names = restriction[:2]
        return _one(of_function(lambda p: restriction(**{name: p[name] for name in names}), params, what), what)
    if any(base.__name__ == "Constraint" for base in type(restriction).__mro__):
        refuse(f"{what} is an object {type(restriction).__name__} of python-constraint, which is not read; write it as a "
               "text such as 'block_size_x * block_size_y <= 1024', or as a function")
    if callable(restriction):
        return _one(of_function(by_signature(restriction, params), params, what), what)
    refuse(f"{what} is a {type(restriction).__name__}; it can be a text or a function of the parameters")


def _one(found: list[str] | str, what: str) -> str:
    if isinstance(found, list):
        refuse(f"{what} gives several values where one truth value is meant")
    return str(found)
