#!/usr/bin/env python3
# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which instructions do the memory-bound kernels of a step have? Read from their SASS.

    memory_kernels.py SAMPLE.mlir [--level O2] [--chip sm_90a] [--amp-opt PATH]

The kernels of groups, of elements and of copies that amp-to-gpu makes of the sample are
compiled by ptxas and read by nvdisasm, both on PATH or by CUDA_HOME. Nothing runs. A row of
a Markdown table for the kernel of each KIND that a step launches most, and one for all:

- `launches`: of the kernel in the module; of all in the last row.
- `SASS`: instructions of the kernel, each once.
- `loads`, `stores`: instructions that access global memory, and those of 16 bytes among
  them. `shared`: those that access shared memory.
- `BAR`, `SHFL`, `MUFU`: barriers, shuffles, functions of the hardware.
- `registers` a thread, `spills` in bytes; in the last row the most.
- `threads` of a block.
"""

import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../Conversion/LinalgToElementKernels/Inputs"))
import compiled_kernels  # noqa: E402

# What a kernel of a kind has before it is lowered, and what it has not.
KINDS = {
    "softmax": (["math.exp", "nvvm.shfl"], []),
    "layer norm": (["math.rsqrt", "nvvm.shfl"], []),
    "sums of columns": (["arith.addf", "arith.bitcast", "nvvm.barrier"], ["math."]),
    "check": (["arith.bitcast", "arith.ori", "nvvm.barrier"], ["arith.addf"]),
    "update": (["math.sqrt"], ["nvvm.shfl"]),
    "erf": (["math.erf"], []),
    "tanh": (["math.tanh"], []),
}
COUNTS = {
    "SASS": r".",
    "loads": r"^LDG",
    "of 16 bytes": r"^LDG\S*\.128",
    "stores": r"^STG",
    "of 16 bytes ": r"^STG\S*\.128",
    "shared": r"^(LDS|STS)",
    "BAR": r"^BAR",
    "SHFL": r"^SHFL",
    "MUFU": r"^MUFU",
}


def find_modules(text):
    """Names and texts of the kernels of a module."""
    return {m[1]: m[0] for m in re.finditer(r"^  gpu\.module @((?:group|element|copy)_\d+) .*?^  }\n", text, re.M | re.S)}


def count(job):
    name, ptx, chip = job
    report, sass = compiled_kernels.assemble(ptx, chip)
    lines = [re.sub(r"^@!?U?P\d+\s+", "", m) for m in re.findall(r"^\s+/\*[0-9a-f]+\*/\s+(.*?);", sass, re.M)]
    lines = [line for line in lines if not line.startswith(("NOP", "BRA 0x", "EXIT "))]
    counts = {what: sum(bool(re.search(pattern, line)) for line in lines) for what, pattern in COUNTS.items()}
    counts["registers"] = int(re.search(r"Used (\d+) registers", report)[1])
    counts["spills"] = sum(map(int, re.findall(r"(\d+) bytes spill", report)))
    return name, counts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sample")
    parser.add_argument("--level", default="O2")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--amp-opt", default="amp-opt")
    arguments = parser.parse_args()
    after = "convert-linalg-to-element-kernels"
    text = subprocess.run(
        [arguments.amp_opt, arguments.sample, f"--amp-mixed-precision=opt-level={arguments.level} verbosity=0",
         f"--amp-to-gpu=chip={arguments.chip} format=nvvm", "--mlir-disable-threading", f"--mlir-print-ir-after={after}",
         "-o", os.devnull],
        stderr=subprocess.PIPE, text=True, check=True,
    ).stderr  # fmt: skip
    modules = find_modules(text)
    launches = collections.Counter(re.findall(r"amp\.launch_kernels @((?:group|element|copy)_\d+) ", text))
    aliases = "".join(re.findall(r"^#.*\n", text, re.M))
    source = aliases + "module attributes {gpu.container_module} {\n" + "".join(modules.values()) + "}\n"
    to_ptx = f"--amp-kernels-to-cubin=chip={arguments.chip} format=isa"
    made = compiled_kernels.binaries(compiled_kernels.run([arguments.amp_opt, to_ptx], input=source))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        counts = dict(pool.map(count, [(name, ptx, arguments.chip) for name, (ptx, _) in made.items()]))
    columns = ["launches", *COUNTS, "registers", "spills", "threads"]
    print("| kernel | " + " | ".join(column.strip() for column in columns) + " |")
    print("| --- |" + " --- |" * len(columns))

    def row(name, values):
        print(f"| {name} | " + " | ".join(str(values[column]) for column in columns) + " |")

    for kind, (has, lacks) in KINDS.items():
        names = [name for name, text in modules.items() if all(word in text for word in has)
                 and not any(word in text for word in lacks)]
        if names:
            name = max(names, key=lambda name: (launches[name], name))
            threads = re.search(r"block = array<i64: (\d+)", modules[name])[1]
            row(kind, {**counts[name], "launches": launches[name], "threads": threads})
    whole = {what: sum(kernel[what] for kernel in counts.values()) for what in COUNTS}
    whole["registers"] = max(kernel["registers"] for kernel in counts.values())
    whole["spills"] = max(kernel["spills"] for kernel in counts.values())
    row(f"all {len(counts)}", {**whole, "launches": sum(launches.values()), "threads": ""})


if __name__ == "__main__":
    main()
