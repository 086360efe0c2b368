#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What several GPUs of one machine bring: tables, nothing asserted.

Two spaces that keep one GPU busy for a minute (many_gpus/), every configuration measured with as
many samples as any other, counters off, the cubin cache warm: by one GPU, by `--devices all`, by
gridsmith-mpi. Then the default strategy with equal numbers of evaluations and several seeds. Needs
GPUs; without mpirun and gridsmith-mpi beside the program their rows are left out.

  many_gpus.py BUILD/bin/gridsmith [--kernels matmul_wide,histogram_wide] [--ranks 2] [--seeds 3]
               [--evaluations 80] [--seconds 420] [--keep FOLDER] > table.md

--seconds: of everything; a run that would begin later is left out, and said.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SAMPLES = {"matmul_wide": 30, "histogram_wide": 80}  # so that one GPU takes a minute
HERE = pathlib.Path(__file__).resolve().parent / "many_gpus"
SOURCES = HERE.parents[2] / "kernels" / "catalogue"
LIMIT_S = 200  # of one run


class OutOfTime(Exception):
    pass


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.begun = time.monotonic()
        self.program = pathlib.Path(options.program).resolve()
        self.ranks = str(options.ranks)

    def command(self, where):
        """None: not here."""
        if where == "one GPU":
            return [str(self.program)], ["--gpu", "0"]
        if where == "--devices all":
            return [str(self.program)], ["--devices", "all"]
        mpi, mpirun = self.program.with_name("gridsmith-mpi"), shutil.which("mpirun")
        if not mpi.exists() or not mpirun:
            return None
        return [mpirun, "--oversubscribe", "-n", self.ranks, str(mpi)], []

    def tune(self, where, kernel, more, samples=None):
        """The answer, the times at which measurements were heard, and the whole wall-clock."""
        program, device = self.command(where)
        if time.monotonic() - self.begun > self.options.seconds:
            raise OutOfTime(f"{kernel} by {where}")
        name = f"{kernel}-{where}-{'-'.join(more)}".replace(" ", "_").replace("/", "_")
        recording, answer = self.folder / f"{name}.recording.json", self.folder / f"{name}.json"
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        begin = time.monotonic()
        with open(answer, "w", encoding="utf-8") as out:
            done = subprocess.run(
                [*program, "tune", str(HERE / f"{kernel}.json"), "--include", str(SOURCES), "--full", "--interval", "0.0001", "--samples",
                 str(samples or SAMPLES[kernel]), "--counters", "none", "--no-store", "--json", "--quiet", "--record",
                 str(recording), *device, *more],
                stdout=out, stderr=subprocess.PIPE, text=True, env=environment, timeout=LIMIT_S)
        whole = time.monotonic() - begin
        if done.returncode:
            sys.exit(f"{name}: exit code {done.returncode}\n{done.stderr}")
        with open(answer, encoding="utf-8") as text, open(recording, encoding="utf-8") as rows:
            return json.load(text), heard(json.load(rows)), whole


def heard(recording):
    """When each measurement of the search was, seconds since the processes were started."""
    return sorted(row["at_s"] for row in recording["rows"] if "at_s" in row)


def configuration(answer):
    return json.dumps(answer["best"]["configuration"], sort_keys=True)


def tied(answer):
    """Those of the finals that cannot be told from the best, itself too."""
    rows = [row for row in answer["ranking"] if row["tied"]]
    return {configuration(answer)} | {json.dumps(row["configuration"], sort_keys=True) for row in rows}


def winner(answer, alone):
    if configuration(answer) == configuration(alone):
        return "the same"
    return "tied with it" if tied(answer) & tied(alone) else "another"


def row(*cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def exhaustive(bench, kernel, alone):
    for where in ("one GPU", "--devices all", "mpirun"):
        if bench.command(where) is None:
            continue
        answer, at, whole = bench.tune(where, kernel, ["--exhaustive"])
        span = at[-1] - at[0]
        rate = (len(at) - 1) / span
        alone.setdefault(kernel, (answer, rate, answer["seconds"], whole))
        first, one_rate, one_seconds, one_whole = alone[kernel]
        shares = "; ".join(f"{gpu['evaluations']}, x {gpu['ratio'] or 1:.3f}" for gpu in answer.get("gpus", []))
        row(kernel, where, str(answer["evaluations"]), f"{span:.1f}", f"{rate:.2f}", f"{rate / one_rate:.2f}",
            f"{at[0]:.2f}", f"{answer['seconds']:.1f}", f"{one_seconds / answer['seconds']:.2f}", f"{whole:.1f}",
            f"{one_whole / whole:.2f}", winner(answer, first), f"{answer['best']['time_ms']['median']:.5f}", shares)


def to_the_answer(bench, kernel):
    """Seeds in turn, so that what drifts meets all."""
    seconds, whole, best = {}, {}, {}
    for seed in range(1, bench.options.seeds + 1):
        for where in ("one GPU", "--devices all", "mpirun"):
            if bench.command(where) is None or (where == "mpirun" and seed > 1):
                continue
            answer, _, wall = bench.tune(where, kernel, ["--evaluations", str(bench.options.evaluations), "--seed",
                                                         str(seed)])
            seconds.setdefault(where, []).append(answer["seconds"])
            whole.setdefault(where, []).append(wall)
            best.setdefault(where, []).append(answer["best"]["time_ms"]["median"])
    for where, list_of in seconds.items():
        one, n = statistics.mean(seconds["one GPU"][:len(list_of)]), len(list_of)
        row(kernel, where, str(n), str(bench.options.evaluations), f"{statistics.mean(list_of):.2f}",
            f"{one / statistics.mean(list_of):.2f}", f"{statistics.mean(whole[where]):.2f}",
            f"{statistics.mean(whole['one GPU'][:n]) / statistics.mean(whole[where]):.2f}",
            ", ".join(f"{ms:.5f}" for ms in best[where]))


def heads(*cells):
    print()
    row(*cells)
    row(*["---"] * len(cells))


def run(bench, kernels):
    for kernel in kernels:  # compiles everything once
        begin = time.monotonic()
        bench.tune("--devices all", kernel, ["--exhaustive", "--finalists", "0"], samples=2)
        print(f"{kernel}: cubin cache filled in {time.monotonic() - begin:.1f} s", file=sys.stderr)
    alone = {}
    heads("kernel", "GPUs", "configurations", "first to last measurement s", "evaluations/s", "times",
          "start-up s", "first question to answer s", "times", "whole wall-clock s", "times", "winner", "best ms",
          "of each GPU: evaluations, its times are multiplied by")
    for kernel in kernels:
        exhaustive(bench, kernel, alone)
    heads("kernel", "GPUs", "seeds", "evaluations", "first question to answer s", "times", "whole wall-clock s", "times",
          "best ms by seed")
    for kernel in kernels:
        to_the_answer(bench, kernel)


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("program", metavar="BUILD/bin/gridsmith")
    words.add_argument("--kernels", default="matmul_wide,histogram_wide")
    words.add_argument("--ranks", type=int, default=2)
    words.add_argument("--seeds", type=int, default=3)
    words.add_argument("--evaluations", type=int, default=80)
    words.add_argument("--seconds", type=float, default=420)
    words.add_argument("--keep", help="folder for answers and recordings")
    options = words.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(options.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        bench = Bench(options, folder)
        try:
            run(bench, options.kernels.split(","))
        except OutOfTime as left:
            print(f"\nout of time: {left} and what follows it is left out")
        print(f"\n{time.monotonic() - bench.begun:.0f} s in all")


if __name__ == "__main__":
    main()
