# SPDX-License-Identifier: Apache-2.0
"""Kernel Tuner's arguments and expected answer as those of a Gridsmith definition."""
from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy

from gridsmith._expression import refuse

MOST_FILE_BYTES = 2**30  # of a file that a definition may name (docs/definition.md, Inputs)

# NumPy's type: the definition's, and the type of the numbers in it where an element has several.
TYPES = {
    "bool": ("uint8", "u1"), "int8": ("int8", "i1"), "uint8": ("uint8", "u1"), "int16": ("int16", "<i2"),
    "uint16": ("uint16", "<u2"), "int32": ("int32", "<i4"), "uint32": ("uint32", "<u4"), "int64": ("int64", "<i8"),
    "uint64": ("uint64", "<u8"), "float16": ("half", "<f2"), "float32": ("float", "<f4"), "float64": ("double", "<f8"),
    "complex64": ("float2", "<f4"), "complex128": ("double2", "<f8"),
}


@dataclass
class Parameter:
    """One parameter of the kernel's signature."""

    name: str
    pointer: bool
    constant: bool  # what it points to


@dataclass
class Arguments:
    """The arguments of a definition, and the files that they need."""

    listed: list[dict] = field(default_factory=list)
    inputs: dict[str, dict] = field(default_factory=dict)
    reference: dict = field(default_factory=dict)
    files: dict[str, Any] = field(default_factory=dict)  # arrays (.npy) or bytes by name


def on_host(value: Any, what: str = "an argument") -> Any:
    """An array of CuPy or PyTorch as NumPy's; anything else as it is."""
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return value
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        if "bfloat16" in str(value.dtype):
            refuse(f"{what} is a tensor of bfloat16, which no argument of a definition can be")
        return value.numpy()
    return value.get() if hasattr(value, "__cuda_array_interface__") and hasattr(value, "get") else value


def _without_comments(source: str) -> str:
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", source, flags=re.S)


def _split(text: str) -> list[str]:
    """At commas outside of brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "(<[{") - (letter in ")>]}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip() not in ("", "void")]


def _parameter(text: str) -> Parameter:
    text = text.split("=")[0]
    name = re.findall(r"[A-Za-z_]\w*", re.sub(r"\[[^]]*\]", "", text))[-1]
    before = re.split(r"[*\[]", text)[0]
    return Parameter(name, "*" in text or "[" in text, bool(re.search(r"\bconst\b", before)))


def signature_of(source: str, kernel_name: str, count: int) -> list[Parameter] | None:
    """The kernel's parameters, where the source has a __global__ function of this name with so many."""
    text = _without_comments(source)
    name = kernel_name.split("<")[0].split("::")[-1].strip()
    for match in re.finditer(rf"\b{re.escape(name)}\s*\(", text):
        before = re.split(r"[;}]", text[:match.start()])[-1]
        if "__global__" not in before:
            continue
        depth, end = 1, match.end()
        while depth and end < len(text):
            depth += (text[end] == "(") - (text[end] == ")")
            end += 1
        parts = _split(text[match.end():end - 1])
        if len(parts) == count:
            return [_parameter(part) for part in parts]
    return None


def kind_of(array: Any, what: str) -> tuple[str, str]:
    kind = TYPES.get(array.dtype.name)
    if kind is None:
        refuse(f"{what} has the type {array.dtype}; possible are {', '.join(TYPES)}")
    return kind


def elements_of(array: Any, what: str) -> Any:
    """The elements in the order of memory, little-endian, as numbers: those of a copy if it has gaps."""
    if array.size == 0:
        refuse(f"{what} has no elements")
    contiguous = array.flags.c_contiguous or array.flags.f_contiguous
    flat = array.ravel(order="K") if contiguous else numpy.ascontiguousarray(array).ravel()
    if array.dtype == bool:
        return flat.view("u1")
    flat = flat.astype(array.dtype.newbyteorder("<"), copy=False)
    return flat.view(kind_of(array, what)[1])


def scalar_of(name: str, value: Any, what: str) -> dict:
    if isinstance(value, numpy.complexfloating):
        refuse(f"{what} is a complex number by value, which no scalar of a definition can be")
    if isinstance(value, numpy.floating) and not numpy.isfinite(value):
        refuse(f"{what} is {value}; a scalar must be finite")
    kind = kind_of(value, what)[0]
    number = int(value) if isinstance(value, numpy.bool_) else value.item()
    return {"Name": name, "Type": kind, "MemoryType": "Scalar", "FillValue": number}


class Vectors:
    """Writes arrays into a definition: each array once, however many arguments it is."""

    def __init__(self, arguments: Arguments, with_data: bool) -> None:
        self.arguments = arguments
        self.with_data = with_data
        self.written: dict[int, tuple[Any, str]] = {}  # by id, with the array, so that no other gets its id

    def add(self, name: str, array: Any, what: str, more: dict, exact: bool) -> None:
        """@param exact whether these very elements matter, because there is an answer"""
        entry = {"Name": name, "Type": kind_of(array, what)[0], "MemoryType": "Vector", "Size": int(array.size), **more}
        self.arguments.listed.append(entry)
        if not self.with_data:
            return
        flat = elements_of(array, what)
        first = flat[0].item()
        if numpy.isfinite(first) and (flat == first).all() and not numpy.signbit(first):
            entry.update(FillType="Constant", FillValue=first)
        elif array.nbytes > MOST_FILE_BYTES:
            self.arguments.inputs[name] = self._random(flat, what, array.nbytes, exact)
        else:
            self.arguments.inputs[name] = {"File": self._file(array, flat, name)}

    def _file(self, array: Any, flat: Any, name: str) -> str:
        if id(array) not in self.written:
            raw = array.dtype.kind == "c"  # an element of several numbers has no type of .npy
            file = f"{name}.bin" if raw else f"{name}.npy"
            self.arguments.files[file] = flat.tobytes() if raw else flat
            self.written[id(array)] = (array, file)
        return self.written[id(array)][1]

    def _random(self, flat: Any, what: str, size: int, exact: bool) -> dict:
        if exact:
            refuse(f"{what} has {size / 2**20:.0f} MiB; with an answer its elements must fit in a file of "
                   f"{MOST_FILE_BYTES / 2**20:.0f} MiB: take a smaller problem, or give no answer")
        warnings.warn(f"{what} has {size / 2**20:.0f} MiB, more than a file may have "
                      f"({MOST_FILE_BYTES / 2**20:.0f} MiB): it is filled with random numbers between its smallest and "
                      "its largest element instead")
        least, most = flat.min().item(), flat.max().item()
        return {"Fill": "uniform", "From": least, "To": most}


def _named(parameters: list[Parameter] | None, count: int, taken: set[str]) -> list[str]:
    names: list[str] = []
    for i in range(count):
        name = parameters[i].name if parameters else f"argument_{i}"
        names.append(f"argument_{i}" if name in taken or name in names else name)
    return names


def _answers(arguments: list, answer: Any, verify: Any) -> list:
    """The expected elements for each argument, None for those that are not compared."""
    if verify is not None and answer is None:
        refuse("verify= needs answer=, the expected content of each argument that is an output, else None")
    if answer is None:
        return [None] * len(arguments)
    if len(answer) != len(arguments):
        refuse(f"answer has {len(answer)} entries and arguments has {len(arguments)}; answer needs one for each, None "
               "for an input")
    if verify is not None:
        warnings.warn("verify= is not used: all elements are compared with answer, within atol + 1e-5 * |expected|")
    return [_expected(argument, expected, f"answer[{i}]", verify)
            for i, (argument, expected) in enumerate(zip(arguments, answer))]


def _expected(argument: Any, expected: Any, what: str, verify: Any) -> Any:
    if expected is None or not isinstance(argument, numpy.ndarray):
        return None  # a scalar passed by value is no output
    found = numpy.asarray(on_host(expected))
    if found.size != argument.size:
        if verify is None:
            refuse(f"{what} has {found.size} elements and the argument has {argument.size}")
        warnings.warn(f"{what} has {found.size} elements and the argument has {argument.size}: nothing is verified")
        return None
    # Memory is compared: the answer gets the layout of its argument.
    order = "F" if argument.flags.f_contiguous and not argument.flags.c_contiguous else "C"
    return numpy.asarray(found.reshape(argument.shape, order="A"), dtype=argument.dtype, order=order)


def warn_of_rounding(arguments: list, answer: Any) -> None:
    """Results are compared in the argument's type: what an answer loses by that is not measured."""
    for i, (argument, expected) in enumerate(zip(arguments, answer or [])):
        argument, expected = on_host(argument), on_host(expected)
        if expected is None or not isinstance(argument, numpy.ndarray):
            continue
        exact = numpy.asarray(expected, dtype=numpy.promote_types(numpy.asarray(expected).dtype, "f8"))
        lost = numpy.abs(exact - exact.astype(argument.dtype))
        if lost.any():
            warnings.warn(f"answer[{i}] is rounded to {argument.dtype} before results are compared with it, by at most "
                          f"{lost.max():.2g} (RMS {numpy.sqrt(numpy.mean(lost ** 2)):.2g}): AccuracyObserver does not see that part")


def _reference(arguments: Arguments, outputs: list[tuple[str, Any]], atol: float) -> None:
    """One output as .npy, several one after the other."""
    flats = [elements_of(expected, f"answer of {name}") for name, expected in outputs]
    size = sum(flat.nbytes for flat in flats)
    if size > MOST_FILE_BYTES:
        refuse(f"answer has {size / 2**20:.0f} MiB; at most {MOST_FILE_BYTES / 2**20:.0f} MiB can be compared")
    single = len(flats) == 1 and outputs[0][1].dtype.kind != "c"
    file = "expected.npy" if single else "expected.bin"
    arguments.files[file] = flats[0] if single else b"".join(flat.tobytes() for flat in flats)
    # numpy.allclose, with which Kernel Tuner compares, allows 1e-5 of the element in addition to atol.
    arguments.reference = {"File": file, "AbsoluteTolerance": float(atol), "RelativeTolerance": 1e-5}


def arguments_of(given: Any, constants: dict | None, source: str, kernel_name: str, taken: set[str], answer: Any = None,
                 atol: float = 1e-6, verify: Any = None, with_data: bool = True) -> Arguments:
    """The arguments in the kernel's order, then those that are copied into __constant__ variables."""
    if not isinstance(given, (list, tuple)):
        refuse(f"arguments is a {type(given).__name__}; it must be the list of the kernel's arguments, in their order")
    values = [on_host(value, f"arguments[{i}]") for i, value in enumerate(given)]
    parameters = signature_of(source, kernel_name, len(values))
    names = _named(parameters, len(values), taken | set(constants or {}))
    expected = _answers(values, answer, verify)
    result = Arguments()
    vectors = Vectors(result, with_data)
    some = any(each is not None for each in expected)
    for i, (name, value) in enumerate(zip(names, values)):
        what = f"arguments[{i}] ({name})"
        if isinstance(value, numpy.generic):
            result.listed.append(scalar_of(name, value, what))
        elif isinstance(value, numpy.ndarray):
            read_only = bool(parameters and parameters[i].constant) and expected[i] is None
            output = expected[i] is not None if some else not read_only
            more: dict = {"AccessType": "ReadOnly" if read_only else "ReadWrite"}
            if output:
                more["Output"] = 1
            vectors.add(name, value, what, more, some)
        else:
            _refuse_value(value, what)
    for name, value in (constants or {}).items():
        value = numpy.atleast_1d(on_host(value))
        vectors.add(name, value, f"cmem_args['{name}']", {"MemType": "Constant"}, some)
    if some and with_data:
        _reference(result, [(name, each) for name, each in zip(names, expected) if each is not None], atol)
    return result


def _refuse_value(value: Any, what: str) -> None:
    refuse(f"{what} is a {type(value).__name__}; it can be a numpy array, a numpy scalar such as numpy.int32(5), or an "
           "array of CuPy or PyTorch")
