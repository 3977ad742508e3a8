"""Compiles the kernels of number tables, to be run where there is a GPU and no compiler.

    pack_kernels.py [--for-emulator] FOLDER TABLE...

A TABLE is one of verify_numbers.py or verify_convolutions.py, or of emulate_kernels.py,
whose data are small integers. FOLDER gets the image of each kernel, and `kernels.json`:
for each case its line, the name of its image, and the text of its launches. Kernels
with mma.sync and plain f32 ones are compiled for sm_90, so that they run on a Hopper.

With --for-emulator images are the text that the runtime's device `emulator` takes.

With run_packed_kernels.py, libamp-rt.so and the other files of this folder FOLDER is
all that the machine with the GPU needs.
"""

import concurrent.futures
import hashlib
import json
import os
import re
import sys
import tempfile

from kernel_launch import Failure, run

FOLDER = os.path.dirname(os.path.abspath(__file__))


def read_table(path):
    """Lines of a table, each with what verify_numbers.py or verify_convolutions.py needs."""
    with open(path) as file:
        lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    # emulate_kernels.py's lines say how many blocks, or nothing.
    for line in lines:
        if not re.search(r"\| *[a-z]", line):
            options, _, rest = line.partition("|")
            line = f"{options.strip()} | integer {(rest.split() or ['2'])[0]}"
        yield line


def unescape(text):
    return re.sub(rb"\\([0-9A-F]{2}|.)", lambda m: bytes([int(m[1], 16)]) if len(m[1]) == 2 else m[1], text.encode())


def compile_kernel(options, folder, for_emulator):
    """The image of a kernel, and the text of its launches."""
    generator = "amp-generate-convolution" if "filters=" in options else "amp-generate-gemm"
    module, lowered, image = (os.path.join(folder, name) for name in ("a.mlir", "b.mlir", "c.mlir"))
    steps = [
        ["amp-opt", os.path.join(FOLDER, "epilogues.mlir"), f"--{generator}={options}", "-o", module],
        ["amp-opt", module, "--amp-kernels-to-nvvm", "-o", lowered],
    ]
    if not for_emulator:
        chip = re.search(r"\bchip=(\w+)", options)
        steps.append(["amp-opt", module, f"--amp-kernels-to-cubin=chip={chip[1] if chip else 'sm_90a'}", "-o", image])
    for step in steps:
        done = run(step)
        if done.returncode:
            raise Failure(done.stderr)
    with open(lowered, encoding="utf-8") as file:
        text = file.read()
    launches = "".join(line for line in text.splitlines(True) if "llvm.func @" in line and "amp.launch" in line)
    if for_emulator:
        # The functions of epilogues stay behind.
        kernels = re.search(r"^  gpu\.module @.*?^  \}$", text, re.M | re.S).group(0)
        return f"module attributes {{gpu.container_module}} {{\n{kernels}\n}}\n".encode(), launches
    with open(image, encoding="utf-8") as file:
        return unescape(re.search(r'bin = "((?:[^"\\]|\\.)*)"', file.read()).group(1)), launches


def pack(line, target, for_emulator):
    options = line.partition("|")[0].strip()
    if not for_emulator:
        # The chips before have no images that run on a later one.
        options = re.sub(r"\bchip=sm_8\d", "chip=sm_90", options)
    with tempfile.TemporaryDirectory() as folder:
        try:
            image, launches = compile_kernel(options, folder, for_emulator)
        except Failure as failure:
            return {"line": line, "failure": str(failure)}
    name = hashlib.sha256(image).hexdigest()[:16] + (".mlir" if for_emulator else ".cubin")
    with open(os.path.join(target, name), "wb") as file:
        file.write(image)
    return {"line": line, "image": name, "launches": launches}


def main():
    for_emulator = "--for-emulator" in sys.argv
    words = [word for word in sys.argv[1:] if word != "--for-emulator"]
    if len(words) < 2:
        sys.exit("pack_kernels.py: expected a folder to write to and tables; see the top of this file")
    target, *tables = words
    os.makedirs(target, exist_ok=True)
    lines = list(dict.fromkeys(line for table in tables for line in read_table(table)))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        packed = list(pool.map(lambda line: pack(line, target, for_emulator), lines))
    cases = [case for case in packed if "image" in case]
    with open(os.path.join(target, "kernels.json"), "w") as file:
        json.dump(cases, file, indent=0)
    for case in packed:
        if "failure" in case:
            print(f"not compiled: {case['line']}\n  {case['failure']}")
    print(f"{len(packed)} kernels, {len(packed) - len(cases)} not compiled")
    sys.exit(len(cases) < len(packed) or not cases)


if __name__ == "__main__":
    main()
