# SPDX-License-Identifier: Apache-2.0
"""The wheel: its list of files is true, and it works where nothing of the build is."""

import base64
import csv
import hashlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

BUILD = Path(os.environ["GRIDSMITH_BUILD"])
SCRIPT = Path(__file__).resolve().parents[2] / "tuner/python/wheel.py"
USED = """
import gridsmith as gs
answer = gs.tune("transpose", size=(8192, 8192), evaluations=10, note=None)
assert gs.__file__.startswith(%r), gs.__file__
print(gs.version(), answer.best["TILE"])
"""


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        made = subprocess.run([sys.executable, SCRIPT, BUILD, cls.folder], capture_output=True, text=True)
        assert made.returncode == 0, made.stderr
        cls.wheel = Path(made.stdout.strip())

    def clean(self, **more: str) -> dict[str, str]:
        """The environment of a user who has neither the build nor the sources."""
        hidden = ("PYTHONPATH", "GRIDSMITH_LIBRARY", "GRIDSMITH_BUILD", "LD_LIBRARY_PATH")
        return {**{name: value for name, value in os.environ.items() if name not in hidden}, **more}

    def test_the_record_is_true(self) -> None:
        with zipfile.ZipFile(self.wheel) as wheel:
            record = next(name for name in wheel.namelist() if name.endswith(".dist-info/RECORD"))
            rows = {name: (digest, size) for name, digest, size in csv.reader(io.StringIO(wheel.read(record).decode()))}
            self.assertEqual(set(rows), set(wheel.namelist()))
            for name in set(rows) - {record}:
                content = wheel.read(name)
                digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                self.assertEqual(rows[name], (f"sha256={digest}", str(len(content))), name)

    def test_it_works_unpacked(self) -> None:
        place = self.folder / "unpacked"
        with zipfile.ZipFile(self.wheel) as wheel:
            for entry in wheel.infolist():
                wheel.extract(entry, place)
                (place / entry.filename).chmod(entry.external_attr >> 16)
        said = subprocess.run([sys.executable, "-c", USED % str(place)], capture_output=True, text=True, cwd="/",
                              env=self.clean(PYTHONPATH=str(place)))
        self.assertEqual(said.returncode, 0, said.stderr)
        program = subprocess.run([place / "gridsmith/bin/gridsmith", "--version"], capture_output=True, text=True, env=self.clean())
        self.assertEqual(program.stdout.split()[1].partition("+")[0], said.stdout.split()[0])

    def test_it_is_installed_by_pip(self) -> None:
        place = self.folder / "environment"
        made = subprocess.run([sys.executable, "-m", "venv", place], capture_output=True, text=True)
        if made.returncode != 0:
            self.skipTest("this Python makes no environment with pip (python3-venv)")
        subprocess.run([place / "bin/python", "-m", "pip", "install", "--no-index", "--no-deps", "-q", self.wheel], check=True,
                       env=self.clean())
        said = subprocess.run([place / "bin/python", "-c", USED % str(place)], capture_output=True, text=True, cwd="/", env=self.clean())
        self.assertEqual(said.returncode, 0, said.stderr)
        kernels = subprocess.run([place / "bin/gridsmith", "kernels"], capture_output=True, text=True, env=self.clean())
        self.assertIn("transpose", kernels.stdout)


if __name__ == "__main__":
    unittest.main()
