# SPDX-License-Identifier: Apache-2.0
"""What a simulation replays: the rows of a cache file that a script's parameters and restrictions allow."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable

from gridsmith._expression import refuse

_ABSENT = object()  # a value that is none of a parameter's


def narrowed(file: str, definition: dict, holds: Callable[[dict[str, Any]], bool], folder: str) -> str:
    """This file, or one in the folder with fewer rows. @param holds whether the restrictions allow a configuration"""
    if not Path(file).is_file():
        return file  # the library says what is there
    document = _read(file)
    size = _size(file, document, definition["KernelSpecification"])
    params = {each["Name"]: each["Values"] for each in definition["ConfigurationSpace"]["TuningParameters"]}
    names = document.get("tune_params_keys") or list(document.get("tune_params") or {})

    def allowed(given: dict[str, Any]) -> bool:
        if given.keys() != params.keys():
            refuse(f"tune_params has {', '.join(params)}, and cache {file} has {', '.join(given)}; the names must be the same")
        found = {name: _value(given[name], values) for name, values in params.items()}
        return _ABSENT not in found.values() and holds(found)

    key = "cache" if "cache" in document else "results"
    rows = document[key]
    if key == "cache":
        kept: Any = {text: row for text, row in rows.items() if allowed(_configuration(text, row, names))}
    else:
        kept = [row for row in rows if allowed(row["configuration"])]
    if not kept:
        refuse(f"cache: {file} has {len(rows)} configurations, and tune_params and restrictions allow none of them")
    if len(kept) == len(rows) and size is None:
        return file
    if size is not None:
        document["problem_size"] = size
    listed = document.get("tune_params")
    if isinstance(listed, dict):
        document["tune_params"] = {name: [one for one in values if _value(one, params.get(name, values)) is not _ABSENT]
                                   for name, values in listed.items()}
    path = Path(folder) / "replayed" / Path(file).name  # a definition may have the same name
    path.parent.mkdir()
    path.write_text(json.dumps({**document, key: kept}), encoding="utf-8")
    return str(path)


def _read(file: str) -> dict[str, Any]:
    """A cache of Kernel Tuner, which an interrupted tuning leaves without its end, or a T4 file."""
    try:
        text = Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        refuse(f"cache: {file}: {error}")
    for whole in (text, text[:text.rfind("},") + 1] + "}}"):
        try:
            document = json.loads(whole)
        except ValueError:
            continue
        if isinstance(document, dict) and _has_rows(document):
            return document
    refuse(f"cache: {file} is no cache file of Kernel Tuner and no T4 file; 'gridsmith export kernel-tuner' makes one of a recording")


def _has_rows(document: dict[str, Any]) -> bool:
    if "cache" in document:
        return isinstance(document["cache"], dict) and all(isinstance(row, dict) for row in document["cache"].values())
    rows = document.get("results")
    return isinstance(rows, list) and all(isinstance(row, dict) and isinstance(row.get("configuration"), dict) for row in rows)


def _size(file: str, document: dict[str, Any], specification: dict) -> list[int] | None:
    """The size of the script, where that of the file differs by extents of 1. Both must be numbers: one of a script may be
    a function, and T4 has none."""
    recorded = document.get("problem_size")
    texts = [str(each) for each in recorded] if isinstance(recorded, list) else str(recorded).split("x")
    if "GlobalSize" in specification or not all(text.isdigit() for text in texts):
        return None
    there, wanted = [int(text) for text in texts], specification["ProblemSize"]
    if _without_ones(there) != _without_ones(wanted):
        refuse(f"problem_size: cache {file} is of {'x'.join(map(str, there))}, not {'x'.join(map(str, wanted))}")
    return None if there == wanted else wanted


def _without_ones(extents: list[int]) -> list[int]:
    """Kernel Tuner's sizes have three extents."""
    count = max([axis + 1 for axis, extent in enumerate(extents) if extent != 1] or [1])
    return extents[:count]


def _configuration(text: str, row: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """A row that does not repeat its parameters has them in its key."""
    words = dict(zip(names, text.split(",")))
    return {name: row.get(name, words.get(name)) for name in names}


def _value(given: Any, values: list) -> Any:
    return next((one for one in values if one == given or str(one) == given), _ABSENT)
