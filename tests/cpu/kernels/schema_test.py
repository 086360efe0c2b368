# SPDX-License-Identifier: Apache-2.0
"""docs/schema/definition.schema.json takes every definition that Gridsmith takes here, and refuses slips.

schema_test.py ROOT PROGRAM: the checkout and the gridsmith that was built. Ends with 77, which CTest shows as skipped,
where Python has no jsonschema (Debian: python3-jsonschema).
"""

import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: Python has no module jsonschema (Debian: python3-jsonschema)")
    sys.exit(77)

root, program = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
schema = json.loads((root / "docs/schema/definition.schema.json").read_text())
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
failures = []


def complaints(definition):
    return [f"{'/'.join(map(str, error.path))}: {error.message[:100]}" for error in validator.iter_errors(definition)]


def begun(folder):
    """What `gridsmith init` writes, without its comments."""
    subprocess.run([program, "init", "begun", "--folder", folder], check=True, stdout=subprocess.DEVNULL)
    text = (pathlib.Path(folder) / "begun.json").read_text()
    return json.loads(re.sub(r"(?m)^\s*//.*$", "", text))


def of_the_documentation():
    blocks = re.findall(r"(?s)```json\n(.*?)```", (root / "docs/definition.md").read_text())
    return [json.loads(block) for block in blocks if '"KernelSpecification"' in block]


with tempfile.TemporaryDirectory() as folder:
    good = {"what init writes": begun(folder)}
for file in sorted((root / "kernels/catalogue").glob("*/*.json")) + [
    root / "tests/data/scaled_copy.t1.json",
    root / "tests/gpu/faulty/faulty.json",
    *(root / "tests/gpu/inputs").glob("*.json"),
    *(file for file in (root / "tests/planted").glob("*/*.json") if file.name != "cases.json"),
]:
    good[str(file.relative_to(root))] = json.loads(file.read_text())
for number, definition in enumerate(of_the_documentation()):
    good[f"docs/definition.md, example {number}"] = definition
assert len(good) >= 10, sorted(good)
for name, definition in good.items():
    for line in complaints(definition):
        failures.append(f"{name} is refused: {line}")


def changed(*path_and_value):
    """The first definition with one field set, or removed where the value is absent."""
    *path, last, value = path_and_value
    definition = copy.deepcopy(good["kernels/catalogue/transpose/transpose.json"])
    place = definition
    for step in path:
        place = place[step]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return definition


kernel, section, space = "KernelSpecification", "Gridsmith", "ConfigurationSpace"
wrong = [
    [],
    {},
    changed(kernel, None),
    changed(space, "Conditons", []),
    changed(space, "TuningParameters", 0, "Values", []),
    changed(space, "TuningParameters", 0, "Values", 5),
    changed(space, "TuningParameters", 0, "Values", [1, 1]),
    changed(space, "TuningParameters", 0, "Type", "integer"),
    changed(space, "TuningParameters", 0, "Name", "A B"),
    changed(space, "TuningParameters", 0, "Defualt", 1),
    changed(space, "Conditions", 0, "Expression", 5),
    changed(kernel, "Language", "cuda"),
    changed(kernel, "Language", "Cuda"),
    changed(kernel, "KernelName", ""),
    changed(kernel, "LocalSize", {"x": "1"}),
    changed(kernel, "ProblemSize", [0]),
    changed(kernel, "ProblemSize", [1, 1, 1, 1]),
    changed(kernel, "Arguments", 0, "Type", 5),
    changed(kernel, "Arguments", 0, "Size", None),
    changed(kernel, "Arguments", 0, "MemoryType", "vector"),
    changed(section, "WorkModl", {}),
    changed(section, "AutomaticShape", {"Dimensions": 4}),
    changed(section, "Reference", {}),
    changed(section, "Reference", {"Host": "matmul"}),
    changed(section, "Reference", {"Element": ""}),
    changed(section, "Reference", {"Element": {"out": 5}}),
    changed(section, "Reference", {"Element": "i", "File": "f"}),
    changed(section, "Description", ""),
    changed(section, "Reference", {"Kernel": "k", "File": "f"}),
    changed(section, "Reference", {"Element": "i", "Grid": ["1"]}),
    changed(section, "Reference", "RelativeTolerance", -1),
    changed(section, "Reference", "RelativeTolerance", {"out": -1}),
    changed(section, "Reference", {"Element": "i", "Arguments": ["in"]}),
    changed(section, "Let", {"a b": "1"}),
    changed(section, "Verify", 5),
    changed(section, "Inputs", {"in": {"Fill": "unifrom"}}),
    changed(section, "Inputs", {"in": {"Fill": "uniform", "From": 0}}),
    changed(section, "Inputs", {"in": {"Fill": "sequence", "To": 5}}),
    changed(section, "Inputs", {"in": {"Fill": "permutation", "To": 9}}),
    changed(section, "Inputs", {"in": {"Fill": "normal", "File": "a.npy"}}),
    changed(section, "Inputs", {"in": {"File": "a.npy", "Value": 1}}),
    changed(section, "Inputs", {"in": {"Row": []}}),
    changed(section, "Needs", {"in": {"Align": 16}}),
    changed(section, "Needs", {"in": 16}),
    changed(section, "Types", {"A": {}}),
    changed(section, "Types", {"A": {"Fields": []}}),
    changed(section, "Types", {"A": {"Fields": ["float"]}}),
    changed(section, "Types", {"A": {"Fields": ["int n"], "Bytes": 4}}),
    changed(section, "Types", {"A": {"Bytes": 4, "Alignment": 3}}),
    changed(section, "Types", {"A B": {"Bytes": 4}}),
]
for number, definition in enumerate(wrong):
    if not complaints(definition):
        failures.append(f"wrong definition {number} is accepted")

print("\n".join(failures) or f"{len(good)} definitions are accepted, {len(wrong)} wrong ones refused")
sys.exit(1 if failures else 0)
