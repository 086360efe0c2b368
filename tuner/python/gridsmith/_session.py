# SPDX-License-Identifier: Apache-2.0
"""Sessions: settings in, answers out; callbacks and Ctrl-C as Python expects them."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterable
from ctypes import byref, c_size_t, c_uint64, c_void_p

from gridsmith import _library as _c
from gridsmith._answer import Answer, Outcomes
from gridsmith._library import TYPE_CHECKING, InputError, Single, check, library, text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from typing_extensions import Unpack

    from gridsmith._settings import TuneSettings

    Configuration = dict[str, Any]
_STOP_ASKING = 2**64 - 1  # SIZE_MAX


def version() -> str:
    """Of the library."""
    return library().gridsmith_version().decode()


def devices() -> list[dict[str, Any]]:
    """The facts of this machine's GPUs. Raises NoDevice where there is none."""
    return json.loads(text(library().gridsmith_devices))


def settings(of: str = "tune") -> dict[str, str]:
    """The names of all settings of a session, or of a "check", with a line on each."""
    known = json.loads(text(library().gridsmith_settings))
    if of not in known:
        raise InputError(f"unknown settings '{of}' (valid: {', '.join(known)})")
    return known[of]


class Space(Single):
    """The configurations of a search: numbers below len(space). It lasts as long as its run."""

    _refusal = "a space cannot be copied or pickled: it lasts as long as its run; keep list(space)"

    def __init__(self, handle: int) -> None:
        self._handle: c_void_p | None = c_void_p(handle)

    def close(self) -> None:
        """The library frees it after the strategy's end()."""
        self._handle = None

    def _open(self) -> c_void_p:
        if self._handle is None:
            raise _c.Error("space: the space lasts as long as its run, which is over; keep what you need of it in end()")
        return self._handle

    def __len__(self) -> int:
        return int(library().gridsmith_space_size(self._open()))

    def __getitem__(self, number: int) -> Configuration:
        if not 0 <= number < len(self):
            raise IndexError(f"configuration {number}: the space has {len(self)}")
        return json.loads(text(library().gridsmith_space_at, self._open(), number))

    def find(self, configuration: Configuration) -> int | None:
        """Its number; None: it is not in the space."""
        number = c_uint64()
        status = library().gridsmith_space_find(self._open(), _c.as_json(configuration), byref(number))
        if status == _c.BAD_INPUT:
            return None
        check(status)
        return number.value

    def neighbours(self, number: int) -> list[int]:
        """Those that differ in one parameter."""
        count = c_size_t()
        check(library().gridsmith_space_neighbours(self._open(), number, None, 0, byref(count)))
        numbers = (c_uint64 * max(count.value, 1))()
        check(library().gridsmith_space_neighbours(self._open(), number, numbers, count.value, byref(count)))
        return list(numbers[: count.value])


class Strategy:
    """A search of your own: derive from it and give ask() and tell(); begin() and end() as needed.

    A configuration is a number of self.space. It is measured once.
    """

    space: Space

    def begin(self) -> None:
        """Before the first question."""

    def ask(self, most: int) -> Iterable[int]:
        """At most so many numbers; none: wait for answers, or the end where none is due."""
        raise NotImplementedError

    def tell(self, number: int, cost: float | None) -> None:
        """What one costs, the time in ms for the objective "time"; None: it failed."""

    def end(self) -> None:
        """After the last answer."""


class Callbacks:
    """Python's functions as C's; what one raises stops the session and is raised again by run()."""

    def __init__(self, note: Callable[[str], object] | None, progress: Callable[[dict[str, Any]], object] | None) -> None:
        self.raised: BaseException | None = None
        self._stopped = False
        # A call into the interpreter is enough: it looks at its signals.
        self._kept: list[Any] = [_c.POLL(lambda user: self._guarded(lambda: self._stopped, int))]
        listener = _c.Listener(poll=self._kept[0])
        if note:
            self._kept.append(_c.LINE(lambda user, line: self._guarded(lambda: note(line.decode("utf-8", "replace")))))
            listener.note = self._kept[-1]
        if progress:
            ends = lambda found: found is False  # as in C++; None and numbers go on
            self._kept.append(_c.LINE(lambda user, line: self._guarded(lambda: progress(json.loads(line)), ends)))
            listener.progress = self._kept[-1]
        self.listener = listener

    def _guarded(self, call: Callable[[], Any], status: Callable[[Any], int] = lambda found: 0, otherwise: int = 1) -> int:
        try:
            return status(call())
        except BaseException as error:  # KeyboardInterrupt too
            self.raised = self.raised or error
            return otherwise

    def stop(self) -> None:
        self._stopped = True

    def interruptible(self, run: Callable[[], int], stop: Callable[[], None]) -> int:
        """Ctrl-C stops the session. A handler of our own: the usual one raises wherever the interpreter is, and what is
        raised between C and a callback's first line is lost."""
        usual = signal.default_int_handler
        if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is not usual:
            return run()

        def interrupt(number: int, frame: Any) -> None:
            self.raised = self.raised or KeyboardInterrupt()
            stop()

        signal.signal(signal.SIGINT, interrupt)
        try:
            return run()
        finally:
            signal.signal(signal.SIGINT, usual)

    def strategy(self, strategy: Strategy) -> _c.Strategy:
        def begin(user: Any, space: int) -> int:
            strategy.space = self._space = Space(space)
            return self._guarded(strategy.begin)

        def ask(user: Any, most: int, numbers: Any) -> int:
            def fill() -> int:
                count = 0
                for number in strategy.ask(most):
                    if count == most:
                        raise InputError(f"{type(strategy).__name__}.ask gives more than {most} numbers")
                    if not 0 <= number < len(strategy.space):
                        raise InputError(f"{type(strategy).__name__}.ask gives {number}; the space has {len(strategy.space)}")
                    numbers[count] = number
                    count += 1
                return count

            return self._guarded(fill, int, _STOP_ASKING)

        def tell(user: Any, observations: Any, count: int) -> int:
            def each() -> None:
                for one in observations[:count]:
                    strategy.tell(one.id, None if one.cost != one.cost else one.cost)

            return self._guarded(each)

        def end(user: Any) -> None:
            self._guarded(strategy.end)
            self._space.close()

        callbacks = [_c.BEGIN(begin), _c.ASK(ask), _c.TELL(tell), _c.END(end)]
        self._kept += callbacks
        return _c.Strategy(None, *callbacks)


class Objective:
    """What a search makes as small, or with better="higher" as large, as it can: a formula of counters, metrics
    (`gridsmith counters` lists both) and time_ms, such as "dram_bytes / time_ms", or a function of them that has one."""

    def __init__(self, name: str, formula: str | Callable[[Any], Any], better: str = "lower", unit: str = "") -> None:
        self.name, self.formula, self.better, self.unit = name, formula, better, unit

    def metric(self) -> dict[str, Any]:
        """As a definition has it under Metrics."""
        return {"Name": self.name, "Formula": self.formula, "Better": self.better, "Unit": self.unit}


def whole(values: Any) -> list[int] | None:
    """A number or several, of numpy too; None where there is none, or one is not whole."""
    listed = list(values) if isinstance(values, Iterable) and not isinstance(values, str) else [values]
    try:
        return [int(one) for one in listed] if listed and all(one == int(one) for one in listed) else None
    except (TypeError, ValueError, OverflowError):
        return None


def size_of(size: Any) -> list[int] | str:
    if isinstance(size, str):
        return size
    extents = whole(size)
    if extents is None:
        raise InputError(f"size: {_c.shown(size)} is no list of whole numbers")
    return extents


def _sizes(sizes: Any) -> list[list[int] | str] | str:
    if isinstance(sizes, str):
        return sizes
    if not isinstance(sizes, Iterable):
        raise InputError(f"sizes: {_c.shown(sizes)} is no list of sizes, such as [(1024, 1024), '512x512'], and no text of them")
    return [size_of(one) for one in sizes]


class Session(Single):
    """One kernel, tuned at its sizes on its devices.

    kernel is a name of the catalogue or the file of a definition; gridsmith.settings() lists the other settings.
    strategy may be an object of a class of yours, derived from gridsmith.Strategy, objective a gridsmith.Objective, and
    metrics a dict: {"gflops": lambda m: 2 * m["n"] ** 3 / m["time_ms"] / 1e6}.
    """

    _refusal = "a session cannot be copied or pickled: make another with the same settings"

    def __init__(self, kernel: str | os.PathLike[str] = "", **settings: Unpack[TuneSettings]) -> None:
        self._settings = {"kernel": _c.path(kernel, "kernel"), **settings}
        self._own = self._settings.pop("strategy") if isinstance(settings.get("strategy"), Strategy) else None
        if "sizes" in settings:
            self._settings["sizes"] = _sizes(settings["sizes"])
        objective = self._settings.get("objective")
        own = []
        if isinstance(objective, Objective):
            own, self._settings["objective"] = [objective.metric()], objective.name
        if own or "metrics" in settings:
            from gridsmith import _formula

            self._settings["metrics"] = _formula.metrics_of(settings.get("metrics") or [], own)
        self._handle = c_void_p()
        check(library().gridsmith_session_new(_c.as_json(self._settings), byref(self._handle)))

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            library().gridsmith_session_free(self._handle)

    def run(self, note: Callable[[str], object] | None = None,
            progress: Callable[[dict[str, Any]], object] | None = None) -> list[Answer]:
        """An answer for each size and device. Callbacks come in this thread; Ctrl-C, and what a callback raises, end it.

        note gets lines that a person should read, progress the state as a dict; its result False ends the run. After that
        and after stop() it returns what was measured until then.
        """
        callbacks = Callbacks(note, progress)
        library().gridsmith_session_listen(self._handle, byref(callbacks.listener))
        if self._own:
            strategy = callbacks.strategy(self._own)
            check(library().gridsmith_session_search_by(self._handle, type(self._own).__name__.encode(), byref(strategy)))
        handle = c_void_p()
        status = callbacks.interruptible(lambda: library().gridsmith_session_run(self._handle, byref(handle)), self.stop)
        outcomes = Outcomes(handle)
        if callbacks.raised is not None:
            raise callbacks.raised
        if status != _c.STOPPED or not handle:
            check(status)
        return [Answer(outcomes, index, self._settings) for index in range(len(outcomes))]

    def stop(self) -> None:
        """From any thread or callback: run() returns within a second."""
        library().gridsmith_session_stop(self._handle)


def tune(kernel: str | os.PathLike[str], size: int | str | Sequence[int] | None = None,
         note: Callable[[str], object] | None = print, progress: Callable[[dict[str, Any]], object] | None = None,
         **settings: Unpack[TuneSettings]) -> Answer:
    """Tunes one kernel at one size on one device. Without a GPU it replays a recording, and the note says so."""
    if size is not None:
        if settings.get("sizes") is not None:
            raise InputError("tune: size and sizes are both given; give one of them")
        settings["sizes"] = [size]
    answers = Session(kernel, **settings).run(note, progress)
    if not answers:
        raise _c.Stopped("stopped before anything was measured")
    if len(answers) > 1:
        raise InputError(f"tune() is for one size and one device, and there are {len(answers)} answers; use Session().run()")
    return answers[0]
