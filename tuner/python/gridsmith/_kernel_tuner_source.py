# SPDX-License-Identifier: Apache-2.0
"""Kernel Tuner's kernel source, defines and compiler options as those of a Gridsmith definition."""
from __future__ import annotations

import ast
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gridsmith import _expression as expression
from gridsmith._expression import refuse

MOST_VARIANTS = 4096  # texts of a code generator; all of them are in one file
VARIANT = "gridsmith_variant"  # macro: which of them is compiled

LANGUAGES = ("CUDA", "CUPY", "NVCUDA")
MACROS_OF_KERNEL_TUNER = ("block_size_x", "block_size_y", "block_size_z", "grid_size_x", "grid_size_y", "grid_size_z",
                          "kernel_tuner")

# NVRTC always optimises, Gridsmith names the architecture, and the others are for host code or its linker.
DROPPED = re.compile(r"-O[0-3s]?$|-Ofast$|--?(arch|gpu-architecture|gencode|generate-code|code|gpu-code)\b|-Xcompiler|"
                     r"--compiler-options|-f(PIC|openmp)|-W|-l(?!ineinfo)|-L|--?shared|-m(64|arch|tune)|-ccbin|--?x\b|"
                     r"-default-stream|-Xlinker")
WITH_NEXT_WORD = ("-arch", "--gpu-architecture", "-gencode", "--generate-code", "-code", "--gpu-code", "-Xcompiler",
                  "--compiler-options", "-ccbin", "-x", "-Xlinker", "-default-stream")


@dataclass
class Source:
    """The text to compile and what goes with it."""

    text: str
    files: dict[str, str] = field(default_factory=dict)  # further files by relative name
    folders: list[str] = field(default_factory=list)  # where its own headers are
    macros: dict[str, str] = field(default_factory=dict)


def _is_code(text: str) -> bool:
    return any(letter in text for letter in "\n;{}()")


def _file(source: str | Path) -> Path:
    path = Path(source)
    if not path.is_file():
        refuse(f"kernel_source: '{source}' is no file; it can be a file name, the text of the kernel, a list of file "
               "names of which the first has the kernel, or a function of the parameters")
    return path


def source_of(kernel_source: Any, params: dict[str, list], conditions: list[str]) -> Source:
    """The source as one text: of a text, a file, a list of files, or a function of the parameters."""
    if isinstance(kernel_source, (list, tuple)):
        if not kernel_source:
            refuse("kernel_source is an empty list; its first entry is the file with the kernel")
        main = source_of(kernel_source[0], params, conditions)
        for other in kernel_source[1:]:
            main.files[str(other)] = _file(other).read_text()
        return main
    if isinstance(kernel_source, os.PathLike) or isinstance(kernel_source, str) and not _is_code(kernel_source):
        path = _file(kernel_source)
        return Source(path.read_text(), folders=[str(path.resolve().parent)])
    if isinstance(kernel_source, str):
        local = re.search(r'#\s*include\s*"', kernel_source)
        return Source(kernel_source, folders=[str(Path.cwd())] if local else [])
    if callable(kernel_source):
        return _generated(kernel_source, params, conditions)
    refuse(f"kernel_source is a {type(kernel_source).__name__}; it can be a text, a file name, a list of file names or a "
           "function of the parameters")


def _generated(generator: Any, params: dict[str, list], conditions: list[str]) -> Source:
    """All texts of a code generator, one of which the macro VARIANT selects."""
    def call(configuration: expression.Configuration) -> str | None:
        try:
            return generator(configuration)
        except Exception:
            if not conditions:
                raise
            return None  # outside of the space a generator need not have a text

    names, table = expression.tabulate(call, params, "kernel_source", MOST_VARIANTS)
    texts = list(dict.fromkeys(text for text in table.values() if text is not None))
    if not texts:
        refuse("kernel_source: the function gives no text for any configuration")
    if not all(isinstance(text, str) for text in texts):
        refuse(f"kernel_source gives a {type(texts[0]).__name__}; it must give the text of the kernel")
    if len(texts) == 1:
        return Source(texts[0])
    number = {text: i for i, text in enumerate(texts)}
    chosen = expression.tree(names, {v: number.get(text, 0) for v, text in table.items()}, "kernel_source")
    branches = [f"#{'elif' if i else 'if'} {VARIANT} == {i}\n{text}\n" for i, text in enumerate(texts)]
    return Source("".join(branches) + "#endif\n", macros={VARIANT: chosen})


def with_defines(source: Source, defines: dict | None, params: dict[str, list]) -> None:
    """Makes macros of just these names: the parameters lose theirs within the source."""
    if defines is None:
        return
    lines: list[str] = []
    kept: set[str] = set()
    for name, value in defines.items():
        if not isinstance(name, str) or not name.isidentifier():
            refuse(f"defines: '{name}' is no name of a macro")
        text = _define(value, params, f"defines['{name}']")
        if name in params:
            if text != name:
                refuse(f"defines['{name}'] has the name of a parameter and another value; give the macro a name of its own")
            kept.add(name)
        elif _is_expression(text, params):
            source.macros[name] = text
        else:
            # Its words are replaced where the macro is used, so parameters among them stay macros.
            lines.append(f"#define {name} " + text.replace("\n", "\\\n"))
            kept.update(word for word in re.findall(r"[A-Za-z_]\w*", text) if word in params)
    hidden = [name for name in dict.fromkeys([*params, *MACROS_OF_KERNEL_TUNER])
              if name not in kept and name not in defines and names(source, name)]
    # Behind the source they are back, for the template arguments of the kernel's name.
    before = [f'#pragma push_macro("{name}")\n#undef {name}\n' for name in hidden]
    after = [f'#pragma pop_macro("{name}")\n' for name in hidden]
    if before or lines:
        source.text = ("".join(before) + "".join(line + "\n" for line in lines) + "#line 1\n" + source.text + "\n"
                       + "".join(after))


def names(source: Source, name: str) -> bool:
    """Whether the source or a file of its own has this name."""
    return any(re.search(rf"\b{name}\b", text) for text in (source.text, *source.files.values()))


def _define(value: Any, params: dict[str, list], what: str) -> str:
    """A text as it is; a function as an expression, or as the one text that it always gives."""
    if not callable(value):
        return str(value)
    found = expression.traced(value, params)
    if isinstance(found, str) and not found.startswith(("'", '"')):
        return found
    names, table = expression.tabulate(value, params, what)
    results = {str(result) for result in table.values()}
    if len(results) == 1:
        return results.pop()
    return expression.tree(names, {v: _number(result) for v, result in table.items()}, what)


def _number(value: Any) -> Any:
    try:
        return ast.literal_eval(value) if isinstance(value, str) else value
    except (ValueError, SyntaxError):
        return value


def _is_expression(text: str, params: dict[str, list]) -> bool:
    """Whether it is arithmetic of parameters, which a macro of the definition can be."""
    try:
        nodes = list(ast.walk(ast.parse(text.strip(), mode="eval")))
    except SyntaxError:
        return False
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return all(isinstance(node, expression.NODES) for node in nodes) and names <= params.keys() | expression.FUNCTIONS


def needs_nvcc(source: Source) -> bool:
    """Whether it has host code, which NVRTC does not compile."""
    return any(re.search(r"<<<|\bcuda[A-Z]\w*\s*\(", text) for text in (source.text, *source.files.values()))


def check_language(lang: str | None, text: str) -> None:
    """CUDA is the one language; without a name the text shows it."""
    found = lang.upper() if lang else "CUDA"
    if not lang and "__kernel" in text and "__global__" not in text:
        found = "OPENCL"
    if found not in LANGUAGES:
        refuse(f"lang is {lang or 'not given and the source is OpenCL'}; possible are CUDA, CuPy and NVCUDA, which are all "
               "the same here")


def compiler_options_of(options: Any, folders: list[str]) -> list[str]:
    """Those that change the code of the device; folders of headers go to folders."""
    words = list(options or []) if not isinstance(options, str) else options.split()
    kept: list[str] = []
    while words:
        word = str(words.pop(0))
        if word.startswith(("-I", "--include-path")):
            folder = re.sub(r"^(-I|--include-path)=?", "", word) or str(words.pop(0) if words else "")
            folders.append(str(Path(folder).resolve()))
        elif DROPPED.match(word):
            if word in WITH_NEXT_WORD and words:
                words.pop(0)
        else:
            kept.append(word)
    return kept


def compiler_of(compiler: str | None, source: Source) -> str | None:
    """nvcc where it is asked for or the source has host code, else None: NVRTC."""
    if compiler is None:
        return "nvcc" if needs_nvcc(source) else None
    name = Path(str(compiler)).name
    if name not in ("nvcc", "nvrtc"):
        refuse(f"compiler is '{compiler}'; possible are nvcc and nvrtc (the default)")
    return name
