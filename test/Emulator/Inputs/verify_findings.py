"""Runs every kernel of a file and compares what is reported with its comments.

    verify_findings.py KERNELS.mlir

Inside a kernel, `// error+1: TEXT` says that the next line is reported with TEXT,
`// note-1: TEXT` the same of a note, and `// options: ...` before it what amp-emu needs.
`// clean` says that nothing is found, and `// prints: TEXT` that it prints TEXT, a line.
"""

import re
import subprocess
import sys

path = sys.argv[1]
with open(path, encoding="utf-8") as file:
    lines = file.read().split("\n")
kernels, options = [], ""
for number, line in enumerate(lines, 1):
    if found := re.match(r"\s*// options: (.*)", line):
        options = found[1]
    elif (found := re.search(r"llvm\.func @(\w+)\(", line)) and "nvvm.kernel" in line:
        kernels.append((found[1], options.split(), []))
        options = ""
    elif found := re.match(r"\s*// (error|note)([+-]\d+): (.*)", line):
        kernels[-1][2].append(f"{path}:{number + int(found[2])}:|{found[1]}: {found[3]}")
    elif found := re.match(r"\s*// (clean|prints: .*)$", line):
        kernels[-1][2].append(found[1])
wrong = 0
for name, arguments, expected in kernels:
    done = subprocess.run(["amp-emu", path, "--kernel=" + name] + arguments, capture_output=True, text=True)
    got = [line for line in done.stderr.split("\n") if "error: " in line or "note: " in line]
    for text in expected:
        if text == "clean":
            if done.returncode:
                wrong += 1
                print(f"{name}: expected nothing, but got {done.returncode}: {done.stderr}")
            continue
        if text.startswith("prints: "):
            if text[len("prints: "):] not in done.stdout.split("\n"):
                wrong += 1
                print(f"{name}: expected '{text}', but got '{done.stdout}'")
            continue
        place, _, message = text.partition("|")
        if done.returncode == 1 and any(
                line.startswith(place) and message in line for line in got):
            continue
        wrong += 1
        print(f"{name}: expected '{text}', but got {done.returncode}: "
              f"{done.stderr or done.stdout}")
    if not expected:
        wrong += 1
        print(f"{name}: says nothing about what is expected")
print(f"{len(kernels)} kernels, {wrong} wrong")
sys.exit(bool(wrong) or not kernels)
