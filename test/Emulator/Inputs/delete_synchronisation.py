"""Runs a kernel once for each of its synchronising instructions without that one.

    delete_synchronisation.py KERNEL.mlir OPTION...

Every run of `amp-emu OPTION...` must give a finding. One line for each instruction.
"""

import re
import subprocess
import sys

SYNC = re.compile(r"nvvm\.(mbarrier\.(init|try_wait|arrive)|fence|barrier|cluster\.arrive|"
                  r"wgmma\.(fence|commit|wait)|cp\.async\.bulk\.(commit|wait))")

with open(sys.argv[1], encoding="utf-8") as file:
    lines = file.readlines()
silent = count = 0
for number, line in enumerate(lines):
    if not SYNC.search(line):
        continue
    changed = list(lines)
    result = re.match(r"\s*(%\w+) = nvvm\.mbarrier\.try_wait", line)
    changed[number] = f"{result[1]} = llvm.mlir.constant(true) : i1\n" if result else "\n"
    if "cluster.arrive" in line:
        changed[number + 1] = "\n"  # its wait
    done = subprocess.run(["amp-emu", "-", *sys.argv[2:]], input="".join(changed),
                          capture_output=True, text=True)
    first = done.stderr.split("\n")[0]
    found = done.returncode == 1 and "error: " in first
    count += 1
    silent += not found
    print(f"{'found' if found else 'MISSED'}: {number + 1}: {line.strip()[:60]}: {first}")
print(f"{count} deletions, {silent} missed")
sys.exit(bool(silent))
