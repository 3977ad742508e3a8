"""How fast are compiled products and convolutions beside OpenBLAS and oneDNN?

    products.py BUILD [--quick] [--filter TEXT...]

A Markdown table of squares and of what the steps gpt_mid and resnet_mid multiply, forward
and both gradients: GFLOP/s of generated code (contraction-bench, no library), of OpenBLAS
on f32 matrices of the same sides, and of oneDNN as PyTorch calls it, reorders included. A
ratio above 1 is faster than what it names.

One thread on one CPU. Two processes measure each case in turn, medians of processor time,
after both have computed the same: operands are small integers, and sums over what they
give agree exactly.

What is compared is what a step has. Ours are dense images as frameworks hand them over
(NCHW), copies that pad them count, and results are f32; PyTorch's images are
channels_last, and half results are half. oneDNN leaves products with padding out, which
are counted, so that it may seem to pass the peak. PyTorch gives f32 matrices to MKL;
oneDNN is asked for through its linear layer, which knows no batches (a dash). Beside a
convolution, OpenBLAS has a product of the same size and no windows to lay out.
"""

import argparse
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import time

try:
    import torch
except ImportError:
    sys.exit("products.py: not measured, python3 has no torch; install it with: pip install torch")

import contraction_cases

ROUND = 2e-3  # seconds, of several calls where they are shorter, as in contraction.cpp
TYPES = {"f32": torch.float32, "bf16": torch.bfloat16}


def make_operand(shape, dtype):
    """The integers of contraction-bench's operands."""
    count = torch.arange(torch.Size(shape).numel())
    return ((count * 7 + count // 13) % 9 - 4).to(dtype).reshape(shape)


def add_up(result):
    """Each element times 1 to 7 in turn. Algorithms that divide are off by less than half."""
    flat = result.contiguous().flatten().double().round()
    return float((flat * (torch.arange(flat.numel()) % 7 + 1)).sum())


def measure(call, budget):
    """Seconds of processor time that a call takes: the median of rounds."""
    start = time.thread_time()
    call()
    call()
    once = (time.thread_time() - start) / 2
    repeat, times = max(1, int(ROUND / once)), []
    end = time.thread_time() + max(budget, 5 * once)
    while time.thread_time() < end:
        start = time.thread_time()
        for _ in range(repeat):
            call()
        times.append((time.thread_time() - start) / repeat)
    return statistics.median(times)


def measure_onednn(case, budget):
    """Seconds of each type that it computes, and the sum of the result."""
    seconds = {}
    for name, dtype in TYPES.items():
        call = case.make_call(make_operand(case.a, dtype), make_operand(case.b, dtype), True)
        if call:
            seconds[name] = measure(call, budget)
    exact = case.make_call(make_operand(case.a, torch.float32), make_operand(case.b, torch.float32), False)
    return seconds, add_up(exact())


class Ours:
    """contraction-bench, which waits for cases."""

    def __init__(self, build, quick):
        tool = pathlib.Path(build) / "bin" / "contraction-bench"
        if not tool.exists():
            sys.exit(f"products.py: expected '{tool}' to be built; ./dev bench products builds it")
        command = [tool, "--cases", "--median", "--mode=generated"]
        self.process = subprocess.Popen(command + ["--quick"] * quick, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        # Its line stands there once it has measured the machine.
        self.description = self.process.stderr.readline().strip()

    def measure(self, case):
        print(case.to_json(), file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"products.py: contraction-bench did not measure '{case.name}': "
                     + self.process.stderr.read().strip())
        return json.loads(answer)


def get_cpu():
    lines = pathlib.Path("/proc/cpuinfo")
    names = re.findall(r"^model name\s*: (.*)$", lines.read_text(), re.MULTILINE) if lines.exists() else []
    return names[0] if names else platform.processor()


def print_row(*cells):
    print(f"| {' | '.join(cells)} |", flush=True)


def show(operations, seconds, name):
    return f"{operations / seconds[name] * 1e-9:.1f}" if name in seconds else "-"


def show_ratio(seconds, name, baseline):
    return f"{seconds[baseline] / seconds[name]:.2f}" if baseline in seconds else "-"


def print_heading():
    print_row("contraction", "OpenBLAS f32", "oneDNN f32", "f32", "f32 / OpenBLAS", "f32 / oneDNN", "oneDNN bf16",
              "bf16", "bf16 / oneDNN", "bf16 / peak", "f16", "f16 / f32")
    print_row(*["---"] * 12)


def print_case(case, seconds, peak):
    blas, onednn, f32, onednn_bf16, bf16, f16 = (
        show(case.operations, seconds, name)
        for name in ("openblas", "onednn f32", "f32", "onednn bf16", "bf16", "f16"))
    print_row(case.name, blas, onednn, f32, show_ratio(seconds, "f32", "openblas"),
              show_ratio(seconds, "f32", "onednn f32"), onednn_bf16, bf16, show_ratio(seconds, "bf16", "onednn bf16"),
              f"{case.operations / seconds['bf16'] / peak['bf16']:.2f}", f16, show_ratio(seconds, "f16", "f32"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--quick", action="store_true", help="a sixth of the time for each cell")
    parser.add_argument("--filter", nargs="+", default=[""], metavar="TEXT", help="cases whose names have one")
    options = parser.parse_args()
    cases = [case for case in contraction_cases.make_cases() if any(text in case.name for text in options.filter)]
    if not cases:
        sys.exit("products.py: no case has '" + "' or '".join(options.filter) + "' in its name")
    cpu = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cpu})
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    ours = Ours(options.build, options.quick)
    onednn = re.search(r"MKL-DNN v([\d.]+)", torch.__config__.show())
    print(f"{get_cpu()}, CPU {cpu}, 1 thread. OpenBLAS: {ours.description}. "
          f"oneDNN {onednn.group(1) if onednn else '?'} of torch {torch.__version__}, "
          f"{torch.backends.cpu.get_cpu_capability()}.")
    for case in cases:
        answer = ours.measure(case)
        seconds, wanted = measure_onednn(case, 0.05 if options.quick else 0.3)
        for name, got in answer["sum"].items():
            if got != wanted:
                sys.exit(f"products.py: '{case.name}' is not what PyTorch computes: {name} gives a sum of {got}, "
                         f"expected {wanted}")
        if case is cases[0]:
            peak = answer["peak"]
            print(f"At most {peak['f32'] * 1e-9:.0f} GFLOP/s of f32 and {peak['bf16'] * 1e-9:.0f} of bf16 in registers or "
                  f"tiles, {answer['triad'] * 1e-9:.0f} GB/s of memory. GFLOP/s:\n")
            print_heading()
        seconds = {f"onednn {name}": value for name, value in seconds.items()} | {
            name.removesuffix(" generated"): value for name, value in answer["seconds"].items()}
        print_case(case, seconds, peak)


if __name__ == "__main__":
    main()
