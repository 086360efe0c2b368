# SPDX-License-Identifier: Apache-2.0
"""Kernels that were compiled by others: Triton, CuTe, Numba, nvcc. They are measured as configurations are."""

from __future__ import annotations

import json
import os

from gridsmith._library import TYPE_CHECKING, Error, InputError
from gridsmith._session import Session

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
            with open(code, "rb") as file:
                code = file.read()
        if bytes(code[:4]) != b"\x7fELF" and not (b".version" in bytes(code) and b".target" in bytes(code)):
            raise InputError("code: these bytes are neither a cubin nor PTX")
        self.code, self.name, self.shared = bytes(code), name, int(shared)
        self.grid, self.block = _three(grid, "grid"), _three(block, "block")


def _three(extents: Any, what: str) -> list[int]:
    listed = [int(one) for one in (extents if isinstance(extents, (list, tuple)) else [extents])]
    if not 1 <= len(listed) <= 3 or min(listed) < 1:
        raise InputError(f"{what}: 1 to 3 numbers of at least 1 are expected, not {extents!r}")
    return listed + [1] * (3 - len(listed))


def _by_binary(values: Sequence[int]) -> str:
    """An expression of the parameter that chooses."""
    text = str(values[-1])
    if len(set(values)) > 1:
        for number in reversed(range(len(values) - 1)):
            text = f"{values[number]} if BINARY == {number} else ({text})"
    return text


def _arguments(args: Sequence[Any], outputs: Sequence[int] | None, folder: str) -> tuple[list[dict], dict]:
    """T1's arguments, and the files of their elements."""
    import numpy

    listed, inputs = [], {}
    for number, value in enumerate(args):
        name = f"argument_{number}"
        if hasattr(value, "detach"):  # PyTorch
            value = value.detach().cpu().numpy()
        elif hasattr(value, "get") and hasattr(value, "__cuda_array_interface__"):  # CuPy
            value = value.get()
        if isinstance(value, numpy.ndarray):
            file = f"{name}.npy"
            numpy.save(os.path.join(folder, file), numpy.ascontiguousarray(value).ravel())
            written = outputs is None or number in outputs
            listed.append({"Name": name, "Type": value.dtype.name, "MemoryType": "Vector", "Size": value.size,
                           "AccessType": "ReadWrite" if written else "ReadOnly", **({"Output": 1} if written else {})})
            inputs[name] = {"File": file}
        elif isinstance(value, numpy.generic):
            listed.append({"Name": name, "Type": value.dtype.name, "MemoryType": "Scalar", "FillValue": value.item()})
        elif value is None:
            listed.append({"Name": name, "Type": "uint64", "MemoryType": "Scalar", "FillValue": 0})
        else:
            raise InputError(f"args[{number}] is a {type(value).__name__}: an array, a number of numpy such as "
                             "numpy.int32(5), or None for a null pointer is expected")
    return listed, inputs


def _run(binaries: Sequence[Binary], args: Sequence[Any], outputs: Sequence[int] | None, note: Any, settings: MeasureSettings) -> Answer:
    import tempfile

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
    if len(binaries) < 2:
        raise InputError("compare: at least two are needed")
    return _run(binaries, args, outputs, note, settings)
