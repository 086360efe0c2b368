#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch's attention, layer norm and softmax beside the catalogue's: a table, nothing asserted.

Needs an H200, whose shipped recordings have our best, and PyTorch. Each operation is captured in a CUDA
graph and replayed between two events, the L2 flushed before every sample, as Gridsmith samples; products
are in full single precision.

  compare_pytorch.py BUILD/bin/gridsmith > table.md
"""
import json
import os
import statistics
import subprocess
import sys

import torch
from torch.nn import functional

SAMPLES = 25


def numbers(*shape, kind=torch.float32):
    return torch.rand(*shape, device="cuda", dtype=torch.float32).sub_(0.5).to(kind)


def attention(kind):
    query, key, value = (numbers(1, 16, 4096, 64, kind=kind) for _ in range(3))
    return lambda: functional.scaled_dot_product_attention(query, key, value)


def layer_norm():
    rows, scale, shift = numbers(16384, 4096), numbers(4096), numbers(4096)
    return lambda: functional.layer_norm(rows, (4096,), scale, shift)


def softmax():
    rows = numbers(8192, 8192)
    return lambda: torch.softmax(rows, 1)


CASES = [("attention", "16x4096", lambda: attention(torch.float32)),
         ("attention_half", "16x4096", lambda: attention(torch.float16)),
         ("layer_norm", "16384x4096", layer_norm), ("softmax", "8192x8192", softmax)]


def captured(operation):
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            operation()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        operation()
    return graph


def times_ms(operation):
    graph, flushed = captured(operation), torch.empty(1 << 28, device="cuda", dtype=torch.uint8)
    times = []
    for _ in range(SAMPLES):
        flushed.zero_()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    return times


def recorded_ms(gridsmith, kernel, size):
    words = [gridsmith, "tune", kernel, "--size", size, "--exhaustive", "--json", "--quiet", "--no-store"]
    shown = subprocess.run(words, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""}, capture_output=True,
                           check=True).stdout
    return json.loads(shown)["best"]["time_ms"]["median"]


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: compare_pytorch.py BUILD/bin/gridsmith")
    gridsmith = sys.argv[1]
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, L2 flushed, "
          f"medians of {SAMPLES}\n")
    print("| kernel | problem | PyTorch ms | middle half | ours ms | PyTorch over ours |")
    print("|---|---|---|---|---|---|")
    for kernel, size, make in CASES:
        times = times_ms(make())
        quarters = statistics.quantiles(times, n=4)
        ours = recorded_ms(gridsmith, kernel, size)
        theirs = statistics.median(times)
        print(f"| {kernel} | {size} | {theirs:.4g} | {quarters[0]:.4g} to {quarters[2]:.4g} "
              f"| {ours:.4g} | {theirs / ours:.3f} |", flush=True)


if __name__ == "__main__":
    main()
