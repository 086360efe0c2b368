#!/usr/bin/env python3
"""Our counters against ncu's on the same kernels: a table of ratios, nothing asserted.

Needs a GPU, ncu and permission to count. For each kernel a few configurations are counted by Gridsmith
(`tune --counters full`), then each is launched again under `ncu --clock-control none
--cache-control all`, and the median of its launches is set beside ours.

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
USUAL = ["copy@1000003", "copy@16777216", "vector_add", "reduction", "histogram", "stencil",
         "divergence", "transpose@1000x3000", "transpose@8192x8192", "matmul@1024x1024x1024",
         "matmul@4096x4096x4096"]
LAUNCHES = 12  # of each configuration under ncu
ALLOWED = 0.03


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def ours(gridsmith, kernel, size, count):
    with tempfile.NamedTemporaryFile(suffix=".csv") as out:
        done = run(gridsmith, "tune", kernel, *(["--size", size] if size else []), "--strategy", "random",
                   "--seed", "3", "--evaluations", str(count), "--finalists", "0", "--full", "--counters",
                   "full", "--no-store", "--quiet", "--csv", out.name)
        if done.returncode:
            sys.exit(done.stderr)
        return list(csv.DictReader(open(out.name)))


def ncu(gridsmith, kernel, size, configuration, entry):
    command = ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--print-fp", "--clock-control",
               "none", "--cache-control", "all", "--target-processes", "all", "-k", f"regex:^{entry}$",
               "--launch-skip", "1", "--launch-count", str(LAUNCHES), "--metrics",
               ",".join(name for _, name, _ in METRICS),
               gridsmith, "explain", kernel, *(["--size", size] if size else []), "--configuration",
               configuration, "--against", configuration, "--store", "/tmp/compare_ncu.db", "--unconfined"]
    run("rm", "-f", "/tmp/compare_ncu.db")
    done = run(*command)
    lines = done.stdout.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        print(done.stdout[-500:], done.stderr[-500:], file=sys.stderr)
        return []
    rows = list(csv.DictReader(io.StringIO("\n".join(lines[start:]))))
    return [row for row in rows if row["ID"].isdigit()]


def number(text):
    return float(text.replace(",", ""))


def main():
    gridsmith, wanted = sys.argv[1], sys.argv[2:] or USUAL
    titles = [title for title, _, _ in METRICS]
    print("ours : median of ncu (ratio); * beyond 3 % and beyond ncu's own middle half\n")
    print("| kernel | configuration | " + " | ".join(titles) + " |")
    print("|" + "---|" * (2 + len(titles)))
    beyond = total = 0
    for word in wanted:
        kernel, _, size = word.partition("@")
        for row in ours(gridsmith, kernel, size, 3):
            if row["status"] != "correct":
                continue
            columns = list(row)
            names = columns[columns.index("problem") + 1:columns.index("status")]
            configuration = ",".join(f"{name}={row[name]}" for name in names)
            theirs = ncu(gridsmith, kernel, size, configuration, kernel)
            if not theirs:
                continue
            cells = []
            for _, name, divisor in METRICS:
                values = sorted(number(one[name]) / divisor for one in theirs)
                median = statistics.median(values)
                low, high = values[len(values) // 4], values[(3 * len(values)) // 4]
                mine = float(row[name]) / divisor
                ratio = mine / median if median else 1.0
                off = abs(ratio - 1) > ALLOWED and not low <= mine <= high
                beyond, total = beyond + off, total + 1
                cells.append(f"{mine:.4g} : {median:.4g} ({ratio:.3f}){'*' if off else ''}")
            print(f"| {word} | {configuration} | " + " | ".join(cells) + " |", flush=True)
    print(f"\n{total - beyond} of {total} figures within 3 % of the median of {LAUNCHES} launches, or within "
          "its middle half")


if __name__ == "__main__":
    main()
