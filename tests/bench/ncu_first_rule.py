#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Nsight Compute's rules say first of planted kernels.
   ncu_first_rule.py CASES.json FOLDER
FOLDER has a NAME.csv for each definition NAME.json, as this writes it:
   ncu --set full --csv --page details --clock-control none gridsmith run NAME.json --configuration … --launches 1
Rules that name no cause are passed over; others count as right for every cause that they can mean."""
import csv
import json
import os
import sys

OCCUPANCY = {"occupancy_registers", "occupancy_shared_memory", "occupancy_block_size"}
LOCAL = {"local_arrays", "spills"}
SCATTERED = {"uncoalesced_access", "misaligned_access"}
RULES = {
    "TheoreticalOccupancy": OCCUPANCY,
    "AchievedOccupancy": {"tail", "imbalance"},
    "LaunchConfiguration": {"grid_too_small", "tail", "launch_bound"},
    "WorkloadImbalance": {"tail", "imbalance", "grid_too_small"},
    "UncoalescedGlobalAccess": SCATTERED,
    "SharedMemoryConflicts": {"bank_conflicts", "atomic_contention"},
    "UncoalescedSharedAccess": {"bank_conflicts", "atomic_contention"},
    "ThreadDivergence": {"divergence"},
    "SOLFPRoofline": {"fp64"},
}
STALLS = [
    ("barrier", {"barriers"}),
    ("l1tex", {"memory_latency"}),
    ("fixed latency", {"instruction_latency"}),
    ("scoreboard dependency on a mio", {"instruction_latency"}),
    ("mio (memory", {"special_functions", "constant_divergence", "type_conversions", "bank_conflicts"}),
    ("immediate constant", {"constant_divergence"}),
    ("local/global", {"narrow_access"}),
]


def causes(rule, text):
    """What a rule can mean; None: nothing in particular."""
    text = text.lower()
    if rule == "CPIStall":
        return next((found for words, found in STALLS if words in text), set())
    if rule == "MemoryCacheAccessPattern":
        return LOCAL if "local" in text else SCATTERED | {"partial_writes", "narrow_access"}
    return RULES.get(rule)


def rules_of(path):
    """(speed-up, rule, causes), the largest speed-up first."""
    with open(path, errors="replace") as file:
        text = file.read()
    found = []
    for row in csv.DictReader(text[text.index('"ID",') :].splitlines()):
        meant = causes(row["Rule Name"], row["Rule Description"]) if row["Rule Name"] else None
        percent = float(row["Estimated Speedup"] or 0)
        if meant is not None and 0 < percent < 100:
            found.append((1 / (1 - percent / 100), row["Rule Name"], meant))
    found.sort(key=lambda one: -one[0])
    return found


def main(cases, folder):
    right = planted = 0
    print(f"{'kernel':14}{'planted':26}{'first rule':28}{'its speed-up':>12}")
    for case in json.load(open(cases)):
        name = case["definition"].removesuffix(".json")
        found = rules_of(os.path.join(folder, name + ".csv"))
        gain, rule, meant = found[0] if found else (1, "none", set())
        planted += case["cause"] != "none"
        right += case["cause"] in meant
        print(f"{name:14}{case['cause']:26}{rule:28}{gain:12.2f}  {'right' if case['cause'] in meant else ''}")
    print(f"{right} of {planted} first rules right")


main(*sys.argv[1:])
