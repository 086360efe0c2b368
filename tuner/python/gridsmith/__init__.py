# SPDX-License-Identifier: Apache-2.0
"""Gridsmith tunes CUDA kernels: the fastest configuration of a kernel on this GPU, with evidence.

    import gridsmith as gs
    answer = gs.tune("transpose", size=(8192, 8192))
    print(answer)                       # what the program prints
    answer.best, answer.time_ms         # {'block_size_x': 32, …}, 0.132
    answer.kernel()(out, x, m, n)       # launch it on CuPy, PyTorch or numpy arrays
"""

from __future__ import annotations

from gridsmith._answer import Answer, write
from gridsmith._check import Check, check, command
from gridsmith._library import TYPE_CHECKING, Error, InputError, NoDevice, Stopped
from gridsmith._measure import Binary, compare, measure
from gridsmith._session import Objective, Session, Space, Strategy, devices, settings, tune, version

if TYPE_CHECKING:
    from typing import Any

    from gridsmith._launch import Kernel

__all__ = ["Answer", "Binary", "Check", "Error", "InputError", "Kernel", "NoDevice", "Objective", "Session", "Space", "Stopped", "Strategy", "check",
           "command", "compare", "devices", "measure", "settings", "tune", "version", "write"]


def __getattr__(name: str) -> Any:
    if name == "Kernel":  # opens the CUDA driver
        from gridsmith._launch import Kernel

        return Kernel
    if name == "__version__":
        return version()
    raise AttributeError(f"module 'gridsmith' has no attribute '{name}'")
