# SPDX-License-Identifier: Apache-2.0
"""Kernels that were compiled by others: Triton, CuTe, Numba, nvcc. They are measured as configurations are."""

from __future__ import annotations

import json
import os

from gridsmith._library import TYPE_CHECKING, Error, InputError, path, shown
from gridsmith._session import Session, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from typing_extensions import Unpack

    from gridsmith._answer import Answer
    from gridsmith._settings import MeasureSettings


class Binary:
    """A cubin or PTX, and how it is launched: grid in blocks, block in threads, dynamic shared memory in bytes.

    code is the bytes, the text of PTX, or a file's name; name may be left out where the code has one kernel.
    """

    def __init__(self, code: bytes | str | os.PathLike[str], grid: Any, block: Any, shared: int = 0, name: str = "") -> None:
        if isinstance(code, str) and ".version" in code:
            code = code.encode()
        elif not isinstance(code, (bytes, bytearray, memoryview)):
            code = _bytes_of(path(code, "code"))
        if bytes(code[:4]) != b"\x7fELF" and not (b".version" in bytes(code) and b".target" in bytes(code)):
            raise InputError("code: these bytes are neither a cubin nor PTX")
        if not isinstance(name, str):
            raise InputError(f"name: the name of a kernel is expected, not {shown(name)}")
        self.code, self.name = bytes(code), name
        self.grid, self.block = _three(grid, "grid"), _three(block, "block")
        bytes_ = whole(shared)
        if bytes_ is None or len(bytes_) != 1 or bytes_[0] < 0:
            raise InputError(f"shared: a number of bytes of at least 0 is expected, not {shown(shared)}")
        self.shared = bytes_[0]


def _bytes_of(file: str) -> bytes:
    try:
        with open(file, "rb") as opened:
            return opened.read()
    except (OSError, ValueError) as error:
        raise InputError(f"code: {shown(file)}: {getattr(error, 'strerror', None) or error}") from None


def _three(extents: Any, what: str) -> list[int]:
    listed = whole(extents)
    if listed is None or len(listed) > 3 or min(listed) < 1:
        raise InputError(f"{what}: 1 to 3 numbers of at least 1 are expected, not {shown(extents)}")
    return listed + [1] * (3 - len(listed))


def _by_binary(values: Sequence[int]) -> str:
    """An expression of the parameter that chooses."""
    text = str(values[-1])
    if len(set(values)) > 1:
        for number in reversed(range(len(values) - 1)):
            text = f"{values[number]} if BINARY == {number} else ({text})"
    return text


def _written(arrays: list[int], outputs: Any) -> list[int]:
    """The places of the arguments that the kernel writes."""
    if outputs is None:
        return arrays
    found = []
    for one in outputs if hasattr(outputs, "__iter__") else [outputs]:
        found.append(whole(one))
        if found[-1] not in [[number] for number in arrays]:
            places = ", ".join(map(str, arrays)) or "none, as there is no array"
            raise InputError(f"outputs: {shown(one)} is no place of an array in args (valid: {places})")
    return [one[0] for one in found]


def _arguments(args: Sequence[Any], outputs: Sequence[int] | None, folder: str) -> tuple[list[dict], dict]:
    """T1's arguments, and the files of their elements."""
    import numpy

    from gridsmith._kernel_tuner_arguments import elements_of, kind_of, on_host, scalar_of

    if not isinstance(args, (list, tuple)):
        raise InputError(f"args is a {type(args).__name__}: the list of the kernel's arguments is expected, in their order")
    values = [on_host(value, f"args[{number}]") for number, value in enumerate(args)]
    written = _written([number for number, value in enumerate(values) if isinstance(value, numpy.ndarray)], outputs)
    listed, inputs = [], {}
    for number, value in enumerate(values):
        name, what = f"argument_{number}", f"args[{number}]"
        if isinstance(value, numpy.ndarray):
            elements = elements_of(numpy.ascontiguousarray(value), what)
            raw = elements.size != value.size  # an element of several numbers has no type of .npy
            file = name + (".bin" if raw else ".npy")
            if raw:
                elements.tofile(os.path.join(folder, file))
            else:
                numpy.save(os.path.join(folder, file), elements)
            listed.append({"Name": name, "Type": kind_of(value, what)[0], "MemoryType": "Vector", "Size": value.size,
                           **({"AccessType": "ReadWrite", "Output": 1} if number in written else {"AccessType": "ReadOnly"})})
            inputs[name] = {"File": file}
        elif isinstance(value, numpy.generic):
            listed.append(scalar_of(name, value, what))
        elif value is None:
            listed.append({"Name": name, "Type": "uint64", "MemoryType": "Scalar", "FillValue": 0})
        else:
            raise InputError(f"{what} is a {type(value).__name__}: an array, a number of numpy such as "
                             "numpy.int32(5), or None for a null pointer is expected")
    return listed, inputs


def _run(binaries: Sequence[Binary], args: Sequence[Any], outputs: Sequence[int] | None, note: Any, settings: MeasureSettings) -> Answer:
    import tempfile

    for number, one in enumerate(binaries):
        if not isinstance(one, Binary):
            what = f"binaries[{number}]" if len(binaries) > 1 else "binary"
            raise InputError(f"{what}: gridsmith.Binary(code, grid, block) is expected, not {shown(one)}")
    with tempfile.TemporaryDirectory(prefix="gridsmith_") as folder:
        for number, one in enumerate(binaries):
            with open(os.path.join(folder, f"{number}.code"), "wb") as file:
                file.write(one.code)
        listed, inputs = _arguments(args, outputs, folder)
        axes = [dict(zip("XYZ", (_by_binary([getattr(one, of)[axis] for one in binaries]) for axis in range(3))))
                for of in ("block", "grid")]
        definition = {
            "ConfigurationSpace": {"TuningParameters": [
                {"Name": "BINARY", "Type": "int", "Values": list(range(len(binaries))), "Default": 0}]},
            "KernelSpecification": {
                "Language": "CUDA", "KernelName": binaries[0].name or "kernel", "KernelFile": "0.code", "ProblemSize": [1],
                "LocalSize": axes[0], "GlobalSize": axes[1], "SharedMemory": _by_binary([one.shared for one in binaries]),
                "Arguments": listed},
            "Gridsmith": {"Compiler": "none", "Inputs": inputs}}
        if len(binaries) > 1:
            definition["Gridsmith"]["Sources"] = [f"{number}.code" for number in range(1, len(binaries))]
        file = os.path.join(folder, "binary.json")
        with open(file, "w", encoding="utf-8") as to:
            json.dump(definition, to)
        answer = Session(file, strategy="exhaustive", **settings).run(note)[0]
    if answer.best is None:
        reasons = [one["reason"] for one in answer.json["failures"]]
        raise Error(f"nothing could be measured: {reasons[0] if reasons else answer.shortfall}")
    return answer


def measure(binary: Binary, args: Sequence[Any], outputs: Sequence[int] | None = None,
            note: Callable[[str], object] | None = print, **settings: Unpack[MeasureSettings]) -> Answer:
    """Time with its interval, counters, and why: answer.time_ms, answer.ranking[0], answer.explain().

    args are arrays of numpy, CuPy or PyTorch, numbers of numpy, or None for a null pointer (Triton passes two at the
    end). outputs are the places of the arrays that the kernel writes; None: it may write all of them.
    """
    return _run([binary], args, outputs, note, settings)


def compare(binaries: Sequence[Binary], args: Sequence[Any], outputs: Sequence[int] | None = None,
            note: Callable[[str], object] | None = print, **settings: Unpack[MeasureSettings]) -> Answer:
    """Several that compute the same, on the same data, interleaved: answer.best["BINARY"] is the fastest's place, and
    answer.tied has those that cannot be distinguished from it. Results are compared with those of the first."""
    if not isinstance(binaries, (list, tuple)) or len(binaries) < 2:
        raise InputError("compare: a list of at least two binaries is expected")
    return _run(binaries, args, outputs, note, settings)
