"""Counts what the kernels of an update by AdamW read and write of each parameter.

    amp-opt STEP --amp-to-gpu=... --mlir-print-ir-before=amp-count-launch-traffic 2>&1 | update_bytes.py

Reads the tables of operands of multi-tensor kernels that have three results of f32 or more for
each tensor, as AdamW has: weights, and two moments. What is read only where a step is skipped
("conditional") does not count. Prints bytes for each element, and how many there are.
"""

import collections
import re
import sys

BYTES = {"f32": 4, "f16": 2, "bf16": 2, "i8": 1}

total = elements = 0
for name, attributes in re.findall(r"llvm\.func @(multi_tensor_\d+)\(.*?amp\.launch = \{(.*)", sys.stdin.read()):
    tensors = collections.defaultdict(list)
    for entry in re.findall(r"\{((?:conditional, )?elements = [^{}]*)\}", attributes):
        found = re.match(r'(conditional, )?elements = (\d+) : i64, name = "(in|out)(\d+)_\d+", type = (\w+)', entry)
        if found:
            conditional, count, kind, number, type = found.groups()
            tensors[number].append((not conditional, int(count), kind, type))
    for operands in tensors.values():
        if sum(kind == "out" and type == "f32" for _, _, kind, type in operands) < 3:
            continue
        count = operands[0][1]
        elements += count
        total += sum(count * BYTES[type] for counts, _, _, type in operands if counts)
print(f"{total / elements:.2f} bytes for each of {elements} elements")
