#!/usr/bin/env python3
"""Random expressions with Python's own results: make.py COUNT SEED | gzip -9n > expressions.txt.gz

First the parameters, a line each: `name = values`. Then `expression|value|truths`: the value for the first
value of every parameter that the expression reads, and the truth for all combinations of their values, the last
one changing fastest. An integer that 64 bits do not hold is `big`; z: division by zero or undefined; L: an integer of
more than 4096 bits, or Python's OverflowError.
"""
import ast
import builtins
import itertools
import math
import random
import sys

PARAMETERS = {
    "a": [1, 2, 7, 12], "b": [-3, 0, 5], "c": [1 << 31, (1 << 62) + 1, -(10**18)], "n": [0, 20, 40, 63, 64, 900],
    "d": [0.5, 2.5, -4.0], "m": [0, 5, 2.5], "h": [1e300, 1e-300, 3.0], "f": [True, False], "s": ["row", "col", ""],
}
INTEGERS = [0, 1, 2, 3, 5, 10, 64, 1000, 4096, 10**9, (1 << 53) + 1, (1 << 62), (1 << 63) - 1, 1 << 63, (1 << 64) + 1,
            10**30, 3**200]
REALS = [0.5, 1.0, 2.5, 3.0, 0.1, 1e16, 1e308, 9007199254740992.0, 1.8446744073709552e19]
TEXTS = ["row", "col", "ro", "", "x"]


class TooLarge(Exception):
    pass


def wrap(value):
    if type(value) is int or isinstance(value, Whole):
        if abs(int(value)).bit_length() > 4096:
            raise TooLarge
        return Whole(value)
    return value


class Whole(int):
    """An integer whose arithmetic is refused beyond 4096 bits."""


def checked(name):
    plain = getattr(int, name)

    def method(self, *other):
        result = plain(self, *other)
        return result if result is NotImplemented else wrap(result)
    return method


for operator in ("add", "sub", "mul", "floordiv", "mod"):
    for side in ("__", "__r"):
        setattr(Whole, f"{side}{operator}__", checked(f"{side}{operator}__"))
Whole.__neg__ = checked("__neg__")
Whole.__pos__ = checked("__pos__")


def power(base, exponent):
    if isinstance(base, int) and isinstance(exponent, int) and exponent >= 0:
        if abs(base) > 1 and (abs(int(base)).bit_length() - 1) * exponent > 4096:
            raise TooLarge
        return wrap(int(base) ** int(exponent))
    base = int(base) if isinstance(base, int) else base
    exponent = int(exponent) if isinstance(exponent, int) else exponent
    if 0 > float(base) > -math.inf and math.isfinite(exponent) and float(exponent) % 1 != 0:
        raise ValueError  # a complex number
    return base ** exponent


class Rewrite(ast.NodeTransformer):
    def visit_Constant(self, node):
        if type(node.value) is int:
            return ast.Call(ast.Name("wrap", ast.Load()), [node], [])
        return node

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, ast.Pow):
            return ast.Call(ast.Name("power", ast.Load()), [node.left, node.right], [])
        return node


FUNCTIONS = {"wrap": wrap, "power": power, "__builtins__": {}, "min": min, "max": max,
             "abs": lambda x: wrap(abs(x)), "round": lambda x: wrap(round(x)), "int": lambda x: wrap(builtins.int(x)),
             "ceil": lambda x: wrap(math.ceil(x)), "floor": lambda x: wrap(math.floor(x)),
             "log2": lambda x: math.log2(builtins.int(x) if isinstance(x, builtins.int) else x)}


def number(r, depth):
    kind = r.random()
    if depth == 0 or kind < 0.12:
        kind = r.random()
        if kind < 0.6:
            return r.choice("aabbccnnddmmhf")
        if kind < 0.9:
            whole = r.choice(INTEGERS)
            return hex(whole) if r.random() < 0.1 else str(whole)
        return repr(r.choice(REALS))
    if kind < 0.72:
        op = r.choice(["+", "+", "-", "-", "*", "*", "*", "/", "//", "%", "**"])
        left, right = number(r, depth - 1), number(r, depth - 1)
        if op == "**" and r.random() < 0.7:
            right = r.choice(["2", "3", "n", "n", "b", "0.5", "a"])
        return f"{wrapped(r, left)} {op} {wrapped(r, right)}"
    if kind < 0.78:
        return "-" + wrapped(r, number(r, depth - 1), True)
    if kind < 0.86:
        return f"{r.choice(['min', 'max'])}({', '.join(number(r, depth - 1) for _ in range(r.randint(2, 3)))})"
    if kind < 0.95:
        return f"{r.choice(['abs', 'ceil', 'floor', 'round', 'int', 'log2'])}({number(r, depth - 1)})"
    return f"({number(r, depth - 1)} if {truth(r, depth - 1)} else {number(r, depth - 1)})"


def wrapped(r, text, always=False):
    return f"({text})" if always or (" " in text and r.random() < 0.85) else text


def truth(r, depth):
    kind = r.random()
    if depth > 0 and kind < 0.2:
        word = r.choice([" and ", " or "])
        return word.join(f"({truth(r, depth - 1)})" for _ in range(r.randint(2, 3)))
    if depth > 0 and kind < 0.27:
        return f"not ({truth(r, depth - 1)})"
    if kind < 0.32:
        return f"s {r.choice(['==', '!=', '<', '>='])} '{r.choice(TEXTS)}'"
    if kind < 0.36:
        return f"s in [{', '.join(repr(t) for t in r.sample(TEXTS, 2))}]"
    if kind < 0.46:
        items = ", ".join(number(r, max(depth - 2, 0)) for _ in range(r.randint(1, 4)))
        return f"{wrapped(r, number(r, depth), True)} {r.choice(['in', 'not in'])} [{items}]"
    if kind < 0.52:
        return number(r, depth)
    links = [wrapped(r, number(r, depth), True) for _ in range(r.choice([2, 2, 2, 3]))]
    text = links[0]
    for link in links[1:]:
        text += f" {r.choice(['<', '<=', '>', '>=', '==', '!='])} {link}"
    return text


def result(code, names, values):
    scope = dict(FUNCTIONS, **{name: wrap(value) for name, value in zip(names, values)})
    try:
        return eval(code, scope)
    except (TooLarge, OverflowError):
        return "L"
    except (ZeroDivisionError, ValueError):
        return "z"


def shown(value):
    if isinstance(value, (bool, float, str)):
        return value if isinstance(value, str) and value in "zL" else repr(value)
    return str(int(value)) if -(1 << 63) <= value < 1 << 63 else "big"


def line(text):
    tree = ast.parse(text, mode="eval")
    names = [n for n in PARAMETERS if any(isinstance(x, ast.Name) and x.id == n for x in ast.walk(tree))]
    code = compile(ast.fix_missing_locations(Rewrite().visit(tree)), "expression", "eval")
    results = [result(code, names, values) for values in itertools.product(*(PARAMETERS[n] for n in names))]
    if len(results) > 60 or any(isinstance(x, str) and x not in ("z", "L") for x in results):
        return None
    truths = "".join(x if isinstance(x, str) else "1" if x else "0" for x in results)
    return f"{text}|{shown(results[0])}|{truths}"


def main():
    r = random.Random(int(sys.argv[2]))
    for name, values in PARAMETERS.items():
        print(f"{name} = [{', '.join(map(repr, values))}]")
    lines = set()
    while len(lines) < int(sys.argv[1]):
        text = truth(r, r.choice([1, 1, 2, 2, 3]))
        made = line(text) if len(text) < 120 else None
        if made and made not in lines:
            lines.add(made)
            print(made)


main()
