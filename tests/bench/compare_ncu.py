#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Our counters against ncu's on the same kernels: a table of ratios, nothing asserted.

Needs a GPU, ncu and permission to count. For each kernel the same few configurations are counted by
Gridsmith (`tune --counters full`) and launched again by it under `ncu --clock-control none
--cache-control all`, which tells them apart by our NVTX ranges; the median of ncu's launches is set
beside ours.

  compare_ncu.py BUILD/bin/gridsmith [KERNEL[@SIZE] ...] > table.md
"""
import csv
import io
import statistics
import subprocess
import sys
import tempfile

METRICS = [  # title, CUPTI's name, unit and its divisor
    ("time us", "gpu__time_duration.sum", 1e3),
    ("DRAM read MB", "dram__bytes_read.sum", 1e6),
    ("DRAM written MB", "dram__bytes_write.sum", 1e6),
    ("DRAM %", "dram__throughput.avg.pct_of_peak_sustained_elapsed", 1),
    ("L2 tag %", "lts__t_sectors.avg.pct_of_peak_sustained_elapsed", 1),
    ("issue %", "smsp__issue_active.avg.pct_of_peak_sustained_elapsed", 1),
    ("occupancy %", "sm__warps_active.avg.pct_of_peak_sustained_active", 1),
    ("load sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 1),
    ("store sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 1),
    ("instructions", "smsp__inst_executed.sum", 1),
]
USUAL = ["copy@1000003", "copy@16777216", "vector_add", "reduction@16777216", "histogram", "stencil",
         "divergence", "transpose@1000x3000", "transpose@8192x8192", "matmul@1024x1024x1024",
         "matmul@4096x4096x4096"]
CONFIGURATIONS = 3
LAUNCHES = 12  # samples of each configuration under ncu, besides the verified launch
ALLOWED = 0.03
LIMIT_S = 100  # for one kernel under ncu


def tuning(gridsmith, kernel, size, *more):
    return [gridsmith, "tune", kernel, *(["--size", size] if size else []), "--strategy", "random",
            "--seed", "3", "--evaluations", str(CONFIGURATIONS), "--finalists", "0", "--full",
            "--no-store", "--quiet", *more]


def ours(gridsmith, kernel, size):
    with tempfile.NamedTemporaryFile(suffix=".csv") as out:
        done = subprocess.run(tuning(gridsmith, kernel, size, "--counters", "full", "--csv", out.name),
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        with open(out.name, encoding="utf-8") as table:
            rows = list(csv.DictReader(table))
    columns = list(rows[0])
    names = columns[columns.index("problem") + 1:columns.index("status")]
    return {" ".join(f"{name}={row[name]}" for name in names): row
            for row in rows if row["status"] == "correct"}


def configuration_of(row):
    """Of "kernel | A=1 B=2 | stage", the name of the NVTX range; None: launched outside of one."""
    for value in row.values():
        parts = value.split(" | ") if isinstance(value, str) else []
        if len(parts) == 3:
            return parts[1].replace(",", " ").replace("  ", " ")
    return None


def ncu(gridsmith, kernel, size):
    """Launches under ncu by configuration."""
    command = ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--print-fp", "--nvtx",
               "--print-nvtx-rename", "kernel", "--clock-control", "none", "--cache-control", "all",
               "--target-processes", "all", "-k", f"regex:^{kernel}",
               "--metrics", ",".join(name for _, name, _ in METRICS),
               *tuning(gridsmith, kernel, size, "--counters", "none", "--samples", str(LAUNCHES),
                       "--unconfined")]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        print(f"{kernel} {size}: longer than {LIMIT_S} s under ncu", file=sys.stderr)
        return {}
    lines = done.stdout.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        print(done.stdout[-500:], done.stderr[-500:], file=sys.stderr)
        return {}
    found = {}
    for row in csv.DictReader(io.StringIO("\n".join(lines[start:]))):
        if row["ID"].isdigit():
            found.setdefault(configuration_of(row), []).append(row)
    return found


def number(text):
    return float(text.replace(",", ""))


class Table:
    """Prints rows as they come, counts what is beyond the limit."""

    def __init__(self):
        self.beyond = self.total = self.rows = 0
        titles = [title for title, _, _ in METRICS]
        print(f"ours : median of ncu (ratio); * beyond {100 * ALLOWED:.0f} % and beyond ncu's own "
              "middle half\n")
        print("| kernel | configuration | " + " | ".join(titles) + " |")
        print("|" + "---|" * (2 + len(titles)))

    def cell(self, mine, values):
        values.sort()
        median = statistics.median(values)
        low, high = values[len(values) // 4], values[(3 * len(values)) // 4]
        ratio = mine / median if median else 1.0
        off = abs(ratio - 1) > ALLOWED and not low <= mine <= high
        self.beyond, self.total = self.beyond + off, self.total + 1
        return f"{mine:.4g} : {median:.4g} ({ratio:.3f}){'*' if off else ''}"

    def add(self, kernel, configuration, row, launches):
        cells = [self.cell(float(row[name]) / divisor,
                           [number(one[name]) / divisor for one in launches])
                 for _, name, divisor in METRICS]
        self.rows += 1
        print(f"| {kernel} | {configuration} | " + " | ".join(cells) + " |", flush=True)


def main():
    gridsmith, wanted = sys.argv[1], sys.argv[2:] or USUAL
    table = Table()
    for word in wanted:
        kernel, _, size = word.partition("@")
        counted, profiled = ours(gridsmith, kernel, size), ncu(gridsmith, kernel, size)
        for configuration, row in counted.items():
            launches = profiled.get(configuration)
            if launches:
                table.add(word, configuration, row, launches)
            else:
                print(f"{word} {configuration}: not among ncu's {list(profiled)}", file=sys.stderr)
    print(f"\n{table.rows} configurations; {table.total - table.beyond} of {table.total} figures within "
          f"{100 * ALLOWED:.0f} % of ncu's median, or within its middle half")


if __name__ == "__main__":
    main()
