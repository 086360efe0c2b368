# SPDX-License-Identifier: Apache-2.0
"""What came of a tuning."""

from __future__ import annotations

import json
from functools import cached_property
from os import fsencode

from gridsmith._library import TYPE_CHECKING, InputError, Single, check, library, path, text, word

if TYPE_CHECKING:
    from ctypes import c_void_p
    from os import PathLike
    from typing import Any

    from gridsmith._launch import Kernel

_ALL = 2**64 - 1  # SIZE_MAX: of all outcomes


class Outcomes(Single):
    """Owns what a run handed out."""

    _refusal = "an answer cannot be copied or pickled: keep answer.json, or what answer.write() writes"

    def __init__(self, handle: c_void_p) -> None:
        self._handle = handle

    def __del__(self) -> None:
        if self.__dict__.get("_handle"):
            library().gridsmith_outcomes_free(self._handle)

    def __len__(self) -> int:
        return int(library().gridsmith_outcomes_count(self._handle))

    def answer(self, index: int) -> str:
        return text(library().gridsmith_outcomes_answer, self._handle, index)

    def text(self, index: int) -> str:
        return text(library().gridsmith_outcomes_text, self._handle, index)

    def export(self, index: int, form: str) -> str:
        return text(library().gridsmith_outcomes_export, self._handle, index, word(form))

    def write(self, index: int, form: str, file: str | PathLike[str]) -> None:
        check(library().gridsmith_outcomes_write(self._handle, index, word(form), fsencode(path(file, "file"))))


def _cell(name: str, word: str) -> Any:
    """A value of a CSV file: a number where it is one; nothing where it is empty."""
    if word == "":
        return None
    if name in ("driver", "toolkit"):  # 12.10 is no number
        return word
    if word in ("true", "false"):
        return word == "true"
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            pass
    return word


class Answer:
    """The best configuration at one size on one device, and everything that was measured for it."""

    def __init__(self, outcomes: Outcomes, index: int, settings: dict[str, Any]) -> None:
        self._outcomes, self._index, self._settings = outcomes, index, settings

    @cached_property
    def json(self) -> dict[str, Any]:
        """All fields, as docs/schema/answer.schema.json says."""
        return json.loads(self._outcomes.answer(self._index))

    @property
    def kernel_name(self) -> str:
        return self.json["kernel"]

    @property
    def size(self) -> tuple[int, ...]:
        return tuple(int(extent) for extent in self.json["problem"].split("x"))

    @property
    def device(self) -> str:
        return self.json["device"].get("name", "")

    @property
    def best(self) -> dict[str, Any] | None:
        """Parameters and values; None: `shortfall` says why."""
        best = self.json["best"]
        return best["configuration"] if best else None

    @property
    def shortfall(self) -> str:
        """Why there is no best; "" where there is one."""
        return self.json.get("shortfall", "")

    @property
    def time_ms(self) -> float | None:
        """The median of the best, as it was measured last."""
        best = self.json["best"]
        return best["time_ms"]["median"] if best else None

    @property
    def interval_ms(self) -> tuple[float, float] | None:
        """95 % interval of that median."""
        best = self.json["best"]
        return (best["time_ms"]["low"], best["time_ms"]["high"]) if best else None

    @property
    def tied(self) -> list[dict[str, Any]]:
        """Configurations whose time cannot be distinguished from that of the best."""
        return [one["configuration"] for one in self.json["ranking"][1:] if one["tied"]]

    @property
    def ranking(self) -> list[dict[str, Any]]:
        """The finalists, best first, with their counters and metrics."""
        return self.json["ranking"]

    @property
    def replayed(self) -> bool:
        """Whether it comes from a recording: nothing was measured here."""
        return self.json["replayed"]

    @cached_property
    def measurements(self) -> list[dict[str, Any]]:
        """A row for each configuration that was tried, as `gridsmith export csv` has them."""
        import csv
        import io

        return [{name: _cell(name, word) for name, word in row.items()} for row in csv.DictReader(io.StringIO(self.text("csv")))]

    def explain(self) -> str:
        """Why the best takes as long as it does, and why it won."""
        lines = [self.json["why"]["text"]] if self.json["why"] else []
        for cause in self.json["why"]["causes"] if self.json["why"] else []:
            lines.append(f"{cause['what']} {cause['gain_text']} {cause['remedy']}".strip())
        lines += self.json["winner"]["sentences"] + self.json["winner"]["next"] if self.json["winner"] else []
        return "\n".join(lines)

    def text(self, form: str) -> str:
        """In a format of `gridsmith export` (header, csv, t4, recording, …), or "report": a page of HTML."""
        return self._outcomes.export(self._index, form)

    def write(self, form: str, file: str | PathLike[str]) -> None:
        """The same into a file; a store, a source, a definition or a recording is not replaced."""
        self._outcomes.write(self._index, form, file)

    def header(self, file: str | PathLike[str]) -> None:
        """A C++17 header that chooses at any size; of several sizes: gridsmith.write()."""
        self.write("header", file)

    def report(self, file: str | PathLike[str]) -> None:
        """The report, one HTML file."""
        self.write("report", file)

    def to_frame(self) -> Any:
        """The measurements as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.measurements)

    def kernel(self, configuration: dict[str, Any] | None = None, device: int = 0) -> Kernel:
        """The best, or this configuration, to be launched on CuPy, PyTorch or numpy arrays."""
        from gridsmith._launch import Kernel

        chosen = configuration or self.best
        if chosen is None:
            raise InputError("there is no best configuration to launch")
        return Kernel(self._settings["kernel"], chosen, size=self.size, device=device,
                      include=self._settings.get("include", []))

    def __str__(self) -> str:
        return self._outcomes.text(self._index)

    def __repr__(self) -> str:
        what = f"{self.best} {self.time_ms:.4g} ms" if self.best is not None else "no best"
        return f"<gridsmith.Answer {self.kernel_name} {self.json['problem']} on {self.device or 'an unknown device'}: {what}>"

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            f"<tr><td>{escape(str(one['configuration']))}</td><td>{one['time_ms']['median']:.4g}</td>"
            f"<td>{one['time_ms']['low']:.4g} to {one['time_ms']['high']:.4g}</td><td>{'tied' if one['tied'] else ''}</td></tr>"
            for one in self.ranking)
        return (f"<p><b>{escape(self.kernel_name)}</b> {escape(self.json['problem'])} on {escape(self.device)}"
                f"{' (replayed)' if self.replayed else ''}</p><table><tr><th>configuration</th><th>ms</th>"
                f"<th>95 % interval</th><th></th></tr>{rows}</table><pre>{escape(self.explain())}</pre>")


def write(form: str, file: str | PathLike[str], answers: list[Answer]) -> None:
    """Several answers of one run in one file: a header that knows all sizes, a CSV, a report."""
    if not answers or any(one._outcomes is not answers[0]._outcomes for one in answers):
        raise InputError("write: the answers of one run belong together")
    if len(answers) != len(answers[0]._outcomes):
        raise InputError("write: all answers of the run are written")
    answers[0]._outcomes.write(_ALL, form, file)
