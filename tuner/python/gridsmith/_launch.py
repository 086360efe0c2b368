# SPDX-License-Identifier: Apache-2.0
"""A compiled configuration, launched through the CUDA driver on arrays of CuPy, PyTorch or numpy."""

from __future__ import annotations

import ctypes
import json
import os
import struct
from collections.abc import Sequence
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p
from typing import Any

from gridsmith._library import Error, InputError, NoDevice, Single, as_json, check, library, path, text
from gridsmith._session import devices, size_of

_FORMS = {  # type of an argument: how struct packs one, and its name in an array interface
    "float16": ("e", "f2"), "float32": ("f", "f4"), "float64": ("d", "f8"),
    "int8": ("b", "i1"), "uint8": ("B", "u1"), "int16": ("h", "i2"), "uint16": ("H", "u2"),
    "int32": ("i", "i4"), "uint32": ("I", "u4"), "int64": ("q", "i8"), "uint64": ("Q", "u8"),
}
_WHOLE = ("i", "u")
_MAX_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
_USUAL_SHARED = 48 * 1024  # bytes of a block without asking for more
_CLUSTER, _COOPERATIVE = 4, 2  # CU_LAUNCH_ATTRIBUTE_…
_DEVICE_ORDINAL = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
_NOT_INITIALIZED = 3  # CUDA_ERROR_NOT_INITIALIZED: also of cuInit, where the process was forked after it


class _Attribute(ctypes.Structure):  # CUlaunchAttribute: 64 bytes of value behind an aligned id
    _fields_ = [("id", c_int), ("pad", ctypes.c_char * 4), ("value", c_uint * 16)]


class _Config(ctypes.Structure):  # CUlaunchConfig
    _fields_ = [("grid", c_uint * 3), ("block", c_uint * 3), ("shared", c_uint), ("stream", c_void_p),
                ("attributes", ctypes.POINTER(_Attribute)), ("count", c_uint)]


class _Driver:
    """libcuda; its errors as exceptions."""

    def __init__(self) -> None:
        try:
            self._cuda = ctypes.CDLL("libcuda.so.1")
        except OSError:
            raise NoDevice("no CUDA driver here: libcuda.so.1 cannot be opened") from None
        self._process = os.getpid()
        self("cuInit", 0)

    def __call__(self, name: str, *arguments: Any) -> None:
        forked = os.getpid() != self._process
        status = _NOT_INITIALIZED if forked else getattr(self._cuda, name)(*arguments)
        if status == _NOT_INITIALIZED:
            raise Error("CUDA was opened before this process was forked, and does not work in it; start the process with the "
                        "method 'spawn' of multiprocessing")
        if status != 0:
            word = c_char_p()
            self._cuda.cuGetErrorName(status, byref(word))
            raise Error(f"{name}: {(word.value or b'an unknown error').decode()}")


class _Array:
    """What a launch has to know of an array of anyone's."""

    def __init__(self, name: str, value: Any, wanted: dict[str, Any]) -> None:
        self.host = None
        interface = getattr(value, "__cuda_array_interface__", None)
        if interface is None and hasattr(value, "__array_interface__"):
            interface = value.__array_interface__
            self.host = value
        if interface is None:
            raise InputError(f"argument '{name}': an array of CuPy, PyTorch or numpy is expected, not {type(value).__name__}")
        self.pointer, read_only = interface["data"]
        self.bytes = self._bytes(name, interface, wanted)
        if read_only and wanted["output"]:
            raise InputError(f"argument '{name}': the kernel writes it, and this array is read-only")

    @staticmethod
    def _bytes(name: str, interface: dict[str, Any], wanted: dict[str, Any]) -> int:
        kind = interface["typestr"][1:]
        kind = "u1" if kind == "b1" else kind
        expected = _FORMS[wanted["type"]][1]
        if kind != expected:
            raise InputError(f"argument '{name}': elements of type {wanted['type']} are expected, and these are {interface['typestr']}")
        width, elements, dense = int(kind[1:]), 1, []
        for extent in reversed(interface["shape"]):
            dense.insert(0, width * elements)
            elements *= extent
        strides = interface.get("strides")
        if strides is not None and elements > 0 and tuple(strides) != tuple(dense) and any(
                extent > 1 and stride != wide for extent, stride, wide in zip(interface["shape"], strides, dense)):
            raise InputError(f"argument '{name}': the array has gaps between its elements; make a contiguous copy")
        if elements < wanted["elements"]:
            raise InputError(f"argument '{name}': {wanted['elements']} elements are needed, and there are {elements}")
        return width * elements


def _current_stream(arguments: Sequence[Any]) -> int:
    """The stream that a library would use for its own arrays."""
    for one in arguments:
        owner = type(one).__module__.partition(".")[0]
        if owner == "torch" and one.is_cuda:
            import torch

            return int(torch.cuda.current_stream(one.device).cuda_stream)
        if owner == "cupy":
            import cupy

            return int(cupy.cuda.get_current_stream().ptr)
    return 0


def _stream(stream: Any) -> int:
    for name in ("cuda_stream", "ptr"):  # PyTorch's, CuPy's
        if hasattr(stream, name):
            return int(getattr(stream, name))
    return int(stream)


class Kernel(Single):
    """One configuration, compiled for a device of this machine: kernel(out, x, n) launches it.

    Arrays of CuPy and PyTorch are used in place, and the launch is only enqueued. numpy's are copied to the device and,
    where the kernel writes them, back. Scalars are numbers; None is the definition's value.
    """

    _refusal = "a kernel cannot be copied or pickled: make another of the same configuration"

    def __init__(self, kernel: str | os.PathLike[str], configuration: dict[str, Any], size: Any = None, device: int = 0,
                 **settings: Any) -> None:
        self._module = None
        self._cuda = _Driver()
        there = devices()
        if not 0 <= device < len(there):
            raise NoDevice(f"no device {device} (valid: 0 to {len(there) - 1})")
        settings = {"kernel": path(kernel, "kernel"), **settings}
        if size is not None:
            settings["sizes"] = [size_of(size)]
        code = c_void_p()
        check(library().gridsmith_compile(as_json(settings), as_json(configuration), as_json(there[device]), byref(code)))
        try:
            self.facts: dict[str, Any] = json.loads(text(library().gridsmith_code_facts, code))
            bytes_ = c_size_t()
            start = library().gridsmith_code_binary(code, byref(bytes_))
            self.cubin = ctypes.string_at(start, bytes_.value)
        finally:
            library().gridsmith_code_free(code)
        self._load(device)

    def _load(self, device: int) -> None:
        self._device = c_int()
        self._cuda("cuDeviceGet", byref(self._device), device)
        self._context = c_void_p()
        self._cuda("cuDevicePrimaryCtxRetain", byref(self._context), self._device)
        self._enter()
        try:
            module = c_void_p()
            self._cuda("cuModuleLoadData", byref(module), self.cubin)
            self._module = module
            self._function = c_void_p()
            self._cuda("cuModuleGetFunction", byref(self._function), module, self.facts["kernel"].encode())
            if self.facts["dynamic_shared_bytes"] > _USUAL_SHARED:
                self._cuda("cuFuncSetAttribute", self._function, _MAX_DYNAMIC_SHARED, int(self.facts["dynamic_shared_bytes"]))
        finally:
            self._leave()

    def _enter(self) -> None:
        self._cuda("cuCtxPushCurrent_v2", self._context)

    def _leave(self) -> None:
        self._cuda("cuCtxPopCurrent_v2", byref(c_void_p()))

    def __del__(self) -> None:
        if self._module:
            try:
                self._enter()
                self._cuda("cuModuleUnload", self._module)
                self._leave()
                self._cuda("cuDevicePrimaryCtxRelease_v2", self._device)
            except Error:  # the context is gone, at the interpreter's end
                pass

    @property
    def configuration(self) -> dict[str, Any]:
        return self.facts["configuration"]

    def __repr__(self) -> str:
        return f"<gridsmith.Kernel {self.facts['kernel']} {self.configuration}>"

    def __call__(self, *arguments: Any, stream: Any = None) -> None:
        wanted = self.facts["arguments"]
        if len(arguments) != len(wanted):
            names = ", ".join(one["name"] for one in wanted)
            raise InputError(f"{len(wanted)} arguments are expected ({names}), and there are {len(arguments)}")
        on = _current_stream(arguments) if stream is None else _stream(stream)
        self._enter()
        copies: list[tuple[_Array, c_uint64, bool]] = []
        try:
            passed = [self._passed(one, value, copies) for one, value in zip(wanted, arguments)]
            if copies and on:  # another stream does not wait for them
                self._cuda("cuCtxSynchronize")
            self._launch([one for one in passed if one is not None], on)
            if copies:
                self._cuda("cuStreamSynchronize", c_void_p(on))
            for array, copy, output in copies:
                if output:
                    self._cuda("cuMemcpyDtoH_v2", c_void_p(array.pointer), copy, c_size_t(array.bytes))
        finally:
            for array, copy, output in copies:
                self._cuda("cuMemFree_v2", copy)
            self._leave()

    def _passed(self, wanted: dict[str, Any], value: Any, copies: list[Any]) -> Any:
        if not wanted["vector"]:
            return self._scalar(wanted, value)
        array = _Array(wanted["name"], value, wanted)
        pointer = c_uint64(array.pointer)
        if array.host is not None:
            pointer = c_uint64()
            self._cuda("cuMemAlloc_v2", byref(pointer), c_size_t(max(array.bytes, 1)))
            copies.append((array, pointer, wanted["output"]))
            self._cuda("cuMemcpyHtoD_v2", pointer, c_void_p(array.pointer), c_size_t(array.bytes))
        else:
            self._check_device(wanted["name"], pointer)
        if wanted["constant"] and self._fill_constant(wanted["name"], pointer, array.bytes):
            return None
        return pointer

    def _check_device(self, name: str, pointer: c_uint64) -> None:
        number = c_int()
        self._cuda("cuPointerGetAttribute", byref(number), _DEVICE_ORDINAL, pointer)
        if number.value != self._device.value:
            raise InputError(f"argument '{name}': the array is on device {number.value}, and this kernel was compiled for "
                             f"device {self._device.value}")

    def _fill_constant(self, name: str, source: c_uint64, bytes_: int) -> bool:
        """Whether the kernel reads the variable alone, and is not passed the array."""
        # By its name, or as C++ mangles it: with its length before it.
        symbol = next((one for one in self.facts["variables"] if one == name or f"{len(name)}{name}" in one), None)
        if symbol is None:
            return False
        target, size = c_uint64(), c_size_t()
        self._cuda("cuModuleGetGlobal_v2", byref(target), byref(size), self._module, symbol.encode())
        self._cuda("cuMemcpyDtoD_v2", target, source, c_size_t(min(bytes_, size.value)))
        parameters = self.facts["parameters"]
        return parameters is not None and parameters < len(self.facts["arguments"])

    @staticmethod
    def _scalar(wanted: dict[str, Any], value: Any) -> Any:
        if value is None or "bytes" in wanted:
            words = struct.pack(f"<{len(wanted['words'])}Q", *wanted["words"])
            return ctypes.create_string_buffer(words, len(words))
        form, name = _FORMS[wanted["type"]]
        try:
            if name[0] in _WHOLE and int(value) != value:
                raise ValueError
            packed = struct.pack("<" + form, int(value) if name[0] in _WHOLE else float(value))
        except (TypeError, ValueError, OverflowError, struct.error):
            raise InputError(f"argument '{wanted['name']}': {value!r} is no {wanted['type']}") from None
        return ctypes.create_string_buffer(packed, len(packed))

    def _launch(self, passed: list[Any], stream: int) -> None:
        pointers = (c_void_p * max(len(passed), 1))(*[ctypes.addressof(one) for one in passed])
        attributes = (_Attribute * 2)()
        count = 0
        if any(extent > 1 for extent in self.facts["cluster"]):
            attributes[count].id = _CLUSTER
            attributes[count].value[0:3] = self.facts["cluster"]
            count += 1
        if self.facts["cooperative"]:
            attributes[count].id = _COOPERATIVE
            attributes[count].value[0] = 1
            count += 1
        config = _Config((c_uint * 3)(*self.facts["grid"]), (c_uint * 3)(*self.facts["block"]),
                         int(self.facts["dynamic_shared_bytes"]), c_void_p(stream), attributes, count)
        self._cuda("cuLaunchKernelEx", byref(config), self._function, pointers, None)
