# SPDX-License-Identifier: Apache-2.0
"""Scripts for Kernel Tuner: the definitions that are made of their arguments, and the results that they get.

GRIDSMITH_PROGRAM names the program, which compiles some of the definitions; without it those tests are skipped.
"""
from __future__ import annotations

import itertools
import json
import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy

import gridsmith
from gridsmith import kernel_tuner
from gridsmith import _expression as expression
from gridsmith._kernel_tuner_definition import Definition, definition_of
from gridsmith.kernel_tuner import get_best_config as get_best
from gridsmith.kernel_tuner import (AccuracyObserver, NCUObserver, NVMLObserver, PMTObserver, RegisterObserver, run_kernel,
                                    tune_kernel)

ADD = """
__global__ void add(float* c, const float* a, float const* b, int n) {
  int i = blockIdx.x * block_size_x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
"""
PARAMS = {"block_size_x": [32, 64, 128], "tile": [1, 2, 4]}
N = 1000


def add_arguments() -> list:
    a = numpy.arange(N, dtype=numpy.float32)
    return [numpy.zeros_like(a), a, a + 1, numpy.int32(N)]


def made(source=ADD, arguments=None, params=None, size=N, name="add", counters=None, **options) -> Definition:
    return definition_of(name, source, size, add_arguments() if arguments is None else arguments, params or PARAMS, options,
                         counters)


def kernel_of(definition: Definition) -> dict:
    return definition.json["KernelSpecification"]


def section_of(definition: Definition) -> dict:
    return definition.json["Gridsmith"]


def conditions_of(definition: Definition) -> list[str]:
    return [each["Expression"] for each in definition.json["ConfigurationSpace"]["Conditions"]]


class Refusals(unittest.TestCase):
    def refused(self, words: str, *arguments, **options) -> None:
        with self.assertRaisesRegex(gridsmith.InputError, words) as caught:
            tune_kernel(*arguments, **options)
        self.assertNotIn("\n", str(caught.exception))

    def test_options(self):
        full = ("add", ADD, N, add_arguments(), PARAMS)
        for words, options in {
            "no option 'gird_div_x'; did you mean grid_div_x": {"gird_div_x": 1},
            "lang is OpenCL; possible are CUDA": {"lang": "OpenCL"},
            "strategy 'magic' is not known; strategies are brute_force": {"strategy": "magic"},
            "a search written for Kernel Tuner": {"strategy": object()},
            "no texture references": {"texmem_args": {"tex": numpy.zeros(4)}},
            "PMTObserver is not possible: .*sensor alone": {"observers": [PMTObserver(["nvidia"])]},
            "simulation_mode needs cache": {"simulation_mode": True},
            "AccuracyObserver needs answer=": {"observers": [AccuracyObserver()]},
            "verify= needs answer": {"verify": lambda a, b, atol: True},
            "answer has 1 entries and arguments has 4": {"answer": [None]},
            r"answer\[0\] has 3 elements": {"answer": [numpy.zeros(3), None, None, None]},
            "compiler is 'g\\+\\+'": {"compiler": "g++"},
            "smem_args must be": {"smem_args": {"bytes": 3}},
            "objective_higher_is_better must be given": {"objective": "speed"},
            "one objective": {"objective": ["time", "energy"]},
            "names foo, which is no parameter": {"restrictions": "foo > 1"},
            "reads 'foo', which is no parameter": {"restrictions": lambda p: p["foo"] > 1},
            "block_size_names": {"block_size_names": "bx"},
        }.items():
            with self.subTest(words):
                self.refused(words, *full, **options)

    def test_arguments(self):
        plain = [*add_arguments()[:3], N]
        self.refused(r"arguments\[3\] \(n\) is a int; it can be a numpy array", "add", ADD, N, plain, PARAMS)
        self.refused("is no file", "add", "nothing.cu", N, add_arguments(), PARAMS)
        self.refused("time", "add", ADD, N, add_arguments(), {"time": [1]})
        self.refused("problem_size", "add", ADD, (N, 1.5), add_arguments(), PARAMS)
        constraint = type("MaxProdConstraint", (type("Constraint", (), {}),), {})()
        with self.assertRaisesRegex(gridsmith.InputError, "MaxProdConstraint of python-constraint"):
            made(restrictions=[constraint])


class Functions(unittest.TestCase):
    """Functions become expressions that mean the same."""

    def same(self, function, params=None) -> str:
        params = params or PARAMS
        text = expression.of_function(function, params, "function")
        for values in itertools.product(*params.values()):
            configuration = dict(zip(params, values))
            self.assertEqual(expression.evaluated(text, configuration), function(configuration), text)
        return text

    def test_traced(self):
        text = self.same(lambda p: (numpy.int32(2) * p["block_size_x"] + 1) // p["tile"] >= 3)
        self.assertEqual(text, "((((2 * block_size_x) + 1) // tile) >= 3)")

    def test_tabulated(self):
        text = self.same(lambda p: p["block_size_x"] == 32 and p["tile"] > 1)
        self.assertEqual(text, "((False if tile == 1 else True) if block_size_x == 32 else False)")
        self.same(lambda p: 7 if p["tile"] in (1, 4) else min(p["block_size_x"], 64))
        self.same(lambda p: p["x"] ** 2 if p["x"] else 1, {"x": list(range(250))})  # not nested too deeply

    def test_reads_only_what_it_reads(self):
        params = {**PARAMS, **{f"p{i}": list(range(10)) for i in range(8)}}
        names, table = expression.tabulate(lambda p: bool(p["tile"] > 1 and p["p3"]), params, "function")
        self.assertEqual((names, len(table)), (["tile", "p3"], 30))
        with self.assertRaisesRegex(gridsmith.InputError, "combinations"):
            expression.of_function(lambda p: all(p.values()), params, "function")

    def test_restrictions(self):
        found = made(restrictions=[lambda block_size_x, tile: block_size_x > tile, lambda **p: p["tile"] < 4, "tile != 2"])
        self.assertEqual(conditions_of(found), ["(block_size_x > tile)", "(tile < 4)", "tile != 2"])
        # A text may have more of Python than expressions have.
        text = conditions_of(made(restrictions="(block_size_x & 32) == 0 or math.gcd(tile, 2) == 2"))[0]
        self.assertEqual([expression.evaluated(text, {"block_size_x": x, "tile": y}) for x, y in ((32, 1), (64, 1), (32, 2))],
                         [False, True, True])


class Geometry(unittest.TestCase):
    def test_defaults(self):
        found = kernel_of(made())
        self.assertEqual(found["LocalSize"], {"X": "block_size_x", "Y": "1", "Z": "1"})
        self.assertEqual((found["ProblemSize"], found["GridDivX"]), ([N], ["block_size_x"]))
        found = kernel_of(made(params={"tile": [1]}, size=(N, 3)))
        self.assertEqual((found["LocalSize"]["X"], found["GridDivX"], found["GridDivY"]), ("256", [1], [1]))

    def test_divisors(self):
        found = kernel_of(made(size=(N, numpy.int32(6), 2), grid_div_x=["block_size_x", "tile*2"], grid_div_y=[],
                               grid_div_z=lambda p: p["tile"] / 2))
        self.assertEqual(found["GridDivX"], ["block_size_x", "tile*2"])
        self.assertEqual((found["GridDivY"], found["GridDivZ"]), ([1], ["(tile / 2)"]))
        self.assertEqual(kernel_of(made(grid_div_x="block_size_x/tile"))["GridDivX"], ["int(block_size_x/tile)"])
        for size, expected in ((64, 64), ("tile*4", "tile*4"), (lambda p: p["tile"] * 8, "(tile * 8)")):
            self.assertEqual(kernel_of(made(smem_args={"size": size}))["SharedMemory"], expected)

    def test_size_of_parameters(self):
        found = kernel_of(made(size="tile * 10", grid_div_x=[]))
        self.assertEqual((found["ProblemSize"], found["GlobalSize"]), ([40], {"X": "ceil(int(tile * 10) / ((1)))"}))
        found = kernel_of(made(size=lambda p: (p["tile"] * 64, 7)))
        self.assertEqual(found["ProblemSize"], [256, 7])
        self.assertEqual(found["GlobalSize"]["X"], "ceil(int((tile * 64)) / ((block_size_x)))")

    def test_names_of_the_block(self):
        params = {"bx": [32], "BLOCK_SIZE_Y": [2]}
        self.assertEqual(kernel_of(made(params=params, block_size_names=["bx"]))["LocalSize"]["X"], "bx")
        self.assertEqual(kernel_of(made(params=params))["LocalSize"], {"X": "256", "Y": "BLOCK_SIZE_Y", "Z": "1"})


class Arguments(unittest.TestCase):
    def test_signature(self):
        *vectors, n = kernel_of(made())["Arguments"]
        self.assertEqual([(each["Name"], each["AccessType"], "Output" in each) for each in vectors],
                         [("c", "ReadWrite", True), ("a", "ReadOnly", False), ("b", "ReadOnly", False)])
        self.assertEqual(n, {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": N})

        found = kernel_of(made(name="other"))["Arguments"]
        self.assertEqual([each.get("Output") for each in found], [1, 1, 1, None])
        self.assertEqual(found[1]["Name"], "argument_1")

    def test_files(self):
        found = made()
        self.assertEqual(section_of(found)["Inputs"], {"a": {"File": "a.npy"}, "b": {"File": "b.npy"}})
        self.assertEqual(kernel_of(found)["Arguments"][0]["FillType"], "Constant")  # zeros
        with tempfile.TemporaryDirectory() as folder:
            path = found.write(folder)
            self.assertEqual(json.loads(path.read_text()), found.json)
            self.assertTrue((numpy.load(Path(folder) / "a.npy") == numpy.arange(N)).all())

    def test_layouts(self):
        grid = numpy.arange(24, dtype=">f4").reshape(4, 6)
        for array, first in ((grid, [0, 1, 2]), (numpy.asfortranarray(grid), [0, 6, 12]), (grid[:, ::2], [0, 2, 4])):
            elements = made(arguments=[array, *add_arguments()[1:]]).files["c.npy"]
            self.assertEqual(elements[:3].tolist(), first)
            self.assertEqual((elements.ndim, elements.dtype.str), (1, "<f4"))

    def test_types(self):
        for dtype, kind in (("f2", "half"), ("?", "uint8"), ("u8", "uint64"), ("c8", "float2")):
            found = made(arguments=[numpy.arange(6).astype(dtype), *add_arguments()[1:]])
            self.assertIn("c.bin" if dtype == "c8" else "c.npy", found.files)
            self.assertEqual((kernel_of(found)["Arguments"][0]["Type"], kernel_of(found)["Arguments"][0]["Size"]), (kind, 6))
        with self.assertRaisesRegex(gridsmith.InputError, "possible are bool, int8"):
            made(arguments=[numpy.array(["text"]), *add_arguments()[1:]])

    def test_arrays_of_others(self):
        array = mock.Mock(__cuda_array_interface__={}, spec=["__cuda_array_interface__", "get"])
        array.get.return_value = numpy.ones(N, numpy.float32)
        tensor = mock.Mock(dtype="torch.float32", spec=["dtype", "detach"])
        tensor.detach.return_value.cpu.return_value.numpy.return_value = numpy.arange(N, dtype=numpy.float32)
        found = made(arguments=[array, tensor, *add_arguments()[2:]])
        self.assertEqual([each.get("Size") for each in kernel_of(found)["Arguments"]][:2], [N, N])

    def test_answer(self):
        c, a, b, n = add_arguments()
        found = made(answer=[a + b, None, None, None], atol=1e-3)
        self.assertEqual(section_of(found)["Reference"],
                         {"File": "expected.npy", "AbsoluteTolerance": 1e-3, "RelativeTolerance": 1e-5})
        self.assertEqual(found.files["expected.npy"].dtype.str, "<f4")
        found = made(answer=[a + b, a, None, None])
        self.assertEqual(len(found.files["expected.bin"]), 2 * 4 * N)
        self.assertEqual([each.get("Output") for each in kernel_of(found)["Arguments"]], [1, 1, None, None])

        # The answer gets the layout of its argument.
        grid = numpy.arange(6, dtype="f4").reshape(2, 3)
        found = made(arguments=[grid.copy(order="F"), *add_arguments()[1:]], answer=[grid, None, None, None])
        self.assertEqual(found.files["expected.npy"].tolist(), [0, 3, 1, 4, 2, 5])

    def test_verify_is_not_used(self):
        with self.assertWarnsRegex(UserWarning, "verify= is not used"):
            made(answer=[numpy.zeros(N), None, None, None], verify=lambda a, b, atol: True)
        with self.assertWarnsRegex(UserWarning, "nothing is verified"):
            found = made(answer=[numpy.zeros(1), None, None, None], verify=lambda a, b, atol: True)
        self.assertNotIn("Reference", section_of(found))

        # Memory of constants follows the arguments.
        found = made(cmem_args={"weights": numpy.arange(1, 6, dtype="f4")})
        self.assertEqual(kernel_of(found)["Arguments"][-1],
                         {"Name": "weights", "Type": "float", "MemoryType": "Vector", "Size": 5, "MemType": "Constant"})

    def test_too_large_for_a_file(self):
        c, a, b, n = add_arguments()
        with mock.patch("gridsmith._kernel_tuner_arguments.MOST_FILE_BYTES", 1000):
            with self.assertWarnsRegex(UserWarning, "random numbers"):
                self.assertEqual(section_of(made())["Inputs"]["a"], {"Fill": "uniform", "From": 0.0, "To": N - 1.0})
            with self.assertRaisesRegex(gridsmith.InputError, "with an answer its elements must fit"):
                made(answer=[a + b, None, None, None])


class Tunables(unittest.TestCase):
    """Arguments that a parameter chooses: a definition for each of its values."""

    SOURCE = """
#include <cuda_fp16.h>
using half = __half;
template <typename T> __global__ void add(T* c, const T* a, const T* b, int n) {
  int i = blockIdx.x * block_size_x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
"""
    PARAMS = {"block_size_x": [32, 64], "real": ["half", "float", "double"]}

    @classmethod
    def parts(cls, *types) -> list:
        c, a, b, n = add_arguments()
        arguments = [kernel_tuner.TunablePrecision("real", each, *types) for each in (c, a / 7, b)] + [n]
        return kernel_tuner.parts_of(arguments, cls.PARAMS)

    def test_precisions(self):
        for types in ([], [["half", "float", "double"]], [{"half": "f2", "float": numpy.float32, "double": "float64"}]):
            parts = self.parts(*types)
            self.assertEqual([[each.dtype.name for each in arguments] for arguments, _ in parts],
                             [["float16"] * 3 + ["int32"], ["float32"] * 3 + ["int32"], ["float64"] * 3 + ["int32"]])
            self.assertEqual([params for _, params in parts],
                             [{"block_size_x": [32, 64], "real": [value]} for value in self.PARAMS["real"]])
        chosen = kernel_tuner.TunablePrecision("real", numpy.float64(0.1), ["f16"])({"real": "f16"})
        self.assertEqual((type(chosen), chosen), (numpy.float16, numpy.float16(0.1)))

    def test_arrays(self):
        layouts = kernel_tuner.Tunable("tile", {1: numpy.zeros(4), 2: numpy.zeros(8)})
        params = {"tile": [2, numpy.int64(1)], "real": ["float"]}
        self.assertEqual([arguments[0].size for arguments, _ in kernel_tuner.parts_of([layouts], params)], [8, 4])
        self.assertEqual(kernel_tuner.parts_of([numpy.zeros(2)], params)[0][1], params)
        self.assertEqual(kernel_tuner.Tunable("tile", [3, 4])({"tile": 1}), 4)
        for words, tunable in {"'size' is no parameter; parameters are tile, real": lambda: kernel_tuner.Tunable("size", [1]),
                               "real=float chooses none of half": lambda: kernel_tuner.TunablePrecision("real", 1.0, ["half"]),
                               "must be the name of a parameter": lambda: kernel_tuner.Tunable(lambda p: 1, [1]),
                               "'bfloat' is no type": lambda: kernel_tuner.TunablePrecision("real", 1.0, ["bfloat"])}.items():
            with self.assertRaisesRegex(gridsmith.InputError, words):
                kernel_tuner.parts_of([tunable()], params)

    def test_results_are_put_together(self):
        sessions = mock.Mock()
        sessions.return_value.run.side_effect = lambda **_: [FakeAnswer()]
        tunable = kernel_tuner.TunablePrecision("tile", add_arguments()[0], {1: "f4", 2: "f8", 4: "f2"})
        with mock.patch("gridsmith.Session", sessions):
            results, env = tune_kernel("add", ADD, N, [tunable, *add_arguments()[1:]], PARAMS, quiet=True, strategy="pso",
                                       restrictions="tile != 2", strategy_options={"max_fevals": 10, "time_limit": 30})
            with self.assertRaisesRegex(gridsmith.InputError, "objective 'ipc' is in no result"):
                tune_kernel("add", ADD, N, [tunable, *add_arguments()[1:]], PARAMS, objective="ipc", objective_higher_is_better=True)
            with self.assertRaisesRegex(gridsmith.InputError, "restrictions: no configuration of any value"):
                tune_kernel("add", ADD, N, [tunable, *add_arguments()[1:]], PARAMS, restrictions="tile > 4")
        self.assertEqual([(call.kwargs["evaluations"], call.kwargs["seconds"]) for call in sessions.call_args_list], [(3, 10)] * 2)
        self.assertEqual([row["gridsmith"]["tied"] for row in results], [None, False, None, None, None, None])
        self.assertEqual(env["best_config"], results[1])

    def test_one_configuration(self):
        def launch(c, a, b, n):
            c[:] = a + b

        with mock.patch("gridsmith.Kernel", mock.Mock(return_value=launch), create=True):
            arguments = [kernel_tuner.TunablePrecision("real", add_arguments()[0]), *add_arguments()[1:]]
            for real in ("half", "double"):
                results = run_kernel("add", ADD, N, arguments, {"real": real})
                self.assertEqual((results[0][3], results[0].dtype), (7, {"half": "f2", "double": "f8"}[real]))

    def test_accuracy_is_observed_and_not_judged(self):
        c, a, b, n = add_arguments()
        answer = [a.astype("f8") / 7 + b, None, None, None]
        found = made(answer=answer, observers=[AccuracyObserver()])
        self.assertEqual(section_of(found)["Reference"]["Accept"], "rms_error >= 0")
        self.assertNotIn("Accept", section_of(made(answer=answer))["Reference"])
        with self.assertWarnsRegex(UserWarning, r"answer\[0\] is rounded to float16 .* by at most 0.43 \(RMS"):
            kernel_tuner.kernel_arguments.warn_of_rounding([c.astype("f2"), a, b, n], answer)


class Sources(unittest.TestCase):
    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            main, other = Path(folder) / "main.cu", Path(folder) / "other.cuh"
            main.write_text(ADD)
            other.write_text("int x;")
            for source in (str(main), main, [str(main)]):
                found = made(source=source)
                self.assertEqual((found.files["add.cu"], found.include), (ADD, [str(Path(folder).resolve())]))
            self.assertEqual(made(source=[main, str(other)]).files[str(other)], "int x;")

    def test_generator(self):
        found = made(source=lambda p: ADD.replace("block_size_x", str(p["block_size_x"])))
        self.assertEqual(found.files["add.cu"].count("__global__"), 3)
        index = section_of(found)["Macros"]["gridsmith_variant"]
        self.assertEqual([expression.evaluated(index, {"block_size_x": v}) for v in (32, 64, 128)], [0, 1, 2])
        self.assertEqual(made(source=lambda p: ADD).files["add.cu"], ADD)
        with self.assertRaisesRegex(gridsmith.InputError, "at most 4096"):
            made(source=lambda p: str(p), params={"x": list(range(5000))})

    def test_defines(self):
        found = made(defines={"WIDTH": lambda p: p["tile"] * 2, "REAL": "float", "tile": "tile", "HALF": "tile / 2"})
        self.assertEqual(section_of(found)["Macros"], {"WIDTH": "(tile * 2)", "HALF": "tile / 2"})
        text = found.files["add.cu"]
        self.assertIn("#define REAL float\n", text)
        self.assertIn("#undef block_size_x\n", text)
        self.assertNotIn("#undef tile\n", text)
        with self.assertRaisesRegex(gridsmith.InputError, "another value"):
            made(defines={"tile": 3})

    def test_compiler(self):
        found = made(compiler_options=["-O3", "-std=c++17", "-arch", "sm_80", "-Xcompiler=-Wall", "-I", "/tmp", "-lineinfo"])
        self.assertEqual((kernel_of(found)["CompilerOptions"], found.include), (["-std=c++17", "-lineinfo"],
                                                                               [str(Path("/tmp").resolve())]))
        self.assertNotIn("Compiler", section_of(found))
        self.assertEqual(section_of(made(compiler="nvcc"))["Compiler"], "nvcc")
        self.assertEqual(section_of(made(source=ADD + "void run() { cudaMalloc(0, 0); }"))["Compiler"], "nvcc")


def t4_entry(x: int, time: float | None) -> dict:
    measurements = [{"name": "time", "value": time or "CompilationFailedConfig"}, {"name": "dram__bytes_sum", "value": 8.0},
                    {"name": "nvml__launch_energy.mj", "value": 250.0}, {"name": "result__difference.rms", "value": 1e-3}]
    times = {"compilation": 5.0, "benchmark": 2.0, "runtimes": [time] if time else []}
    return {"timestamp": "2026-01-01T00:00:00Z", "configuration": {"block_size_x": x, "tile": 1}, "times": times,
            "invalidity": "correct" if time else "compile", "measurements": measurements, "reason": "" if time else "bad"}


class FakeAnswer:
    best = {"block_size_x": 64, "tile": 1}
    json = {"device": {"name": "GPU", "compute_capability": 90},
            "ranking": [{"configuration": {"block_size_x": 64, "tile": 1}, "tied": False}]}

    def text(self, form: str) -> str:
        rows = [t4_entry(32, 2.0), t4_entry(64, 1.0), t4_entry(128, None)]
        csv = "block_size_x,low_ms,high_ms,registers_per_thread\n32,1.9,2.1,16\n64,0.9,1.1,18\n128,,,\n"
        return csv if form == "csv" else json.dumps({"results": rows})


class Results(unittest.TestCase):
    def tuned(self, **options):
        session = mock.Mock()
        session.return_value.run.return_value = [FakeAnswer()]
        with mock.patch("gridsmith.Session", session):
            results, env = tune_kernel("add", ADD, N, add_arguments(), PARAMS, **{"quiet": True, **options})
        return results, env, session.call_args.kwargs

    def test_results(self):
        metrics = {"GB/s": lambda p: 12 / p["time"], "twice": "time * 2 + tile"}
        results, env, _ = self.tuned(metrics=metrics, observers=[RegisterObserver(), NCUObserver(["dram__bytes.sum"])])
        self.assertEqual([row["time"] for row in results[:2]], [2.0, 1.0])
        self.assertEqual((results[1]["GB/s"], results[1]["twice"], results[1]["num_regs"]), (12, 3.0, 18))
        self.assertEqual((results[1]["dram__bytes.sum"], results[1]["gridsmith"]["tied"]), (8.0, False))
        self.assertEqual((results[1]["gridsmith"]["low"], results[1]["compile_time"]), (0.9, 5.0))
        self.assertIsInstance(results[2]["time"], kernel_tuner.CompilationFailedConfig)
        self.assertEqual(results[2]["gridsmith"]["reason"], "bad")
        self.assertEqual(min(row["time"] for row in results), 1.0)
        self.assertEqual((env["device_name"], env["best_config"]["block_size_x"]), ("GPU", 64))
        json.dumps([results, env])

    def test_energy_and_errors(self):
        observers = [NVMLObserver(["nvml_energy", "temperature"]), AccuracyObserver("RMSE", "off")]
        c, a, b, n = add_arguments()
        answer = [a + b, None, None, None]
        results, _, settings = self.tuned(observers=observers, answer=answer)
        self.assertEqual((results[1]["nvml_energy"], results[1]["off"]), (0.25, 1e-3))
        self.assertNotIn("temperature", results[1])  # the board did not say
        self.assertEqual((settings["counters"], settings["finalists"]), ("result__difference.rms,launch_energy", 1000))
        _, _, settings = self.tuned(observers=observers[:1], objective="nvml_energy")
        self.assertEqual(settings["objective"], "energy_mj")
        with self.assertRaisesRegex(gridsmith.InputError, "'gr_voltage' is not measured; observables are nvml_energy"):
            NVMLObserver(["gr_voltage"])
        observers = [AccuracyObserver("mean squared error", "mse"), AccuracyObserver("Max_Rel Error", "rel")]
        results, _, settings = self.tuned(observers=observers, answer=answer)
        self.assertEqual((results[1]["mse"], "rel" in results[1]), (1e-6, False))
        self.assertEqual(settings["counters"], "result__difference.rms,result__rel_difference.max")
        for metric, counter in (("MRE", "rel_difference.avg"), ("mean relative error", "rel_difference.avg"),
                                ("error_relative", "rel_difference.avg"), ("MAE", "abs_difference.avg"),
                                ("absolute error", "abs_difference.avg"), ("max", "abs_difference.max")):
            self.assertEqual(AccuracyObserver(metric).adds["error"][0], "result__" + counter)
        for metric in (lambda a, b: 0, "NRMSE", "MALE", "mean log error"):
            with self.assertRaisesRegex(gridsmith.InputError, "is not measured: .* metrics are RMSE, MSE, MAE, MRE, max error"):
                AccuracyObserver(metric)

    def test_settings(self):
        _, _, settings = self.tuned(device=2, seed=7)
        self.assertTrue(Path(settings.pop("kernel")).name == "add.json")
        self.assertEqual(settings, {"strategy": "exhaustive", "devices": [2], "store": None, "counters": "none", "seed": 7})
        _, _, settings = self.tuned(strategy="genetic_algorithm", iterations=100, cache="all", settings={"finalists": 3},
                                    strategy_options={"max_fevals": 20, "time_limit": 60, "popsize": 5})
        wanted = {"strategy": "default", "evaluations": 20, "seconds": 60.0, "samples": 100, "store": "all.db", "finalists": 3}
        self.assertEqual({name: settings[name] for name in wanted}, wanted)
        _, _, settings = self.tuned(metrics={"speed": "time"}, objective="speed", objective_higher_is_better=True)
        self.assertEqual(settings["objective"], "script_speed")
        _, _, settings = self.tuned(strategy="random_sample", strategy_options={"fraction": 0.5}, restrictions="tile > 1",
                                    cache="old", simulation_mode=True)
        self.assertEqual((settings["evaluations"], settings["recording"], settings["store"]), (3, "old.json", None))

    def test_files(self):
        results, env, _ = self.tuned()
        with tempfile.TemporaryDirectory() as folder:
            kernel_tuner.store_output_file(f"{folder}/out", results, PARAMS)
            written = json.loads(Path(folder, "out.json").read_text())["results"]
            self.assertEqual([each["invalidity"] for each in written], ["correct", "correct", "compile"])
            for _ in range(2):  # the second replaces the first
                kernel_tuner.store_results(f"{folder}/best.json", "add", ADD, PARAMS, N, results, env)
            stored = json.loads(Path(folder, "best.json").read_text())["data"]
            self.assertEqual([each["tunable_parameters"]["block_size_x"] for each in stored], [64])

    def test_run_kernel(self):
        def launch(c, a, b, n):
            c[:] = a + b

        with mock.patch("gridsmith.Kernel", mock.Mock(return_value=launch), create=True):
            arguments = add_arguments()
            results = run_kernel("add", ADD, N, arguments, {"block_size_x": 32})
        self.assertEqual((results[0][3], arguments[0][3], results[3]), (7, 0, N))

    def test_modules(self):
        from gridsmith.kernel_tuner.strategies import minimize
        self.assertEqual(minimize, "minimize")


class Objectives(unittest.TestCase):
    """A metric of the script as the objective, on a recording."""

    CACHE = Path(__file__).resolve().parents[1] / "data/scaled_copy.cache.json"
    PARAMS = {"block_size_x": [32, 64, 128, 256], "work_per_thread": [1, 2, 4], "use_vector": [0, 1]}

    def tuned(self, metrics, higher=None, **options):
        source = self.CACHE.with_name("scaled_copy.cu").read_text()
        either = kernel_tuner.Tunable("use_vector", [numpy.zeros(4, "f4"), numpy.zeros(2**20, "f4")])
        arguments = [either, numpy.ones(2**20, "f4"), numpy.float32(2), numpy.int32(2**20)]
        results, env = tune_kernel("scaled_copy", source, 2**20, arguments, self.PARAMS, cache=str(self.CACHE), quiet=True,
                                   simulation_mode=True, metrics=metrics, objective_higher_is_better=higher,
                                   **{"objective": list(metrics)[-1], **options})
        self.assertLessEqual(len(results), 14)  # the recording's
        best = get_best([row for row in results if "__error__" not in row], list(metrics)[-1], bool(higher))
        self.assertEqual(env["best_config"], best)
        return env

    def test_the_search_goes_by_it(self):
        size = 2**20
        for metrics, higher in (({"GFLOP/s": lambda p: 2 * size / p["time"] / 1e6}, True),
                                ({"s": "time / 1000", "slow": "max(1 / s, 2) + 1"}, False),
                                ({"s": lambda p: p["time"] / 1e3, "of.it": lambda p: p.get("s") ** 2}, True),
                                ({"w": lambda p: p["time"] * p["block_size_x"]}, False),
                                ({"w": "time * (1 + use_vector)"}, False)):
            env = self.tuned(metrics, higher, strategy="genetic_algorithm")
            own = env["gridsmith"]["objective"]
            self.assertTrue(own.startswith("script_"))
            self.assertAlmostEqual(env["gridsmith"]["best"]["metrics"][own] / env["best_config"][list(metrics)[-1]], 1)

    def test_what_has_no_formula_is_compared_where_all_are_tried(self):
        metrics = {"w": lambda p: min(p["time"] * p["block_size_x"], 1e9)}
        for strategy in (None, "brute_force"):
            env = self.tuned(metrics, False, strategy=strategy)
            self.assertEqual((env["gridsmith"]["objective"], env["best_config"]["w"]), ("time", 5))
        for words, metric in {"it reads 'compile_time', which no formula has": lambda p: p["compile_time"],
                              "a branch, min or max depends on what it reads": lambda p: min(p["time"], 1),
                              "it calls a function of another module": lambda p: math.sqrt(p["time"]),
                              r"'\[time\]\[0\]' has more than arithmetic": "[time][0]",
                              "it asks which names there are": lambda p: p["time"] if "time" in p else 0}.items():
            with self.assertRaisesRegex(gridsmith.InputError, "^objective: metrics.'w'. has no formula: " + words) as caught:
                self.tuned({"w": metric}, False, strategy="pso")
            self.assertNotIn("\n", str(caught.exception))

    def test_what_is_negative_leads_no_search(self):
        with self.assertWarnsRegex(UserWarning, "'less': the search found no value of it"):
            self.tuned({"less": lambda p: -p["time"]}, True, strategy="pso")

    def test_what_observers_add(self):
        observers = [NCUObserver(["dram__bytes.sum"]), NVMLObserver(["nvml_energy"]), AccuracyObserver("mse", "off")]
        for metric, text in {"dram__bytes.sum": "(dram__bytes_sum)", "nvml_energy": "(launch_energy * 0.001)",
                             "off": "(rms_difference ** 2)"}.items():
            options = {"metrics": {"m": lambda p: p[metric] * p["tile"]}, "observers": observers}
            definition = {"ConfigurationSpace": {"TuningParameters": [{"Name": "tile", "Values": [3]}]}, "Gridsmith": {}}
            self.assertEqual(kernel_tuner._searched(options, definition, "m", True), "script_m")
            self.assertEqual(definition["Gridsmith"]["Metrics"],
                             [{"Name": "script_m", "Formula": f"(({text} * 3))", "Better": "higher"}])


class Simulations(unittest.TestCase):
    """Rows of a cache file, narrowed to what a script allows."""

    CACHE = Objectives.CACHE
    PARAMS = Objectives.PARAMS
    SIZE = 2**20

    def simulated(self, params=None, size=SIZE, cache=CACHE, **options):
        return tune_kernel("scaled_copy", "", size, [], params or self.PARAMS, simulation_mode=True, cache=str(cache), quiet=True,
                           **{"strategy": "brute_force", **options})

    def blocks(self, *arguments, **options) -> list:
        rows, env = self.simulated(*arguments, **options)
        self.assertIn(env["best_config"]["block_size_x"], {row["block_size_x"] for row in rows})
        return sorted(row["block_size_x"] for row in rows)

    def refused(self, words: str, *arguments, **options) -> None:
        with self.assertRaisesRegex(gridsmith.InputError, words) as caught:
            self.simulated(*arguments, **options)
        self.assertNotIn("\n", str(caught.exception))

    def test_parameters_and_restrictions_narrow(self):
        everything = self.blocks()
        wanted = [each for each in everything if each == 64]
        self.assertTrue(0 < len(wanted) < len(everything))
        for restrictions in ("block_size_x == 64", ["block_size_x > 32", "block_size_x < 128"], lambda p: p["block_size_x"] == 64,
                             [lambda block_size_x: block_size_x == 64 or False]):
            self.assertEqual(self.blocks(restrictions=restrictions), wanted)
        self.assertEqual(self.blocks({**self.PARAMS, "block_size_x": [numpy.int64(64), 512]}), wanted)
        _, env = self.simulated(restrictions="block_size_x == 64")
        self.assertEqual(env["gridsmith"]["recording"], str(self.CACHE))

    def test_what_leaves_nothing_is_refused(self):
        for options in ({"restrictions": "block_size_x == 33"}, {"params": {**self.PARAMS, "block_size_x": [512]}}):
            self.refused("^cache: .*scaled_copy.cache.json has [0-9]+ configurations, and .* allow none of them$", **options)
        self.refused("^tune_params has block_size_x, and cache .* has block_size_x, work_per_thread, use_vector; the names",
                     {"block_size_x": [64]})
        self.refused("^/no/such.json: cannot be read", cache="/no/such.json")

    def test_the_size_is_that_of_the_cache(self):
        self.refused("^problem_size: cache .* is of 1048576, not 64x64$", size=(64, 64))
        everything = self.blocks()
        for size in ((self.SIZE,), (self.SIZE, 1, 1), "block_size_x * 4096"):  # of a function nothing is known
            self.assertEqual(self.blocks(size=size), everything)

    def test_other_files(self):
        text, everything = self.CACHE.read_text(), self.blocks()
        document = json.loads(text)
        bare = {key: {name: value for name, value in row.items() if name not in self.PARAMS}
                for key, row in document["cache"].items()}
        t4 = {"results": [{**entry, "configuration": {**entry["configuration"], "tile": 1}}
                          for entry in json.loads(FakeAnswer().text("t4"))["results"]]}
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "scaled_copy.json"  # the definition's name too
            file.write_text(json.dumps({**document, "cache": bare}))  # values in the keys alone
            self.assertEqual(self.blocks(cache=file, restrictions="block_size_x == 64"), [each for each in everything if each == 64])
            rows = text.rstrip().splitlines()
            file.write_text("\n".join(rows[:-3]))  # as an interrupted tuning leaves it
            found = self.blocks(cache=file, restrictions="block_size_x <= 64")
            self.assertTrue(0 < len(found) <= sum(each <= 64 for each in everything))
            file.write_text(json.dumps(t4))
            rows, _ = tune_kernel("add", "", N, [], PARAMS, simulation_mode=True, cache=str(file), quiet=True, restrictions="block_size_x < 64")
            self.assertEqual([row["time"] for row in rows], [2.0])
            for other in ("{}", "text", '{"results": [3]}', '{"cache": {"32": 1}}'):
                file.write_text(other)
                self.refused("is no cache file of Kernel Tuner and no T4 file", cache=file)

    def test_limits_have_ranges(self):
        for name, valid, values in (("max_fevals", "a whole number of at least 1", (0, -3, 2.5, "x")),
                                    ("fraction", "a number above 0, at most 1", (0, 1.5, math.nan)),
                                    ("time_limit", "a number of seconds above 0", (0, math.inf))):
            for value in values:
                self.refused(f"^strategy_options: '{name}' is .*; it must be {valid}$", strategy="random_sample",
                             strategy_options={name: value})
        rows, _ = self.simulated(strategy="random_sample", strategy_options={"max_fevals": numpy.int32(3)})
        self.assertEqual(len(rows), 3)


PROGRAM = os.environ.get("GRIDSMITH_PROGRAM", "")


@unittest.skipUnless(Path(PROGRAM).is_file(), "GRIDSMITH_PROGRAM names no program")
class Checked(unittest.TestCase):
    """The program reads the definition, and its samples compile where there is a toolkit."""

    def checked(self, definition: Definition, configurations: int) -> None:
        with tempfile.TemporaryDirectory() as folder:
            command = [PROGRAM, "check-definition", str(definition.write(folder))]
            found = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(found.returncode, 0, found.stdout + found.stderr)
            self.assertIn(f": {configurations} configurations", found.stdout)

    def test_plain_and_generated(self):
        c, a, b, n = add_arguments()
        self.checked(made(answer=[a + b, None, None, None], restrictions=[lambda p: p["tile"] > 1 or p["block_size_x"] == 32],
                          grid_div_x=["block_size_x", "tile"], smem_args={"size": "tile * 4"}), 7)
        self.checked(made(source=lambda p: ADD.replace("block_size_x", str(p["block_size_x"])), size="tile * 100"), 9)

    def test_template_without_macros(self):
        source = """
template <typename T, int size> __global__ void add(T* c, const T* a, const T* b, int n) {
  int block_size_x = blockIdx.x * size + threadIdx.x;
  if (block_size_x < n) c[block_size_x] = a[block_size_x] + b[block_size_x] + WIDTH;
}
"""
        self.checked(made(source=source, name="add<float, block_size_x>", defines={"WIDTH": "tile * 2"}), 9)

    def test_precisions(self):
        c, a, b, n = add_arguments()
        for arguments, params in Tunables.parts():
            found = made(source=Tunables.SOURCE, name="add<real>", arguments=arguments, params=params,
                         answer=[a / 7 + b, None, None, None], observers=[AccuracyObserver()])
            self.checked(found, 2)

    def test_constant_and_several_outputs(self):
        source = "__constant__ float w[3];\n" + ADD.replace("a[i] + b[i]", "a[i] + b[i] * w[tile % 3]")
        c, a, b, n = add_arguments()
        self.checked(made(source=source, answer=[a, a, None, None], cmem_args={"w": numpy.arange(3, dtype="f4")}), 9)


if __name__ == "__main__":
    unittest.main()
