"""What PyTorch's and JAX's tests compile for the host, lowered for a device.

    device_modules.py TEST_FOLDER FILE...

Runs FILEs of the Python tests with keep_modules.py, then `amp-to-gpu` on each module that they compiled. Prints the
refusals, how many modules have how many reads by the host (of what assertions found, and of conditions that only data
decide), and the counts. Exit status 1 where a module is refused or a test fails.
"""

import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent


def collect(tests, files, folder):
    """Runs the tests; their modules are in the folder."""
    path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "keep_modules", "-p", "no:cacheprovider",
               *(os.path.join(tests, file) for file in files), "-m", "not long"]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": path, "AMP_KEPT_MODULES": folder},
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout[-2000:] + done.stderr[-2000:])


def lower(module):
    """What is wrong with a module on a device, or nothing, and how often the host reads there."""
    passes = module.with_suffix(".passes").read_text()
    # A pass of PyTorch's that knows what is kept between forward and backward.
    passes = re.sub(r",amp-narrow-results\{[^}]*\}", "", passes)
    done = subprocess.run(["amp-opt", str(module), f"--pass-pipeline=builtin.module({passes},amp-to-gpu{{format=nvvm}})"],
                          capture_output=True, text=True)
    if done.returncode:
        errors = [line for line in done.stderr.split("\n") if "error:" in line]
        return errors[0] if errors else f"amp-opt ended with {done.returncode}", 0
    return "", len(re.findall(r"call @ampRtRunRead\(", done.stdout))


def main():
    tests, *files = sys.argv[1:]
    refused, reads = 0, collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        collect(tests, files, folder)
        modules = sorted(pathlib.Path(folder).glob("*.mlir"))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for wrong, count in pool.map(lower, modules):
                refused += bool(wrong)
                reads[count] += 1
                if wrong:
                    print(wrong)
    for count, times in sorted(reads.items()):
        print(f"{times} with {count} reads")
    print(f"{len(modules)} modules, {refused} refused")
    sys.exit(refused > 0 or not modules)


if __name__ == "__main__":
    main()
