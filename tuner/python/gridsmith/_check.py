# SPDX-License-Identifier: Apache-2.0
"""Kernels against a baseline: slower, wrong, the same; and the commands that answer by one document."""

from __future__ import annotations

import json
from ctypes import byref, c_char_p, c_void_p, cast
from functools import cached_property

from gridsmith import _library as _c
from gridsmith._library import TYPE_CHECKING, Single, library, text, word
from gridsmith._session import Callbacks

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from typing_extensions import Unpack

    from gridsmith._settings import CheckSettings


class Check(Single):
    """What a check found. It is true if nothing is slower or wrong, and all could be judged."""

    _refusal = "a check cannot be copied or pickled: keep check.json, or what check.text() gives"

    def __init__(self, handle: c_void_p) -> None:
        self._handle = handle

    def __del__(self) -> None:
        library().gridsmith_check_free(self._handle)

    def text(self, form: str = "text") -> str:
        """As the program prints it, or in a format of `gridsmith check --report`: junit, sarif, markdown, …"""
        return text(library().gridsmith_check_report, self._handle, word(form))

    @cached_property
    def json(self) -> dict[str, Any]:
        """All fields, as `gridsmith check --json` has them."""
        return json.loads(self.text("json"))

    @property
    def gate(self) -> str:
        """green, red, or incomplete: nothing is worse, and not all could be judged."""
        return self.json["gate"]

    def __bool__(self) -> bool:
        return self.gate == "green"

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<gridsmith.Check {self.text().partition(chr(10))[0]}>"


def check(baseline: str = "gridsmith-baseline.json", note: Callable[[str], object] | None = print,
          progress: Callable[[dict[str, Any]], object] | None = None, **settings: Unpack[CheckSettings]) -> Check:
    """Launches old and new code of each kernel in turn; gridsmith.settings("check") lists the settings.

    Ctrl-C, what a callback raises, and False as the result of progress end it.
    """
    callbacks = Callbacks(note, progress)
    handle = c_void_p()
    wanted = _c.as_json({"baseline": baseline, **settings})
    status = callbacks.interruptible(
        lambda: library().gridsmith_check_run(wanted, byref(callbacks.listener), byref(handle)), callbacks.stop)
    result = Check(handle) if handle else None
    if callbacks.raised is not None:
        raise callbacks.raised
    _c.check(status)
    assert result is not None
    return result


def command(name: str, note: Callable[[str], object] | None = print,
            progress: Callable[[dict[str, Any]], object] | None = None, **settings: Any) -> dict[str, Any]:
    """What `gridsmith NAME --json` prints: "tune_all" tunes a library, "retune" what a header ships, "judge" a kernel of
    another author; gridsmith.settings(name) lists the settings. The first two give the header to ship as well.

    Ctrl-C, what a callback raises, and False as the result of progress end it.
    """
    callbacks = Callbacks(note, progress)
    out = c_char_p()
    wanted = _c.as_json(settings)
    status = callbacks.interruptible(
        lambda: library().gridsmith_command(word(name), wanted, byref(callbacks.listener), byref(out)), callbacks.stop)
    document = (out.value or b"").decode("utf-8", "replace")
    library().gridsmith_free(cast(out, c_void_p))
    if callbacks.raised is not None:
        raise callbacks.raised
    if status != _c.STOPPED or not document:
        _c.check(status)
    return json.loads(document)
