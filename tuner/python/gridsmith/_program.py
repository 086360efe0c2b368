# SPDX-License-Identifier: Apache-2.0
"""The program of a wheel, under its name on PATH."""

import os
import sys


def main() -> None:
    program = os.path.join(os.path.dirname(os.path.realpath(__file__)), "bin", "gridsmith")
    try:
        os.execv(program, ["gridsmith", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"gridsmith: {program}: {error.strerror}")
