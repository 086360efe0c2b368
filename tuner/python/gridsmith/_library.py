# SPDX-License-Identifier: Apache-2.0
"""The C interface (gridsmith.h) by ctypes: its functions, its callbacks, and errors as exceptions."""

from __future__ import annotations

import ctypes
import json
import os
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint64, c_void_p

TYPE_CHECKING = False  # typing, which takes a third of the import, is for type checkers
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, NoReturn

INTERFACE = 1
OK, FAILED, BAD_INPUT, NO_DEVICE, STOPPED = 0, 1, 2, 3, 130


class Error(Exception):
    """What Gridsmith cannot do, in one line."""


class InputError(Error):
    """Bad input that you can correct; the line says the valid choices."""


class NoDevice(Error):
    """There is neither a GPU nor a recording."""


class Stopped(Error):
    """Stopped before anything was measured."""


_ERRORS = {BAD_INPUT: InputError, NO_DEVICE: NoDevice, STOPPED: Stopped}


class Single:
    """What has a handle of its own: a copy would free it once more."""

    _refusal = ""

    def __reduce__(self) -> NoReturn:
        raise TypeError(self._refusal)


POLL = CFUNCTYPE(c_int, c_void_p)
LINE = CFUNCTYPE(c_int, c_void_p, c_char_p)
BEGIN = CFUNCTYPE(c_int, c_void_p, c_void_p)
ASK = CFUNCTYPE(c_size_t, c_void_p, c_size_t, POINTER(c_uint64))
END = CFUNCTYPE(None, c_void_p)


class Observation(Structure):
    _fields_ = [("id", c_uint64), ("cost", c_double)]


TELL = CFUNCTYPE(c_int, c_void_p, POINTER(Observation), c_size_t)


class Listener(Structure):
    _fields_ = [("user", c_void_p), ("poll", POLL), ("note", LINE), ("progress", LINE)]


class Strategy(Structure):
    _fields_ = [("user", c_void_p), ("begin", BEGIN), ("ask", ASK), ("tell", TELL), ("end", END)]


class Value(Structure):
    _fields_ = [("kind", c_int), ("members", c_size_t), ("integer", c_int64), ("number", c_double), ("text", c_char_p)]


_handle, _text = c_void_p, POINTER(c_char_p)  # an opaque handle; where a text is handed out

# name: (result, arguments); tests/python/interface_test.py compares it with the header
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "gridsmith_interface": (c_int, []),
    "gridsmith_version": (c_char_p, []),
    "gridsmith_error": (c_char_p, []),
    "gridsmith_free": (None, [c_void_p]),
    "gridsmith_json_at": (c_int, [c_char_p, c_char_p, POINTER(Value)]),
    "gridsmith_session_new": (c_int, [c_char_p, POINTER(_handle)]),
    "gridsmith_session_free": (None, [_handle]),
    "gridsmith_session_listen": (None, [_handle, POINTER(Listener)]),
    "gridsmith_session_search_by": (c_int, [_handle, c_char_p, POINTER(Strategy)]),
    "gridsmith_space_size": (c_uint64, [_handle]),
    "gridsmith_space_at": (c_int, [_handle, c_uint64, _text]),
    "gridsmith_space_find": (c_int, [_handle, c_char_p, POINTER(c_uint64)]),
    "gridsmith_space_neighbours": (c_int, [_handle, c_uint64, POINTER(c_uint64), c_size_t, POINTER(c_size_t)]),
    "gridsmith_session_run": (c_int, [_handle, POINTER(_handle)]),
    "gridsmith_session_stop": (None, [_handle]),
    "gridsmith_outcomes_count": (c_size_t, [_handle]),
    "gridsmith_outcomes_answer": (c_int, [_handle, c_size_t, _text]),
    "gridsmith_outcomes_text": (c_int, [_handle, c_size_t, _text]),
    "gridsmith_outcomes_export": (c_int, [_handle, c_size_t, c_char_p, _text]),
    "gridsmith_outcomes_write": (c_int, [_handle, c_size_t, c_char_p, c_char_p]),
    "gridsmith_outcomes_free": (None, [_handle]),
    "gridsmith_check_run": (c_int, [c_char_p, POINTER(Listener), POINTER(_handle)]),
    "gridsmith_check_report": (c_int, [_handle, c_char_p, _text]),
    "gridsmith_check_free": (None, [_handle]),
    "gridsmith_command": (c_int, [c_char_p, c_char_p, POINTER(Listener), _text]),
    "gridsmith_compile": (c_int, [c_char_p, c_char_p, c_char_p, POINTER(_handle)]),
    "gridsmith_code_facts": (c_int, [_handle, _text]),
    "gridsmith_code_binary": (c_void_p, [_handle, POINTER(c_size_t)]),
    "gridsmith_code_free": (None, [_handle]),
    "gridsmith_devices": (c_int, [_text]),
    "gridsmith_settings": (c_int, [_text]),
}

_NAME = "libgridsmith.so.0.2"


def _upwards(file: str, places: list[str]) -> list[str]:
    """These places in the folders above a file, nearest first."""
    folder, found = os.path.dirname(os.path.realpath(file)), []
    while folder != os.path.dirname(folder):
        found += [os.path.join(folder, place) for place in places]
        folder = os.path.dirname(folder)
    return found


def _places() -> list[str]:
    """Where the library may be: named, in a wheel, in an installed or a build tree, where the loader looks."""
    named = os.environ.get("GRIDSMITH_LIBRARY")
    if named:
        return [named]
    below = _upwards(__file__, [f"lib/{_NAME}", f"build/lib/{_NAME}"])
    return [file for file in below if os.path.isfile(file)] + [_NAME]


def catalogue() -> str:
    """The folder of the definitions that have names, as the library finds it; "" where there is none."""
    of = library()._name
    folders = _upwards(of if os.path.isabs(of) else __file__, ["share/gridsmith/catalogue"])
    return next((folder for folder in folders if os.path.isdir(folder)), "")


def _is_main_interpreter() -> bool:
    try:
        of, main = ctypes.pythonapi.PyInterpreterState_Get, ctypes.pythonapi.PyInterpreterState_Main
    except AttributeError:  # a Python that has one
        return True
    of.restype = main.restype = c_void_p
    return of() == main()


def _open() -> ctypes.CDLL:
    if not _is_main_interpreter():  # Python 3.11 calls back in the main one, and later ones leave Ctrl-C to it
        raise Error("gridsmith works in the main interpreter of a process alone; use threads, or a process for each session")
    places = _places()
    try:
        library = ctypes.CDLL(places[0])
    except OSError as error:
        raise ImportError(f"gridsmith: its library cannot be opened: {error}; GRIDSMITH_LIBRARY may name it") from None
    if not hasattr(library, "gridsmith_interface") or library.gridsmith_interface() != INTERFACE:
        raise ImportError(f"gridsmith: {places[0]} is of another version than this package")
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


_opened: ctypes.CDLL | None = None


def library() -> ctypes.CDLL:
    """Opened when it is first needed."""
    global _opened
    if _opened is None:
        _opened = _open()
    return _opened


def check(status: int) -> None:
    """Raises what a status says."""
    if status != OK:
        line = library().gridsmith_error().decode("utf-8", "replace")
        raise _ERRORS.get(status, Error)(line)


def text(function: Callable[..., int], *arguments: Any) -> str:
    """The text that a function hands out by its last argument."""
    out = c_char_p()
    check(function(*arguments, byref(out)))
    try:
        return (out.value or b"").decode("utf-8", "replace")
    finally:
        library().gridsmith_free(ctypes.cast(out, c_void_p))


def _other_json(one: Any) -> Any:
    if isinstance(one, os.PathLike):
        return os.fspath(one)
    if hasattr(one, "tolist"):  # numpy's numbers and arrays
        return one.tolist()
    raise TypeError(f"the type {type(one).__name__} is not possible; list, dict, str, int, float, bool, None and paths are")


def as_json(values: Mapping[str, Any]) -> bytes:
    """JSON of settings: numbers of numpy and paths too."""
    if not hasattr(values, "items"):
        raise InputError(f"{shown(values)} is no dict of names and values")
    return b"{" + b", ".join(json.dumps(str(name)).encode() + b": " + _json_of(name, value) for name, value in values.items()) + b"}"


def _json_of(name: str, value: Any) -> bytes:
    try:
        return json.dumps(value, default=_other_json, allow_nan=False, check_circular=False, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:  # a path's bytes have no place in JSON
        why = f"{ascii(error.object)[1:-1]} is not UTF-8; names and paths in settings must be"
    except TypeError as error:
        why = str(error)
    except ValueError:
        why = f"{shown(value)} is not possible; numbers must be finite"
    except RecursionError:
        why = "it is nested too deeply"
    raise InputError(f"{name}: {why}")


def shown(value: Any) -> str:
    """In one line."""
    return " ".join(ascii(value).split())


def word(value: Any) -> bytes:
    """A name for the library, which knows the valid ones and says them."""
    return str(value).encode("utf-8", "backslashreplace")


def path(value: Any, what: str) -> str:
    try:
        return os.fsdecode(value)
    except TypeError:
        raise InputError(f"{what}: {shown(value)} is neither a name nor a path") from None
