"""Runs the kernels that pack_kernels.py compiled, and compares them with float64.

    run_packed_kernels.py [--processes=N] [--patience=SECONDS] LIBRARY DEVICE FOLDER [WORD...]

LIBRARY is libamp-rt.so, DEVICE its name of a device (cuda). WORDs select cases whose line
contains one of them. Each kernel runs with the blocks of its line, so that a block has
several tiles, and three times with as many as the device has room for. All of that must
be right, the three must agree to the bit, and what lies around each buffer must stay as
it was.

The bounds are those of verify_numbers.py and verify_convolutions.py, with other units. A
Tensor Core aligns what it adds to the largest of it and cuts the rest off: each addition
errs by at most 2u of the sum of magnitudes, u = 2^-24, and once more for the bits that
alignment drops; with operands of 8 bits Hopper keeps 13 bits behind the point of the largest.

One line for each case that is wrong; exit status 1 if anything is.
"""

import argparse
import json
import os
import subprocess
import sys
import threading

import numpy as np

import device_runtime
import verify_convolutions
import verify_numbers
from kernel_launch import Emulation
from number_formats import FORMATS
from read_launches import read_kernels

UNIT = verify_numbers.UNIT
GUARD = 4096  # bytes on either side of a buffer
RUNS = 3
RESULTS = {"d", "x", "f", "y"}  # sums for columns and rows are atomic, in any order


def sum_unit(options):
    """How far each addition of a sum may be off."""
    given = dict(word.split("=") for word in options.split())
    form = given.get("a-type", "bf16")
    if form == "f32" or "filters=" in options and given.get("groups", 1) == given.get("channels"):
        return UNIT  # plain arithmetic
    return 2.0**-13 if form.startswith("f8") else 4 * UNIT


class DeviceRun(Emulation):
    """Memory of a sequence of kernels, and their runs on a device. What `write` takes lies
    in arrays here until then. With `fits` there are as many blocks as the device has room for,
    in several runs."""

    def __init__(self, device, image, kernels, fits):
        super().__init__(None, kernels, None)
        self.device, self.image, self.fits = device, image, fits
        self.arrays, self.results = {}, {}

    def write(self, name, values):
        form = FORMATS[self.types[name]]
        size = max(int(np.prod(self.shapes[name])), 1) * form.storage().itemsize
        stored = np.full(size, 0xFF, np.uint8)
        encoded = form.encode(values).ravel().view(np.uint8)
        stored[: encoded.size] = encoded
        self.arrays[name] = stored

    def read(self, name):
        form = FORMATS[self.types[name]]
        return form.decode(self.results[name].view(form.storage))

    def run_once(self, module, addresses, blocks):
        for name, array in self.arrays.items():
            guarded = np.full(array.size + 2 * GUARD, 0xFF, np.uint8)
            guarded[GUARD : GUARD + array.size] = array
            self.device.write(addresses[name] - GUARD, guarded)
        for kernel in self.kernels:
            self.device.launch(module, kernel, addresses, blocks)
        self.device.synchronize()
        for name, array in self.arrays.items():
            guarded = np.empty(array.size + 2 * GUARD, np.uint8)
            self.device.read(addresses[name] - GUARD, guarded)
            if (guarded[:GUARD] != 0xFF).any() or (guarded[GUARD + array.size :] != 0xFF).any():
                raise device_runtime.Failure(f"wrote around '{name}'")
            self.results[name] = guarded[GUARD : GUARD + array.size].copy()

    def run(self, blocks, seed, seeds=1):
        module, addresses = self.device.load("kernels", self.image), {}
        try:
            for name, array in self.arrays.items():
                addresses[name] = self.device.allocate(array.size + 2 * GUARD) + GUARD
            self.run_once(module, addresses, None if self.fits else blocks)
            first = dict(self.results)
            for _ in range(RUNS - 1 if self.fits else 0):
                self.run_once(module, addresses, None)
                for name in RESULTS & first.keys():
                    if (first[name] != self.results[name]).any():
                        raise device_runtime.Failure(f"two runs differ in '{name}'")
        finally:
            for address in addresses.values():
                self.device.free(address - GUARD)
            self.device.unload(module)
        return []


def check(device, case, folder):
    """What is wrong with one case, or an empty text."""
    line = case["line"]
    is_convolution = "filters=" in line
    verify = verify_convolutions if is_convolution else verify_numbers
    with open(os.path.join(folder, case["image"]), "rb") as file:
        image = file.read()
    for fits in (False, True):
        problem = verify_convolutions.Convolution(line) if is_convolution else verify_numbers.Problem(line)
        run = DeviceRun(device, image, read_kernels(case["launches"]), fits)
        try:
            wrong, _ = verify.check_numbers(problem, run, sum_unit(problem.options))
        except device_runtime.Failure as failure:
            wrong = str(failure)
        if wrong:
            return f"{'as many blocks as fit' if fits else 'blocks of the line'}: {wrong}"
    return ""


def restart_behind(index):
    """This program again, from the next case on: a device that has met an error, or waits for
    ever, is of no more use to this process."""
    os.execv(sys.executable, [sys.executable, "-B", *sys.argv, f"--from={index + 1}"])


def run_share(device, cases, folder, indices, patience):
    for index in indices:
        line = cases[index]["line"]

        def give_up():
            print(f"wrong: {line}\n  did not end within {patience} s", flush=True)
            restart_behind(index)

        watchdog = threading.Timer(patience, give_up)
        watchdog.start()
        wrong = check(device, cases[index], folder)
        watchdog.cancel()
        if wrong:
            print(f"wrong: {line}\n  {wrong}", flush=True)
            restart_behind(index)


def main():
    parser = argparse.ArgumentParser()
    for name in ("library", "device", "folder"):
        parser.add_argument(name)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--patience", type=int, default=20, help="seconds for a case")
    parser.add_argument("--share", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--from", type=int, action="append", default=[0], dest="start", help=argparse.SUPPRESS)
    given = parser.parse_args()
    with open(os.path.join(given.folder, "kernels.json")) as file:
        cases = json.load(file)
    cases = [case for case in cases if not given.words or any(word in case["line"] for word in given.words)]
    if given.share is not None:
        device = device_runtime.Device(given.library, given.device)
        mine = [i for i in range(given.start[-1], len(cases)) if i % given.processes == given.share]
        run_share(device, cases, given.folder, mine, given.patience)
        return
    print(device_runtime.Device(given.library, given.device).model(), flush=True)
    shares = [
        subprocess.Popen([sys.executable, "-B", *sys.argv, f"--processes={given.processes}", f"--share={share}"], stdout=subprocess.PIPE, text=True)
        for share in range(given.processes)
    ]
    texts = [share.communicate()[0] for share in shares]
    print("".join(texts), end="")
    broken = sum(share.returncode != 0 for share in shares)
    count = sum(text.count("wrong: ") for text in texts)
    print(f"{len(cases)} kernels, {count} wrong" + (f", {broken} processes did not end well" if broken else ""))
    sys.exit(bool(count or broken) or not cases)


if __name__ == "__main__":
    main()
