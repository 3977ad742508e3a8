# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles steps for a GPU, for run_packed_steps.py on a machine that has one.

    pack_steps.py BUILD FOLDER [NAME...] [--levels O0,O0-tf32,O1,O2,O4,O5]
                  [--target cuda:sm_90a] [--kernel-cache FOLDER] [--samples DIR]

FOLDER then has NAME-LEVEL.so for each sample and level, and the runtime library. `tf32`
behind a level is amp-compile's option. What cannot be compiled ends it with a sentence.
"""

import argparse
import pathlib
import subprocess
import sys

from sample_files import FOLDERS, find_module

def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*", default=["gpt_mid", "resnet_mid"])
    parser.add_argument("--levels", default="O0,O0-tf32,O1,O2,O4,O5")
    parser.add_argument("--target", default="cuda:sm_90a")
    parser.add_argument("--kernel-cache")
    parser.add_argument("--samples", type=pathlib.Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in options.names:
        module = find_module(name, [options.samples] if options.samples else FOLDERS)
        for level in options.levels.split(","):
            opt_level, _, tf32 = level.partition("-")
            program = options.folder / f"{name}-{level}.so"
            command = [
                options.build / "bin" / "amp-compile", module, f"--opt-level={opt_level}",
                "--quiet", "--verbosity=0", f"--target={options.target}",
                "--cpu=x86-64-v3", "-o", program,
            ]  # fmt: skip
            command += ["--tf32"] if tf32 else []
            if options.kernel_cache:
                command.append(f"--kernel-cache={options.kernel_cache}")
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"pack_steps.py: '{name}' at {level}: {done.stderr.strip()}")
            print(f"{program.name}: {program.stat().st_size} bytes", flush=True)
    library = options.build / "lib" / "libamp-rt.so.0"
    (options.folder / library.name).write_bytes(library.read_bytes())


main()
