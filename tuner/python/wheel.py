# SPDX-License-Identifier: Apache-2.0
"""Puts a wheel together: wheel.py BUILD OUTPUT. The package, and Gridsmith installed below it, with the libraries that a
minimal system lacks; for every Python, since nothing of it is compiled for one."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TAG = "py3-none-manylinux_2_35_x86_64"  # the oldest C library with all that ours call
# Of an installed tree: what Python has no use for.
LEFT_OUT = re.compile(r"^(include|lib/cmake|lib/python3|share/(doc|man|bash-completion|zsh|fish|gridsmith/ci))/|^lib/libgridsmith\.so$|^bin/gridsmith-mpi$")


def version() -> str:
    return re.search(r"VERSION (\d+\.\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def installed(build: str, prefix: Path) -> dict[str, Path]:
    """Names below the package, and the files."""
    for component in ([], ["--component", "bundled"]):
        subprocess.run(["cmake", "--install", build, "--prefix", prefix, "--strip", *component], check=True, stdout=subprocess.DEVNULL)
    files = {}
    for folder, _, names in os.walk(prefix):
        for name in names:
            below = (Path(folder) / name).relative_to(prefix).as_posix()
            if not LEFT_OUT.match(below):
                files[f"gridsmith/{below}"] = Path(folder) / name
    # A wheel has no links: a library is there once, by the name that programs ask for.
    targets = {file.resolve() for file in files.values() if file.is_symlink()}
    return {name: file for name, file in files.items() if file.is_symlink() or file not in targets}


def too_new(files: dict[str, Path]) -> set[str]:
    """Versions of the C library's symbols that the tag does not promise."""
    most = tuple(map(int, re.search(r"manylinux_(\d+)_(\d+)", TAG).groups()))
    found = set()
    for file in files.values():
        if file.read_bytes()[:4] == b"\x7fELF":
            symbols = subprocess.run(["objdump", "-T", file], capture_output=True, text=True).stdout
            found |= {word for word in re.findall(r"GLIBC_(\d+\.\d+)", symbols) if tuple(map(int, word.split("."))) > most}
    return found


def metadata() -> dict[str, str]:
    return {
        "METADATA": f"""Metadata-Version: 2.1
Name: gridsmith
Version: {version()}
Summary: Tunes CUDA kernels, with evidence
License: Apache-2.0
License-File: LICENSE
License-File: NOTICE
Requires-Python: >=3.9
Provides-Extra: kernel_tuner
Requires-Dist: numpy; extra == 'kernel_tuner'
Description-Content-Type: text/markdown

{(ROOT / "docs/python.md").read_text()}""",
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: gridsmith\nRoot-Is-Purelib: false\nTag: {TAG}\n",
        "entry_points.txt": "[console_scripts]\ngridsmith = gridsmith._program:main\n",
        "LICENSE": (ROOT / "LICENSE").read_text(),
        "NOTICE": (ROOT / "NOTICE").read_text(),
    }


class Wheel:
    def __init__(self, file: Path) -> None:
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)
        self._record: list[str] = []

    def add(self, name: str, content: bytes, executable: bool = False) -> None:
        entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))  # the same bytes from the same build
        entry.external_attr = (0o100755 if executable else 0o100644) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self._zip.writestr(entry, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self._record.append(f"{name},sha256={digest},{len(content)}")

    def close(self, folder: str) -> None:
        lines = "\n".join([*self._record, f"{folder}/RECORD,,"]) + "\n"
        self._zip.writestr(f"{folder}/RECORD", lines)
        self._zip.close()


def main(build: str, output: str) -> None:
    file = Path(output) / f"gridsmith-{version()}-{TAG}.whl"
    with tempfile.TemporaryDirectory() as folder:
        files = installed(build, Path(folder))
        if newer := too_new(files):
            print(f"wheel: needs the C library {', '.join(sorted(newer))}; the tag promises {TAG}", file=sys.stderr)
            raise SystemExit(1)
        wheel = Wheel(file)
        for source in sorted((HERE / "gridsmith").glob("*.py")) + [HERE / "gridsmith/py.typed"]:
            wheel.add(f"gridsmith/{source.name}", source.read_bytes())
        for name, source in sorted(files.items()):
            wheel.add(name, source.read_bytes(), os.access(source, os.X_OK))
        info = f"gridsmith-{version()}.dist-info"
        for name, content in metadata().items():
            wheel.add(f"{info}/{name}", content.encode())
        wheel.close(info)
    print(file)


if __name__ == "__main__":
    main(*sys.argv[1:])
