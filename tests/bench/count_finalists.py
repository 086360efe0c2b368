#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds the full set of counters to the finalists of shipped recordings, whose times stay as they are. From the root.

  tests/bench/count_finalists.py choose > wanted.json      which configurations of which recordings; needs no GPU
  tests/bench/count_finalists.py count wanted.json --into DIR [--seconds S]    needs the GPU product of the recordings, no ncu beside it
  tests/bench/count_finalists.py merge DIR                 takes what was counted into the recordings

The finalists of a recording are those that its answer shows (the ranking, the default, the slowest tried) and the fastest of
all. `count` can be broken off and repeated: what its store has is not measured again. `merge` adds counters that a row lacks
and says in the row when, and with which driver and toolkit, they were read ("counted"). It leaves out what was compiled from
other code or into other registers than the row's. GRIDSMITH names the program (build/bin/gridsmith).
"""
import argparse
import gzip
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

PROGRAM = os.environ.get("GRIDSMITH", "build/bin/gridsmith")
CATALOGUE = pathlib.Path("kernels/catalogue")
FASTEST = 6  # as many as are measured again at the end of a search
FULL = 60  # counters and more: the full set was read


def text_of(path):
    data = pathlib.Path(path).read_bytes()
    return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()


def configuration(recording, row):
    return {one["name"]: value for one, value in zip(recording["parameters"], row["values"])}


def counters(recording, row):
    return {name: value for name, value in zip(recording["counters"], row.get("counters") or []) if value is not None}


def fastest_first(recording):
    right = [row for row in recording["rows"] if row["status"] == "correct" and row.get("times_ms")]
    return sorted(right, key=lambda row: statistics.median(row["times_ms"]))


def answered(file, kernel, problem):
    """What the answer of a replay shows."""
    with tempfile.TemporaryDirectory() as folder:
        tried = os.path.join(folder, "tried.json")
        answer = subprocess.run([PROGRAM, "tune", kernel, "--size", problem, "--recording", str(file), "--no-store",
                                 "--json", "--quiet", "--record", tried], capture_output=True, text=True, check=True)
        recording = json.loads(text_of(tried))
    answer = json.loads(answer.stdout)
    shown = [one["configuration"] for one in answer["ranking"]]
    if answer["default"]:
        shown.append(answer["default"])
    return shown + [configuration(recording, fastest_first(recording)[-1])]


def choose(_):
    wanted = []
    for file in sorted(CATALOGUE.glob("*/recordings/*.json.gz")):
        recording = json.loads(text_of(file))
        rows = fastest_first(recording)
        all_of_it = {json.dumps(configuration(recording, row), sort_keys=True): row for row in rows}
        names = [configuration(recording, row) for row in rows[:FASTEST]]
        names += answered(file, recording["kernel"], recording["problem"])
        missing = []
        for one in names:
            row = all_of_it.get(json.dumps(one, sort_keys=True))
            if row and one not in missing and len(counters(recording, row)) < FULL and row["geometry"].get("transfer") is None:
                missing.append(one)
        if missing:
            wanted.append({"kernel": recording["kernel"], "problem": recording["problem"], "configurations": missing})
    print("[\n" + ",\n".join(json.dumps(one) for one in wanted) + "\n]")


def count(options):
    into = pathlib.Path(options.into)
    into.mkdir(parents=True, exist_ok=True)
    store = options.store or str(into / "counted.db")
    end = time.monotonic() + options.seconds
    failed = []
    for one in json.loads(text_of(options.wanted)):
        name = f"{one['kernel']}__{one['problem']}"
        left = end - time.monotonic()
        if left < 3:
            failed.append(name)
            print(f"{name}: the time was up", flush=True)
            continue
        command = [PROGRAM, "tune", one["kernel"], "--size", one["problem"], "--counters", "full", "--samples", "1", "--full",
                   "--finalists", "0", "--strategy", "random", "--compile-timeout", "none", "--store", store, "--json",
                   "--quiet", "--record", str(into / (name + ".json.part"))]
        for values in one["configurations"]:
            command += ["--configuration", ",".join(f"{key}={value}" for key, value in values.items())]
        began = time.monotonic()
        try:
            ended = subprocess.run(command, capture_output=True, text=True, timeout=min(left, options.each))
            code, said = ended.returncode, ended.stderr.strip().splitlines()[-1:]
        except subprocess.TimeoutExpired:
            code, said = 124, ["it took too long"]
        took = f"{time.monotonic() - began:.1f} s"
        part = into / (name + ".json.part")
        if code == 0 and part.exists():
            part.rename(into / (name + ".json"))
            result = json.loads(text_of(into / (name + ".json")))
            full = sum(len(counters(result, row)) >= FULL for row in result["rows"])
            why = next((row["uncounted_because"] for row in result["rows"] if row.get("uncounted_because")), "")
            print(f"{name}: {full} of {len(one['configurations'])} counted in full, {took}{'; ' + why if why else ''}", flush=True)
            if full == 0:
                failed.append(name)
        else:
            failed.append(name)
            print(f"{name}: failed with {code}, {took}: {' '.join(said)}", flush=True)
    print(f"not counted: {', '.join(failed) or 'none'}", flush=True)
    sys.exit(1 if failed else 0)


def shipped(kernel, problem, device):
    for file in sorted((CATALOGUE / kernel / "recordings").glob("*.json.gz")):
        recording = json.loads(text_of(file))
        if (recording["problem"], recording["device"]["name"]) == (problem, device):
            return file, recording
    return None, None


def registers(row):
    return (row.get("compile_facts") or {}).get("registers_per_thread")


def same_code(a, b):
    """Hashes of old recordings do not tell the code from the definition: then the registers of each row decide."""
    codes = [one.get("source_hash", "").split(".") for one in (a, b)]
    return any(len(code) < 2 for code in codes) or codes[0][0] == codes[1][0]


def with_counters(line, row, added, names, counted):
    """The row's line, `counters` at its end, with those added."""
    values = list(row["counters"]) + [None] * (len(names) - len(row["counters"]))
    for name, value in added.items():
        values[names.index(name)] = value
    head = line[: line.rindex('"counters":[')]
    if row.get("counted") is None:
        head += f'"counted":{json.dumps(counted, separators=(",", ":"))},'
    ending = "," if line.rstrip().endswith(",") else ""
    return head + '"counters":' + json.dumps(values, separators=(",", ":")) + "}" + ending


def merge(options):
    total = 0
    for result_file in sorted(pathlib.Path(options.folder).glob("**/*.json")):
        result = json.loads(text_of(result_file))
        if "gridsmith recording" not in result:
            continue
        name = f"{result['kernel']} {result['problem']}"
        file, recording = shipped(result["kernel"], result["problem"], result["device"]["name"])
        if not file:
            print(f"{name}: no recording of it on {result['device']['name']} is shipped")
            continue
        if not same_code(result, recording):
            print(f"{name}: left out, the code has changed since it was recorded")
            continue
        device = result["device"]
        lines = text_of(file).split("\n")
        first = next(i for i, line in enumerate(lines) if line.startswith('"rows": [')) + 1
        names = list(recording["counters"])
        place = {json.dumps(configuration(recording, row), sort_keys=True): i for i, row in enumerate(recording["rows"])}
        taken = left_out = 0
        for counted_row in result["rows"]:
            i = place.get(json.dumps(configuration(result, counted_row), sort_keys=True))
            if i is None or counted_row["status"] != "correct" or registers(counted_row) != registers(recording["rows"][i]):
                left_out += 1
                continue
            row = recording["rows"][i]
            had = counters(recording, row)
            added = {key: value for key, value in counters(result, counted_row).items() if key not in had}
            if not added or not had:
                left_out += not had
                continue
            names += [key for key in added if key not in names]
            counted = {"date": counted_row.get("when") or result["date"], "driver": device.get("driver_version", ""),
                       "toolkit": device.get("toolkit_version", "")}
            lines[first + i] = with_counters(lines[first + i], row, added, names, counted)
            taken += 1
        if taken:
            at = next(i for i, line in enumerate(lines) if line.startswith('"counters": '))
            lines[at] = '"counters": ' + json.dumps(names, separators=(",", ":")) + ","
            json.loads("\n".join(lines))  # it is still whole
            file.write_bytes(gzip.compress("\n".join(lines).encode(), 9, mtime=0))
        total += taken
        print(f"{name}: counters added to {taken}, {left_out} left out")
    print(f"{total} in all")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    commands.add_parser("choose").set_defaults(run=choose)
    counting = commands.add_parser("count")
    counting.add_argument("wanted")
    counting.add_argument("--into", required=True)
    counting.add_argument("--store")
    counting.add_argument("--seconds", type=float, default=1e9)
    counting.add_argument("--each", type=float, default=120)
    counting.set_defaults(run=count)
    merging = commands.add_parser("merge")
    merging.add_argument("folder")
    merging.set_defaults(run=merge)
    options = parser.parse_args()
    options.run(options)


main()
