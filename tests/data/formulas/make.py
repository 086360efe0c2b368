#!/usr/bin/env python3
"""Random formulas with Python's own results: make.py COUNT SEED | gzip -9n > formulas.txt.gz

First the names, a line each: `name = value`, of a vector `name = [values]`. Then `formula|results`: what it gives for
i = 0 … 3, separated by blanks; z: nothing (a division by zero, an index outside, no terms, an integer of more than 64
bits, …). Python evaluates a twin of each formula whose integers are refused beyond 64 bits, whose vectors have no
negative indices, and where sum(l, n, t), min and max are loops. Formulas are left out where an integer that is not
exact in a double meets a real: there Python is more exact than a formula promises to be.
"""
import math
import random
import sys

NUMBERS = {"m": 3, "n": 5, "k": -2, "z": 0, "w": 1 << 40, "c": 0.75, "d": -2.5}
VECTORS = {"a": [3, 0, -7, 12, 5, 1, 64], "offsets": [0, 2, 2, 5, 7], "columns": [1, 3, 0, 2, 4, 1, 0],
           "x": [0.5, -1.25, 3.0, 1e-3, 1e10], "in": [2, 4, 4, 1]}
LOOPS = ["l0", "l1", "l2"]
EXACT = 1 << 53


class Nothing(Exception):
    pass


class LeftOut(Exception):
    pass


class Whole(int):
    """An integer of 64 bits; beside a real it has to be one itself."""

    def meet(self, other):
        if isinstance(other, float) and abs(int(self)) > EXACT:
            raise LeftOut


def whole(value):
    value = int(value)
    if not -(1 << 63) <= value < 1 << 63:
        raise Nothing
    return Whole(value)


def checked(name):
    plain = getattr(int, name)

    def method(self, other):
        self.meet(other)
        result = plain(self, other)
        return whole(result) if type(result) is int else result
    return method


for operator in ("add", "sub", "mul", "floordiv", "mod"):
    for side in ("__", "__r"):
        setattr(Whole, f"{side}{operator}__", checked(f"{side}{operator}__"))
for relation in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Whole, f"__{relation}__", checked(f"__{relation}__"))
Whole.__hash__ = int.__hash__
Whole.__neg__ = lambda self: whole(-int(self))


def real(value):
    if isinstance(value, int) and abs(int(value)) > EXACT:
        raise LeftOut
    return float(value)


def divide(a, b):
    return real(a) / real(b)


def power(a, b):
    if isinstance(a, int) and isinstance(b, int):
        if b < 0 or (abs(int(a)) > 1 and int(b) > 64):
            raise Nothing
        return whole(int(a) ** int(b)) if abs(int(a)) > 1 or int(b) < 64 else whole(int(a) ** (int(b) % 2 + 2))
    result = real(a) ** real(b)
    if isinstance(result, complex):
        raise Nothing
    return result


def element(vector, index):
    if not 0 <= index < len(vector):
        raise Nothing
    return whole(vector[index]) if isinstance(vector[index], int) else vector[index]


def fold(kind, count, term):
    values = [term(whole(l)) for l in range(count)]
    if kind != "sum":
        if not values:
            raise Nothing
        return (min if kind == "min" else max)(values)
    total = whole(0)
    for value in values:
        total = total + value
    return total


def wrapped(text):
    return f"({text})" if " " in text or text.startswith("-") else text


def rounded(function):
    return lambda value: value if isinstance(value, int) else whole(function(value))


TWINS = {"whole": whole, "real": real, "divide": divide, "power": power, "element": element, "fold": fold,
         "__builtins__": {}, "min": min, "max": max, "abs": lambda x: abs(x) if isinstance(x, float) else whole(abs(int(x))),
         "truth": lambda x: whole(bool(x)), "sqrt": lambda x: math.sqrt(real(x)), "exp": lambda x: math.exp(real(x)),
         "log2": lambda x: math.log2(real(x)), "ceil": rounded(math.ceil), "floor": rounded(math.floor),
         "round": rounded(round), "trunc": rounded(math.trunc), **{f"v_{name}": VECTORS[name] for name in VECTORS}}


class Maker:
    """Each method gives a formula, its twin for Python, and whether it is a real."""

    def __init__(self, r):
        self.r = r
        self.loops = []

    def leaf(self):
        kind = self.r.random()
        if kind < 0.25:
            return "i", "i", False
        if kind < 0.45 and self.loops:
            name = self.r.choice(self.loops)
            return name, name, False
        if kind < 0.7:
            name = self.r.choice(list(NUMBERS))
            return name, name, isinstance(NUMBERS[name], float)
        if kind < 0.9:
            value = self.r.choice([0, 1, 2, 3, 4, 7, 10, 256, 1 << 31, (1 << 62) + 1])
            return str(value), f"whole({value})", False
        value = self.r.choice([0.5, 1.0, 2.5, 1e-3, 1e16])
        return repr(value), repr(value), True

    def as_real(self, part):
        text, twin, is_real = part
        return twin if is_real else f"real({twin})"

    def alike(self, parts):
        is_real = any(part[2] for part in parts)
        return [self.as_real(part) if is_real else part[1] for part in parts], is_real

    def part(self, depth):
        if depth == 0 or self.r.random() < 0.1:
            return self.leaf()
        makers = [(self.arithmetic, 40), (self.read, 18), (self.over_range, 16), (self.choice, 7), (self.call, 10),
                  (self.truth, 7), (self.junction, 3), (self.negative, 3)]
        return self.r.choices([m for m, _ in makers], [w for _, w in makers])[0](depth - 1)

    def integer(self, depth):
        for _ in range(20):
            part = self.part(depth)
            if not part[2]:
                return part
        return "i", "i", False

    def arithmetic(self, depth):
        op = self.r.choice(["+", "+", "-", "-", "*", "*", "*", "/", "//", "%", "%", "**"])
        a, b = self.part(depth), self.part(depth)
        if op == "**" and self.r.random() < 0.7:
            b = self.r.choice([("2", "whole(2)", False), ("3", "whole(3)", False), ("0.5", "0.5", True)])
        text = f"{wrapped(a[0])} {op} {wrapped(b[0])}"
        is_real = a[2] or b[2] or op == "/"
        twins, _ = self.alike([a, b])
        if op == "/":
            return text, f"divide({a[1]}, {b[1]})", True
        if op == "**":
            return text, f"power({twins[0]}, {twins[1]})", is_real
        return text, f"(({twins[0]}) {op} ({twins[1]}))", is_real

    def read(self, depth):
        name = self.r.choice(list(VECTORS))
        text, twin, _ = self.integer(min(depth, 1))
        if self.r.random() < 0.6:
            length = len(VECTORS[name])
            text, twin = f"{wrapped(text)} % {length}", f"({twin}) % whole({length})"
        return f"{name}[{text}]", f"element(v_{name}, {twin})", isinstance(VECTORS[name][0], float)

    def over_range(self, depth):
        if len(self.loops) == len(LOOPS):
            return self.leaf()
        kind = self.r.choice(["sum", "sum", "min", "max"])
        count = self.r.choice([("m", "m", False), ("n", "n", False), ("4", "whole(4)", False), ("z", "z", False),
                               ("k", "k", False), ("i", "i", False),
                               ("offsets[i + 1] - offsets[i]",
                                "(element(v_offsets, i + whole(1)) - element(v_offsets, i))", False)])
        name = LOOPS[len(self.loops)]
        self.loops.append(name)
        term = self.part(depth)
        self.loops.pop()
        if kind != "sum" and name not in term[0]:  # then it is the function of three numbers
            term = f"{wrapped(term[0])} + {name}", f"{term[1]} + {name}", term[2]
        twin = f"fold('{kind}', {count[1]}, lambda {name}: {term[1]})"
        if kind == "sum" and term[2]:
            twin = f"real({twin})"
        return f"{kind}({name}, {count[0]}, {term[0]})", twin, term[2]

    def choice(self, depth):
        condition, a, b = self.part(depth), self.part(depth), self.part(depth)
        twins, is_real = self.alike([a, b])
        return (f"{wrapped(a[0])} if {wrapped(condition[0])} else {wrapped(b[0])}", f"({twins[0]} if {condition[1]} else {twins[1]})", is_real)

    def call(self, depth):
        name = self.r.choice(["min", "max", "abs", "ceil", "floor", "round", "int", "sqrt", "exp", "log2"])
        if name in ("min", "max"):
            parts = [self.part(depth) for _ in range(2)]
            twins, is_real = self.alike(parts)
            return f"{name}({parts[0][0]}, {parts[1][0]})", f"{name}({twins[0]}, {twins[1]})", is_real
        text, twin, is_real = self.part(depth)
        twin_name = "trunc" if name == "int" else name
        return f"{name}({text})", f"{twin_name}({twin})", name in ("sqrt", "exp", "log2") or name == "abs" and is_real

    def truth(self, depth):
        kind = self.r.random()
        parts = [self.part(depth) for _ in range(3 if kind < 0.2 else 2)]
        if kind < 0.2 or kind > 0.4:
            ops = [self.r.choice(["<", "<=", ">", ">=", "==", "!="]) for _ in parts[1:]]
            text, twin = wrapped(parts[0][0]), f"({parts[0][1]})"
            for op, part in zip(ops, parts[1:]):
                text += f" {op} {wrapped(part[0])}"
                twin += f" {op} ({part[1]})"
        elif kind < 0.3:
            word = self.r.choice(["in", "not in"])
            text = f"{wrapped(parts[0][0])} {word} [{parts[1][0]}, 1, 4]"
            twin = f"({parts[0][1]}) {word} [{parts[1][1]}, whole(1), whole(4)]"
        else:
            text, twin = f"not {wrapped(parts[0][0])}", f"not ({parts[0][1]})"
        return text, f"truth({twin})", False

    def junction(self, depth):
        word = self.r.choice(["and", "or"])
        a, b = self.part(depth), self.part(depth)
        twins, is_real = self.alike([a, b])
        return f"{wrapped(a[0])} {word} {wrapped(b[0])}", f"(({twins[0]}) {word} ({twins[1]}))", is_real

    def negative(self, depth):
        text, twin, is_real = self.part(depth)
        return f"-{wrapped(text)}", f"(-({twin}))", is_real


def result(code, index):
    names = {name: whole(value) if isinstance(value, int) else value for name, value in NUMBERS.items()}
    try:
        value = eval(code, dict(TWINS, i=whole(index), **names))
    except (Nothing, ZeroDivisionError, ValueError, OverflowError):
        return "z"
    return repr(value) if isinstance(value, float) else str(int(value))


def main():
    r = random.Random(int(sys.argv[2]))
    for name, value in {**NUMBERS, **VECTORS}.items():
        print(f"{name} = {value}")
    seen = set()
    while len(seen) < int(sys.argv[1]):
        text, twin, _ = Maker(r).part(r.choice([2, 3, 3, 4]))
        if len(text) > 150 or text in seen:
            continue
        try:
            results = [result(compile(twin, "formula", "eval"), index) for index in range(4)]
        except LeftOut:
            continue
        if results != ["z"] * 4:
            seen.add(text)
            print(f"{text}|{' '.join(results)}")


main()
