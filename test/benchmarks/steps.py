#!/usr/bin/env python3
"""How long does a training step of each sample take, against PyTorch eager FP32?

    steps.py BUILD [NAME...] [--samples DIR] [--levels O0,O2]

One line per sample and level: our step, PyTorch's step of the same model in FP32
(one thread, this run; a dash where torch is not installed), their ratio (below 1
is faster), the time of compilation, and the step's memory. Before them, which
libraries compute products: ours, and the vectors that PyTorch's are for. Times are the best of
several rounds, ours and PyTorch's in turn, so that both see the same machine. A
sample from JAX is compared with its PyTorch twin.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy

SAMPLES = {
    "mlp_digits": "mlp_digits",
    "cnn_digits": "cnn_digits",
    "resnet8": "resnet8",
    "gpt_tiny": "gpt_tiny",
    "jax_mlp_digits": "mlp_digits",
    "jax_cnn_digits": "cnn_digits",
    "jax_gpt_tiny": "gpt_tiny_1",
}
STEPS = 300  # of one round
ROUNDS = 3


def write_replay(source, target):
    """The batches of a replay file over and over, so that it has STEPS of them."""
    arrays = dict(numpy.load(source))
    recorded = int(arrays["steps"])
    batches = {k: v for k, v in arrays.items() if re.match(r"step\d+_", k)}
    kept = {k: v for k, v in arrays.items() if re.match(r"arg\d+$", k)}
    for key, value in batches.items():
        number, name = re.match(r"step(\d+)_(.*)", key).groups()
        for step in range(int(number), STEPS, recorded):
            kept[f"step{step}_{name}"] = value
    numpy.savez(target, **kept, steps=STEPS)


def run_ours(build, module, replay, level):
    """Milliseconds of a step, seconds of compilation, KiB of memory, the BLAS."""
    command = [
        os.path.join(build, "bin", "amp-run"), module, "--opt-level=" + level,
        "--verbosity=0", "--replay", replay, "--steps", str(STEPS), "--timing", "--threads=1",
    ]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    text = subprocess.run(
        command, check=True, capture_output=True, text=True, env=environment
    ).stdout
    speed, unit = re.search(r"([\d.]+) (steps/s|s/step) \(first", text).groups()
    milliseconds = 1000 / float(speed) if unit == "steps/s" else 1000 * float(speed)
    compile_time = float(re.search(r"compiled in ([\d.]+) s", text).group(1))
    size, unit = re.search(r"intermediate buffers ([\d.]+) (\w+)", text).groups()
    kib = float(size) * {"B": 1 / 1024, "KiB": 1, "MiB": 1024, "GiB": 1024 * 1024}[unit]
    blas = re.search(r"^BLAS: (.*)$", text, re.MULTILINE).group(1)
    return milliseconds, compile_time, kib, blas


def load_eager():
    """`make_step` with one thread, or None without torch."""
    try:
        import torch
    except ImportError:
        return None
    import steps_eager

    torch.set_num_threads(1)
    return steps_eager.make_step


def describe_torch():
    """Its version, and the vectors that it uses on this CPU."""
    try:
        import torch
    except ImportError:
        return "not installed"
    return f"{torch.__version__}, {torch.backends.cpu.get_cpu_capability()}"


def run_eager(step):
    """Milliseconds of a step: the best of short runs, after a warm-up."""
    for _ in range(5):
        step()
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(20):
            step()
        best = min(best, (time.perf_counter() - start) / 20)
    return 1000 * best


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("names", nargs="*", default=[])
    parser.add_argument("--samples", default=here.parents[2] / "shared" / "samples")
    parser.add_argument("--levels", default="O0,O2")
    arguments = parser.parse_args()
    samples = pathlib.Path(arguments.samples)
    if not samples.is_dir():
        sys.exit(f"steps.py: no samples in '{samples}'; name their folder with --samples")
    make_step = load_eager()

    heading = f"{'sample':16} level  ours ms  torch ms  ratio  compile s  memory KiB"
    for name in arguments.names or SAMPLES:
        module = samples / (name + ".mlir")
        eager = make_step(SAMPLES[name]) if make_step else None
        with tempfile.TemporaryDirectory() as folder:
            replay = os.path.join(folder, "replay.npz")
            write_replay(samples / (name + ".npz"), replay)
            for level in arguments.levels.split(","):
                ours = compiled = theirs = float("inf")
                for _ in range(ROUNDS):
                    milliseconds, seconds, kib, blas = run_ours(
                        arguments.build, module, replay, level
                    )
                    if heading:
                        print(f"ours: BLAS {blas}\nPyTorch: {describe_torch()}\n{heading}")
                        heading = None
                    ours, compiled = min(ours, milliseconds), min(compiled, seconds)
                    if eager:
                        theirs = min(theirs, run_eager(eager))
                against = f"{theirs:8.3f}  {ours / theirs:5.2f}" if eager else f"{'-':>8}  {'-':>5}"
                print(
                    f"{name:16} {level:5} {ours:8.3f}  {against}  {compiled:9.2f}  {kib:10.1f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
