# SPDX-License-Identifier: Apache-2.0
"""Tuning from Python, on shipped recordings: there is no GPU where this runs."""

import contextlib
import copy
import csv
import io
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from ctypes import c_void_p
from pathlib import Path
from unittest import mock

import gridsmith as gs
from gridsmith import _launch, _measure

TRANSPOSE = dict(kernel="transpose", size=(8192, 8192), note=None)


class Answers(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.notes: list[str] = []
        cls.answer = gs.tune("transpose", size=(8192, 8192), evaluations=30, note=cls.notes.append)

    def test_the_best_has_its_time_and_interval(self) -> None:
        answer = self.answer
        self.assertEqual((answer.kernel_name, answer.size, answer.device), ("transpose", (8192, 8192), "NVIDIA H200"))
        self.assertIn("TILE", answer.best)
        low, high = answer.interval_ms
        self.assertTrue(0 < low <= answer.time_ms <= high)
        self.assertEqual(answer.best, answer.ranking[0]["configuration"])
        self.assertTrue(answer.replayed)
        self.assertIn("replaying the recording of NVIDIA H200", self.notes[0])

    def test_it_is_printed_as_the_program_prints_it(self) -> None:
        self.assertTrue(str(self.answer).startswith("Best on NVIDIA H200: "))
        self.assertIn("transpose 8192x8192", repr(self.answer))
        self.assertIn("<table>", self.answer._repr_html_())
        self.assertIn("bound by", self.answer.explain())

    def test_every_measurement_is_a_row(self) -> None:
        rows = self.answer.measurements
        self.assertEqual(len(rows), 30)
        self.assertEqual(rows[0]["status"], "correct")
        self.assertIsInstance(rows[0]["TILE"], int)
        self.assertIsInstance(rows[0]["median_ms"], float)
        self.assertEqual(rows[0]["toolkit"], "13.0")
        self.assertEqual(len(list(csv.DictReader(io.StringIO(self.answer.text("csv"))))), 30)

    def test_what_has_a_handle_is_not_copied(self) -> None:
        class Keep(Climb):
            def begin(self) -> None:
                super().begin()
                self.kept = self.space

        keep = Keep()
        gs.tune(**TRANSPOSE, evaluations=2, strategy=keep)
        session = gs.Session("gemv")
        kernel = gs.Kernel.__new__(gs.Kernel)
        kernel._module = None
        makers = [copy.copy, copy.deepcopy, pickle.dumps]
        for name, one, ways in (("answer", self.answer, makers[1:]), ("session", session, makers), ("space", keep.kept, makers),
                                ("check", gs.Check(c_void_p()), makers), ("kernel", kernel, makers)):
            for way in ways:
                with self.assertRaisesRegex(TypeError, f"^an? {name} cannot be copied or pickled: "):
                    way(one)
        self.assertEqual(copy.copy(self.answer).best, self.answer.best)  # which has the same outcomes

    def test_files_in_every_format(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            header = Path(folder) / "tuned.hpp"
            self.answer.header(header)
            self.assertIn("#pragma once", header.read_text())
            self.answer.write("t4", str(Path(folder) / "t4.json"))
            with self.assertRaisesRegex(gs.InputError, "did you mean 'csv'"):
                self.answer.write("cvs", header)
            for _ in range(2):
                gs.write("csv", Path(folder) / "all.csv", [self.answer])
            self.assertIn("TILE", (Path(folder) / "all.csv").read_text())
            with self.assertRaisesRegex(gs.InputError, "tuned.hpp is a header, which is not replaced"):
                gs.write("csv", header, [self.answer])
            self.assertIn("#pragma once", header.read_text())
            with self.assertRaises(gs.InputError):
                gs.write("csv", header, [self.answer, gs.tune(**TRANSPOSE, evaluations=2)])

    def test_it_outlives_its_session(self) -> None:
        session = gs.Session("gemv", evaluations=4)
        answers = session.run()
        del session
        self.assertEqual(answers[0].json["evaluations"], 4)

    def test_several_sizes_are_one_search(self) -> None:
        answers = gs.Session("transpose", sizes=[(8192, 8192), "4096x4096"], across="each").run()
        self.assertEqual([one.size for one in answers], [(8192, 8192), (4096, 4096)])

    def test_numbers_of_other_kinds_are_settings_too(self) -> None:
        class Number:  # as numpy's
            def tolist(self) -> int:
                return 3

        answer = gs.tune(Path("transpose"), size=[8192, 8192], evaluations=Number(), note=None)
        self.assertEqual(answer.json["evaluations"], 3)
        with self.assertRaisesRegex(gs.InputError, "only: the type set is not possible; list, dict, "):
            gs.tune("transpose", only={1})


class Errors(unittest.TestCase):
    def refused(self, pattern: str, **settings: object) -> None:
        with self.assertRaisesRegex(gs.InputError, pattern) as caught:
            gs.Session(**settings).run()
        self.assertNotIn("\n", str(caught.exception))

    def test_bad_settings(self) -> None:
        self.refused("did you mean 'transpose'", kernel="transpos")
        self.refused("did you mean 'evaluations'", kernel="transpose", evaluatons=3)
        self.refused("evaluations: expected a whole number", kernel="transpose", evaluations=-1)
        self.refused("needs 2 extents", kernel="transpose", sizes=[[1, 2, 3]])
        self.refused("valid: cold, warm", kernel="transpose", regime="hot")
        self.refused("unknown parameter 'FOO'", kernel="transpose", only=[{"FOO": 1}])
        self.refused("a kernel", kernel="")
        self.assertTrue(issubclass(gs.InputError, gs.Error))

    def test_what_has_no_json_is_named(self) -> None:
        within: list = []
        within.append(within)
        outside = os.fsdecode(b"/tmp/n\xff/x")
        self.refused("^seconds: inf is not possible; numbers must be finite", kernel="transpose", seconds=float("inf"))
        self.refused("^only: it is nested too deeply", kernel="transpose", only=within)
        self.refused(r"^kernel: ./tmp/n\\udcff/x. is not UTF-8", kernel=outside)
        self.refused(r"^store: ./tmp/n\\udcff/x. is not UTF-8", kernel="transpose", store=Path(outside))
        self.refused("^kernel: None is neither a name nor a path", kernel=None)
        self.refused("^sizes: 5 is no list of sizes", kernel="transpose", sizes=5)
        for size in (("a", "b"), (None, 1), float("nan"), float("inf")):
            self.refused("^size: .* is no list of whole numbers", kernel="transpose", sizes=[size])
        with self.assertRaisesRegex(gs.InputError, "^tune: size and sizes are both given"):
            gs.tune("transpose", size=(8192, 8192), sizes=[(4096, 4096)])
        answer = gs.tune(**TRANSPOSE, evaluations=2)
        with self.assertRaisesRegex(gs.InputError, r"unknown format '5' \(valid: report, "):
            answer.text(5)
        with self.assertRaisesRegex(gs.InputError, "^file: None is neither"):
            answer.write("csv", None)

    def test_the_settings_are_listed(self) -> None:
        self.assertIn("evaluations", gs.settings())
        self.assertTrue(all(gs.settings().values()))
        self.assertIn("against", gs.settings("check"))
        with self.assertRaisesRegex(gs.InputError, r"unknown settings 'foo' \(valid: .*tune"):
            gs.settings("foo")

    def test_every_setting_has_a_type(self) -> None:
        from gridsmith._settings import CheckSettings, TuneSettings

        for of, named, types in (("tune", "kernel", TuneSettings), ("check", "baseline", CheckSettings)):
            self.assertEqual({named, *types.__annotations__}, set(gs.settings(of)))
            self.assertFalse(types.__required_keys__)

    def test_a_check_names_what_is_wrong(self) -> None:
        with self.assertRaisesRegex(gs.InputError, "did you mean 'strict'"):
            gs.check("b.json", strikt=True)
        with self.assertRaisesRegex(gs.InputError, "/no/such/baseline.json"):
            gs.check("/no/such/baseline.json")

    def test_no_gpu(self) -> None:
        with self.assertRaises(gs.NoDevice):
            gs.devices()
        with self.assertRaises(gs.NoDevice):
            gs.Kernel("transpose", {})


class Binaries(unittest.TestCase):
    def test_bad_ones_are_refused(self) -> None:
        with self.assertRaisesRegex(gs.InputError, "neither a cubin nor PTX"):
            gs.Binary(b".version 8.0", 1, 1)
        for grid in (0, (1, 2, 3, 4), [], "x", (1, None), 1.5):
            with self.assertRaisesRegex(gs.InputError, "grid: 1 to 3 numbers"):
                gs.Binary(b"\x7fELF", grid, 1)
        for words, more in {"shared: a number of bytes": {"shared": "x"}, "name: the name of a kernel": {"name": 5},
                            "code: '/no/such': No such file": {"code": "/no/such"}}.items():
            with self.assertRaisesRegex(gs.InputError, words):
                gs.Binary(**{"code": b"\x7fELF", "grid": 1, "block": 1, **more})
        with self.assertRaisesRegex(gs.InputError, "^binary: gridsmith.Binary.* is expected, not 'transpose'"):
            gs.measure("transpose", [])
        with self.assertRaisesRegex(gs.InputError, "at least two"):
            gs.compare([gs.Binary(b"\x7fELF", 1, 1)], [])
        with self.assertRaisesRegex(gs.InputError, r"args\[0\] is a int"):
            gs.measure(gs.Binary(b"\x7fELF", 1, 1), [3])

    def test_bad_arguments_are_named(self) -> None:
        import numpy

        binary, x = gs.Binary(b"\x7fELF", 1, 1), numpy.zeros(4, numpy.float32)
        for outputs in ([2], [-1], [1], 5, ["a"], [x]):
            with self.assertRaisesRegex(gs.InputError, r"^outputs: .* is no place of an array in args \(valid: 0, 3\)$"):
                gs.measure(binary, [x, numpy.int32(3), None, x], outputs=outputs)
        with self.assertRaisesRegex(gs.InputError, r"valid: none"):
            gs.measure(binary, [None], outputs=[0])
        for words, value in {"has the type <U1; possible are bool": numpy.array(["a"]), "has no elements": x[:0],
                             "is nan; a scalar must be finite": numpy.float32("nan")}.items():
            with self.assertRaisesRegex(gs.InputError, r"^args\[1\] " + words):
                gs.measure(binary, [x, value])
        with self.assertRaisesRegex(gs.InputError, "^args is a ndarray"):
            gs.measure(binary, x)

    def test_outputs_and_elements_of_two_numbers(self) -> None:
        import numpy

        arrays = [numpy.arange(4).astype(kind) for kind in ("f4", "c8", "?")]
        with tempfile.TemporaryDirectory() as folder:
            listed, inputs = _measure._arguments(arrays, numpy.array([1]), folder)
            self.assertEqual(numpy.fromfile(os.path.join(folder, inputs["argument_1"]["File"]), "c8").tolist(), [0, 1, 2, 3])
        self.assertEqual([(one["Type"], one["Size"], one["AccessType"], "Output" in one) for one in listed],
                         [("float", 4, "ReadOnly", False), ("float2", 4, "ReadWrite", True), ("uint8", 4, "ReadOnly", False)])
        for outputs, count in ((None, 3), ([], 0), (2, 1)):
            with tempfile.TemporaryDirectory() as folder:
                self.assertEqual(sum("Output" in one for one in _measure._arguments(arrays, outputs, folder)[0]), count)
        with self.assertRaises(gs.NoDevice):
            gs.measure(gs.Binary(b"\x7fELF", 1, 1), arrays, note=None)

    def test_the_launch_of_each_is_chosen_by_the_parameter(self) -> None:
        self.assertEqual(_measure._by_binary([4, 4, 4]), "4")
        for values in ([1, 2], [1, 2, 3], [5, 5, 7], [7, 5, 5], [3, 4, 3]):
            text = _measure._by_binary(values)
            self.assertEqual([eval(text, {"BINARY": number}) for number in range(len(values))], values)

    def test_what_is_measured_needs_a_gpu(self) -> None:
        import numpy

        binary = gs.Binary(b"\x7fELF", (4, 2), 64, shared=16, name="k")
        with self.assertRaises(gs.NoDevice):
            gs.measure(binary, [numpy.zeros((2, 3), numpy.float32), numpy.int32(3), None], note=None)
        with self.assertRaises(gs.NoDevice):
            gs.compare([binary, gs.Binary(b"\x7fELF", 8, 32)], [numpy.zeros(6, numpy.int8)], outputs=[0], note=None)


class Callbacks(unittest.TestCase):
    def test_progress_comes_in_this_thread(self) -> None:
        seen = []
        gs.tune(**TRANSPOSE, evaluations=10, progress=lambda state: seen.append((threading.get_ident(), state)))
        self.assertEqual({thread for thread, _ in seen}, {threading.get_ident()})
        self.assertEqual(seen[-1][1]["done"], 10)
        self.assertEqual(sum(len(state["new"]) for _, state in seen), 10)

    def test_what_a_callback_raises_is_raised_again(self) -> None:
        def fail(state: dict) -> None:
            raise LookupError("mine")

        with self.assertRaisesRegex(LookupError, "mine"):
            gs.tune(**TRANSPOSE, progress=fail)

    def test_stop_gives_what_was_measured(self) -> None:
        session = gs.Session("transpose", sizes=[(8192, 8192)])
        answers = session.run(progress=lambda state: session.stop() if state["done"] >= 5 else None)
        self.assertTrue(answers[0].json["interrupted"])
        self.assertGreater(answers[0].json["evaluations"], 0)

    def test_only_false_of_progress_ends_it(self) -> None:
        for result, ends in ((False, True), (True, False), (None, False), (0, False), (1, False), ("", False)):
            with self.subTest(result):
                answer = gs.tune(**{**TRANSPOSE, "note": lambda line: False}, evaluations=20, progress=lambda state: result)
                self.assertEqual(answer.json["interrupted"], ends)
                self.assertEqual(answer.json["evaluations"] < 20, ends)

    def test_a_stop_rule_of_your_own(self) -> None:
        best, unchanged = 1e9, 0

        def progress(now: dict) -> bool:  # as in docs/library.md
            nonlocal best, unchanged
            ms = now["best"] or 1e9
            unchanged = 0 if ms < best else unchanged + 1
            best = ms
            return unchanged < 3

        answer = gs.tune(**TRANSPOSE, strategy="exhaustive", progress=progress)
        self.assertTrue(answer.json["interrupted"])

    def test_ctrl_c(self) -> None:
        session = gs.Session("matmul", sizes=[(1024, 1024, 1024)])
        before = signal.getsignal(signal.SIGINT)
        threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        kept = []  # what is freed meanwhile swallows an interrupt: Python ignores what __del__ raises
        with self.assertRaises(KeyboardInterrupt):
            while time.monotonic() - start < 20:
                kept.append(session.run())
        self.assertLess(time.monotonic() - start, 2)
        self.assertIs(signal.getsignal(signal.SIGINT), before)

    def test_a_size_is_whole(self) -> None:
        for size in ((8192.5, 1), ()):
            with self.assertRaisesRegex(gs.InputError, "whole numbers"):
                gs.Session("transpose", sizes=[size])

    def test_what_a_header_ships_is_checked_again(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            header = os.path.join(folder, "tuned.hpp")
            gs.tune("transpose", size=(8192, 8192), note=None, evaluations=20).header(header)
            done = gs.command("retune", None, shipped=header, replay=True, store=None, evaluations=20)
        self.assertTrue(done["replayed"])
        self.assertEqual(len(done["problems"]), 1)
        self.assertIn("header", done)
        with self.assertRaisesRegex(gs.InputError, "did you mean 'retune'"):
            gs.command("retun", None)
        with self.assertRaisesRegex(gs.InputError, "did you mean 'candidate'"):
            gs.command("judge", None, candidat="a.cu")

    def test_threads(self) -> None:
        found = []
        threads = [threading.Thread(target=lambda: found.append(gs.tune(**TRANSPOSE, evaluations=20).best)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [found[0]] * 4)

    def test_a_child_that_was_forked_tunes_too(self) -> None:
        gs.tune(**TRANSPOSE, evaluations=2)
        child = os.fork()
        if child == 0:
            os._exit(0 if gs.tune(**TRANSPOSE, evaluations=5).best else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_a_child_may_be_forked_while_a_session_runs(self) -> None:
        session, found = gs.Session("transpose", sizes=[(8192, 8192)], evaluations=3), []

        def progress(state: dict) -> None:
            child = os.fork()
            if child == 0:
                try:
                    session.run()
                except gs.InputError:  # it runs already
                    os._exit(0 if gs.tune(**TRANSPOSE, evaluations=2).best else 1)
                os._exit(2)
            found.append(os.waitpid(child, 0)[1])

        session.run(progress=progress)
        self.assertEqual(set(found), {0})

    def test_cuda_in_a_child_that_was_forked(self) -> None:
        class Cuda:
            status = 0

            def __getattr__(self, name: str) -> object:
                return lambda *arguments: self.status

        with mock.patch("ctypes.CDLL", lambda name: Cuda()):
            driver = _launch._Driver()
            child = os.fork()
            if child == 0:
                try:
                    driver("cuCtxPushCurrent_v2")
                except gs.Error as error:
                    os._exit(0 if "before this process was forked" in str(error) else 1)
                os._exit(2)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            Cuda.status = 3  # of cuInit, where PyTorch had opened it
            with self.assertRaisesRegex(gs.Error, "before this process was forked"):
                _launch._Driver()

    def test_a_second_interpreter_is_refused(self) -> None:
        try:
            import _xxsubinterpreters as interpreters
        except ImportError:
            self.skipTest("this Python has another module for them")
        second = interpreters.create(isolated=False)
        code = """
import gridsmith
for call in (gridsmith.version, gridsmith.devices, lambda: gridsmith.tune("transpose")):
    try:
        call()
    except gridsmith.Error as error:
        assert "main interpreter" in str(error) and "\\n" not in str(error)
    else:
        raise AssertionError
"""
        interpreters.run_string(second, code)
        interpreters.destroy(second)
        self.assertTrue(gs.version())


class Climb(gs.Strategy):
    """To the best neighbour, as long as there is one."""

    def begin(self) -> None:
        self.cost: dict[int, float | None] = {}
        self.ended = False

    def ask(self, most: int) -> list[int]:
        known = {number: cost for number, cost in self.cost.items() if cost is not None}
        around = self.space.neighbours(min(known, key=known.get)) if known else [0, len(self.space) - 1]
        new = [number for number in around if number not in self.cost][:most]
        self.cost.update(dict.fromkeys(new))
        return new

    def tell(self, number: int, cost: float | None) -> None:
        self.cost[number] = cost

    def end(self) -> None:
        self.ended = True


class Strategies(unittest.TestCase):
    def test_an_objective_of_your_own(self) -> None:
        answer = gs.tune(**TRANSPOSE, evaluations=60, objective=gs.Objective("moved", "dram_bytes / model_bytes"))
        self.assertEqual(answer.json["objective"], "moved")
        moved = [row["moved"] for row in answer.measurements if row["status"] == "correct"]
        self.assertLess(answer.ranking[0]["metrics"]["moved"], 1.01 * min(moved))  # within 1 % the time decides
        with self.assertRaisesRegex(gs.InputError, "unknown counter or metric 'dram_byte'; did you mean"):
            gs.tune(**TRANSPOSE, objective=gs.Objective("moved", "dram_byte"))

    def test_functions_are_metrics(self) -> None:
        def best(**settings: object) -> dict:
            answer = gs.tune("matmul", evaluations=20, note=None, **settings)
            return {"objective": answer.json["objective"], **answer.ranking[0]["metrics"]}

        found = best(metrics={"gflops": lambda m: 2 * m["n"] ** 3 / m["time_ms"] / 1e6}, objective="gflops")
        self.assertEqual(found["objective"], "gflops")
        self.assertAlmostEqual(found["gflops"] / found["gflop_per_s"], 1)
        folder = Path(__file__).resolve().parents[2] / "kernels/catalogue/matmul"
        for kernel in ("matmul", folder, folder / "matmul.json"):
            session = gs.Session(kernel, metrics={"x": {"Formula": lambda m: m["k"] * m["time_ms"], "Unit": "s"}})
            self.assertEqual(session._settings["metrics"], [{"Name": "x", "Formula": "(k * time_ms)", "Unit": "s"}])
        found = best(metrics={"x": {"Formula": lambda m: m["BM"] * m["registers_per_thread"], "Better": "lower"}}, objective="x")
        self.assertEqual(found["objective"], "x")
        self.assertEqual(found["x"], int(found["x"]))
        found = best(metrics={"half": "dram_bytes / 2"}, objective=gs.Objective("moved", lambda m: m["half"] * 2))
        self.assertEqual((found["objective"], found["moved"]), ("moved", found["dram_bytes"]))

    def test_functions_without_a_formula_are_refused(self) -> None:
        for words, function in {"it reads 3, which is no name": lambda m: m[3],
                                "a branch, min or max depends": lambda m: 1 if m["time_ms"] else 0,
                                "it gives a text": lambda m: f"{m['time_ms']}"}.items():
            with self.assertRaisesRegex(gs.InputError, "^metrics.'x'. has no formula: " + words):
                gs.Session("matmul", sizes=[(64, 64, 64), (32, 32, 32)], metrics={"x": function})
        with self.assertRaisesRegex(gs.InputError, "unknown counter or metric 'dram_byte'; did you mean"):
            gs.Session("matmul", metrics={"x": lambda m: m["dram_byte"]})
        with self.assertRaisesRegex(gs.InputError, "neither less nor more is better"):
            gs.Session("matmul", metrics={"x": lambda m: m["dram_bytes"] / m["time_ms"]}, objective="x").run()
        with self.assertRaisesRegex(gs.InputError, "^metrics: "):
            gs.Session("matmul", metrics=["x"])

    def test_one_of_your_own_searches(self) -> None:
        climb = Climb()
        answer = gs.tune(**TRANSPOSE, strategy=climb)
        self.assertEqual(answer.json["strategy"], "Climb")
        self.assertEqual(answer.json["evaluations"], len(climb.cost))
        self.assertTrue(climb.ended)
        best = min(cost for cost in climb.cost.values() if cost)
        self.assertLess(abs(answer.time_ms - best), 0.2 * best)

    def test_the_space_is_there_to_look_at(self) -> None:
        class Look(Climb):
            def begin(self) -> None:
                super().begin()
                self.first = self.space[0]
                self.number = self.space.find(self.first)
                self.absent = self.space.find({"TILE": 7})

        look = Look()
        gs.tune(**TRANSPOSE, strategy=look, evaluations=3)
        self.assertEqual((look.number, look.absent), (0, None))

    def test_the_space_lasts_as_long_as_its_run(self) -> None:
        class Late(Climb):
            def end(self) -> None:
                self.last = self.space[0]

        late = Late()
        gs.tune(**TRANSPOSE, strategy=late, evaluations=3)
        self.assertIn("TILE", late.last)
        for use in (len, lambda space: space[0], lambda space: space.find(late.last), lambda space: space.neighbours(0), list):
            with self.assertRaisesRegex(gs.Error, "the space lasts as long as its run"):
                use(late.space)

    def test_what_it_raises_is_raised_again(self) -> None:
        for name in ("begin", "ask", "tell"):
            with self.subTest(name):
                def fail(self: object, *arguments: object) -> None:
                    raise ZeroDivisionError(name)

                with self.assertRaisesRegex(ZeroDivisionError, name):
                    gs.tune(**TRANSPOSE, strategy=type("Bad", (Climb,), {name: fail})())

    def test_what_is_not_in_the_space_is_refused(self) -> None:
        with self.assertRaisesRegex(gs.InputError, "the space has"):
            gs.tune(**TRANSPOSE, strategy=type("Far", (Climb,), {"ask": lambda self, most: [10**9]})())


class Programs(unittest.TestCase):
    def test_the_notebook_runs(self) -> None:
        notebook = json.loads((Path(__file__).resolve().parents[2] / "docs/python.ipynb").read_text())
        names: dict = {}
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            for cell in notebook["cells"]:
                if cell["cell_type"] == "code":
                    exec("".join(cell["source"]), names)
        self.assertIn("slower than the default search", said.getvalue())
        self.assertIn("<table>", names["answer"]._repr_html_())

    def test_sigint_of_a_program_that_handles_it_itself(self) -> None:
        code = """
import gridsmith as gs, os, signal, threading
seen = []
signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
session = gs.Session("transpose", sizes=[(8192, 8192)], evaluations=20)
threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
while not seen:
    session.run()
print(len(seen))
"""
        self.assertEqual(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60).stdout, "1\n")


if __name__ == "__main__":
    unittest.main()
