# SPDX-License-Identifier: Apache-2.0
"""The functions that the package calls are those of the header, and all that the library exports in C."""

import ctypes
import re
import subprocess
import sys
import unittest
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_uint64, c_void_p
from pathlib import Path

from gridsmith import _library
from gridsmith._library import library

ROOT = Path(__file__).resolve().parents[2]
HEADER = re.sub(r"/\*.*?\*/", "", (ROOT / "tuner/embedding/gridsmith.h").read_text(), flags=re.S)

HANDLES = {"gridsmith_session", "gridsmith_outcomes", "gridsmith_space", "gridsmith_code", "gridsmith_check"}
TYPES = {
    "void": None, "int": c_int, "gridsmith_status": c_int, "uint64_t": c_uint64, "size_t": c_size_t, "double": c_double,
    "char*": c_char_p, "char**": POINTER(c_char_p), "void*": c_void_p, "uint64_t*": POINTER(c_uint64),
    "size_t*": POINTER(c_size_t), "gridsmith_listener*": POINTER(_library.Listener),
    "gridsmith_strategy*": POINTER(_library.Strategy),
    "gridsmith_value*": POINTER(_library.Value),
    **{f"{name}*": c_void_p for name in HANDLES}, **{f"{name}**": POINTER(c_void_p) for name in HANDLES},
}


def declared() -> dict[str, tuple[object, list[object]]]:
    """Name, result and arguments of each function of the header."""
    found = {}
    for result, name, arguments in re.findall(r"^([\w \*]+?)\s*\b(gridsmith_\w+)\(([^()]*)\);", HEADER, flags=re.M):
        words = [] if arguments.strip() == "void" else [re.sub(r"\s*\w+$", "", one.strip()) for one in arguments.split(",")]
        plain = [re.sub(r"\s+", "", re.sub(r"\bconst\b", "", one)) for one in [result, *words]]
        found[name] = (TYPES[plain[0]], [TYPES[one] for one in plain[1:]])
    return found


class Interface(unittest.TestCase):
    def test_every_function_of_the_header_has_the_same_types_here(self) -> None:
        own = dict(_library.FUNCTIONS)
        own["gridsmith_free"] = (None, [c_char_p])  # called with the address that was handed out
        self.assertEqual(declared(), own)
        self.assertGreater(len(own), 20)

    def test_the_library_exports_these_in_c(self) -> None:
        listed = subprocess.run(["nm", "-D", "--defined-only", library()._name], capture_output=True, text=True)
        if listed.returncode != 0:
            self.skipTest("no nm here")
        exported = {line.split()[2] for line in listed.stdout.splitlines() if re.match(r"\w+ T gridsmith_", line)}
        self.assertEqual(exported, set(declared()))

    def test_a_structure_has_the_fields_of_the_header(self) -> None:
        for name, own in {"listener": _library.Listener, "strategy": _library.Strategy, "observation": _library.Observation,
                          "value": _library.Value}.items():
            body = re.search(r"typedef struct gridsmith_%s \{(.*?)\} gridsmith_%s;" % (name, name), HEADER, flags=re.S)
            fields = re.findall(r"\(\*(\w+)\)|\b(\w+);", body.group(1))
            self.assertEqual([one or other for one, other in fields], [field for field, _ in own._fields_])

    def test_the_same_numbers(self) -> None:
        for name, number in re.findall(r"GRIDSMITH_(\w+) = (\d+)", HEADER):
            self.assertEqual(getattr(_library, name), int(number))
        self.assertEqual(int(re.search(r"#define GRIDSMITH_INTERFACE (\d+)", HEADER).group(1)), _library.INTERFACE)

    def test_importing_is_quick_and_opens_no_library(self) -> None:
        code = ("import sys, time; start = time.process_time(); import gridsmith; taken = time.process_time() - start; "
                "assert not {'numpy', 'typing', 'ast'} & set(sys.modules) and gridsmith._library._opened is None; print(taken)")
        taken = min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
                    for _ in range(5))
        self.assertLess(taken, 0.1)  # 0.025 s of a core, usually; slower machines are allowed for

    def test_what_cannot_be_opened_is_said_in_one_line(self) -> None:
        code = "import gridsmith\ntry:\n  gridsmith.version()\nexcept ImportError as error:\n  print(error)"
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                              env={"PYTHONPATH": str(ROOT / "tuner/python"), "GRIDSMITH_LIBRARY": "/no/such/file"}).stdout
        self.assertTrue(said.startswith("gridsmith: its library cannot be opened: /no/such/file"), said)
        self.assertEqual(said.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
