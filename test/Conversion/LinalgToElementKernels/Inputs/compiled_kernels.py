"""Kernels of a module as PTX, ptxas's report of them, and SASS."""

import os
import re
import subprocess
import sys
import tempfile


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout + done.stderr


def compile_function(source, name, conversion, chip):
    """PTX, ptxas's report and SASS of what `conversion`, an option of amp-opt, makes of one
    function of `source`, whose parts are divided by `// -----`."""
    part = next(part for part in source.split("// -----") if f"func.func @{name}" in part)
    with tempfile.TemporaryDirectory() as folder:
        names = {kind: os.path.join(folder, "kernels." + kind) for kind in ("mlir", "ptx", "cubin")}
        with open(names["mlir"], "w") as file:
            file.write(part)
        text = run(["amp-opt", names["mlir"], conversion, f"--amp-kernels-to-cubin=chip={chip} format=isa"])
        ptx = re.search(r'assembly = "(.*?)"\s*>', text, re.S)[1]
        ptx = re.sub(r"\\([0-9A-F]{2})", lambda found: chr(int(found[1], 16)), ptx).replace("\x00", "")
        with open(names["ptx"], "w") as file:
            file.write(ptx)
        report = run(["ptxas", "-v", "-arch=" + chip, names["ptx"], "-o", names["cubin"]])
        return ptx, report, run(["nvdisasm", names["cubin"]])
