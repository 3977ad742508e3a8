"""Runs amp-run on files that it must refuse, and checks what it says.

    refused_files.py SOURCE_DIR

Every refusal is one line `amp-run: error: ...` that names the file, ends with an
exit code of 1 (no signal, no crash), and leaves the folder as it was: no log, no
state, no temporary file, and a state that was there unharmed.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

source = pathlib.Path(sys.argv[1])
MODULE = source / "test/Inputs/samples/mlp_digits.mlir"
REPLAY = source / "test/Inputs/samples/mlp_digits.npz"
DIGITS = source / "share/digits/digits_train.npz"
digits = dict(np.load(DIGITS))
replay = dict(np.load(REPLAY))
x0, x1 = digits["x0"], digits["x1"]
text = MODULE.read_text()
failures = []


def function_text(name):
    start = text.index("  func.func @" + name)
    return text[start : text.index("\n  }\n", start) + 5]


def other(arrays, **changes):
    """`arrays` with some replaced, or left out where the change is None."""
    return {k: v for k, v in {**arrays, **changes}.items() if v is not None}


def with_argument(argument):
    return text.replace("func.func @train_step(", "func.func @train_step(%n: " + argument + ", ")


nan = x0.copy()
nan[7, 3] = np.nan
whole = DIGITS.read_bytes()
flipped = bytearray(whole)
flipped[len(whole) // 3] ^= 0xFF

# Modules, each with what the error says after "'FILE'".
modules = {
    "empty.mlir": ("", ": the module has no train step: expected a function"),
    "cut.mlir": (text[:5000], " cannot be read as MLIR"),
    "bytes.mlir": (bytes(range(256)), " cannot be read as MLIR"),
    "two-steps.mlir": (
        text.rstrip()[:-1] + function_text("train_step").replace("@train_step", "@again") + "}\n",
        ": expected one train step in the module, but got 'train_step' and 'again'; take the roles "
        "off the arguments of one of them",
    ),
    "i64.mlir": (
        with_argument("i64"),
        ": expected each argument of 'train_step' to be a ranked tensor of i1, i8, i16, i32, i64, "
        "f16, bf16, f32 or f64, but argument 0 is i64",
    ),
    "no-role.mlir": (
        with_argument("tensor<4xf32>"),
        ": expected the arguments of 'train_step' to have a role that can be fed (param, master, "
        "buffer, opt_state, batch, loss_seed, accumulator, rng or hyper), but argument 0 has none",
    ),
}

# Data for --data, each with the whole error; FILE stands for the file.
data = {
    "nan.npz": (other(digits, x0=nan), "expected finite values in array 'x0' in FILE, but got NaN at [7, 3]"),
    "integers.npz": (
        other(digits, x0=x0.astype(np.int32)),
        "expected array 'x0' in FILE to hold floating-point elements for batch 'x0' (f32), but got "
        "i32; scale and convert it before it is saved, e.g. with .astype('float32')",
    ),
    "float-labels.npz": (
        other(digits, x1=x1.astype(np.float32)),
        "expected array 'x1' in FILE to hold integers for batch 'x1' (i64), but got f32; scale and "
        "convert it before it is saved, e.g. with .astype('int64')",
    ),
    "labels.npz": (
        other(digits, x1=x1 + 10),
        "step 0 on FILE failed: 'train_step': assertion in the compiled program failed: index must "
        "be smaller than dim size; are the integers of 'x1' in range?",
    ),
    "negative-labels.npz": (
        other(digits, x1=-1 - x1),
        "step 0 on FILE failed: 'train_step': assertion in the compiled program failed: index must "
        "be larger or equal to 0; are the integers of 'x1' in range?",
    ),
    "missing.npz": (
        other(digits, x1=None),
        "expected an array 'x1' for batch 'x1' in FILE, but it has 'x0'",
    ),
    "rows.npz": (
        other(digits, x1=x1[:9]),
        "expected array 'x1' in FILE to have 1437 rows as 'x0' has, but got 9",
    ),
    "few.npz": (
        {"x0": x0[:5], "x1": x1[:5]},
        "expected at least 32 rows, one batch, in FILE, but got 5",
    ),
    "none.npz": (
        {"x0": x0[:0], "x1": x1[:0]},
        "expected at least 32 rows, one batch, in FILE, but got 0",
    ),
    "shape.npz": (
        other(digits, x0=x0[:, 1:]),
        "expected the rows of array 'x0' in FILE to fit those of batch 'x0', 64xf32, but got 63xf32",
    ),
    "number.npz": (
        other(digits, x0=np.float32(1)),
        "expected array 'x0' in FILE to have a row per sample, but it is a single number",
    ),
    "objects.npz": (
        other(digits, x0=np.array([{}, 1], dtype=object)),
        "expected numbers in array 'x0' in FILE, but got Python objects ('|O'); convert it with "
        ".astype before it is saved",
    ),
    "truncated.npz": (
        whole[: len(whole) // 2],
        "expected FILE to be a whole .npz file, but its end is missing; it is truncated, save it again",
    ),
    "flipped.npz": (bytes(flipped), None),
    "empty.npz": (
        b"",
        "expected FILE to be an .npz file (a zip archive), but it is not; save it with numpy.savez",
    ),
}

# Files for --replay.
replays = {
    "start-nan.npz": (
        other(replay, arg0=np.full_like(replay["arg0"], np.nan)),
        "expected finite values in array 'arg0' in FILE, but got NaN at [0, 0]",
    ),
    "start-missing.npz": (
        other(replay, arg3=None),
        "expected an array 'arg3', the start value of param 'fc2.bias', in FILE; is it the replay "
        "file of this module?",
    ),
    "batch-shape.npz": (
        other(replay, step0_x0=replay["step0_x0"][:31]),
        "expected array 'step0_x0' in FILE to have the shape of batch 'x0', 32x64xf32, but got 31x64xf32",
    ),
    "batch-missing.npz": (
        other(replay, step1_x1=None),
        "expected array 'step1_x1' in FILE, but it has 'steps', 'losses', 'arg0', 'final0', 'arg1', "
        "'final1', 'arg2', 'final2' and 18 more",
    ),
}


def write(path, content):
    if isinstance(content, dict):
        np.savez(path, **content)
    else:
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def expect(name, expected, *command):
    """`expected` is the error, its end left open; none: any."""
    folder = pathlib.Path.cwd()
    before = {p: p.read_bytes() for p in folder.iterdir() if p.is_file()}
    done = subprocess.run(
        ["amp-run", *map(str, command), "--verbosity=0", "--quiet"],
        capture_output=True, text=True, errors="replace",
    )
    lines = [l for l in done.stderr.splitlines() if l.startswith("amp-run: error: ")]
    after = {p: p.read_bytes() for p in folder.iterdir() if p.is_file()}
    problems = []
    if done.returncode != 1:
        problems.append("exit code %d" % done.returncode)
    if len(lines) != 1 or not lines[0].startswith("amp-run: error: " + (expected or "")):
        problems.append("said:     %s\n  expected: %s" % ("\n".join(lines) or done.stderr, expected))
    if expected is None and lines and name not in lines[0]:
        problems.append("the file is not named: " + lines[0])
    if before != after:
        problems.append("the folder changed: %s" % sorted({p.name for p in before.keys() ^ after.keys()}))
    if problems:
        failures.append(name + "\n  " + "\n  ".join(problems))


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    pathlib.Path("old.npz").write_bytes(b"what was there")
    pathlib.Path("folder").mkdir()
    one_step = ["--steps", "1", "--save", "old.npz"]
    for name, (content, error) in modules.items():
        write(pathlib.Path(name), content)
        expect(name, "'" + name + "'" + error, name, "--data", DIGITS, *one_step)
    for files, option in ((data, "--data"), (replays, "--replay")):
        for name, (content, error) in files.items():
            write(pathlib.Path(name), content)
            error = error and error.replace("FILE", "'" + name + "'")
            steps = one_step if option == "--data" else ["--save", "old.npz"]
            expect(name, error, MODULE, option, name, *steps)

    # Places that cannot be read or written; known before the first step.
    train = [MODULE, "--data", DIGITS, "--steps", "1"]
    expect("folder as module", "cannot open input file 'folder': Is a directory",
           "folder", "--data", DIGITS, "--steps", "1")
    expect("folder as data", "cannot open 'folder': it is a directory; name an .npz file",
           MODULE, "--data", "folder", "--steps", "1")
    expect("no data", "cannot open 'no.npz': No such file or directory",
           MODULE, "--data", "no.npz", "--steps", "1")
    expect("save to no folder", "cannot write 'no/s.npz': No such file or directory; name a file in "
           "a folder that can be written to", *train, "--save", "no/s.npz", "--log", "log.jsonl")
    expect("save to a device", "cannot write '/dev/full': it is not a regular file; name another one",
           *train, "--save", "/dev/full")
    expect("log to no folder", "cannot open log 'no/l.jsonl': No such file or directory",
           *train, "--log", "no/l.jsonl")
    expect("log to a folder", "cannot open log 'folder': Is a directory", *train, "--log", "folder")
    expect("no test data", "cannot open 'no.npz': No such file or directory",
           *train, "--test-data", "no.npz", "--log", "log.jsonl", "--save", "s.npz")
    write(pathlib.Path("no-evaluate.mlir"), text.replace(function_text("evaluate"), "\n"))
    expect("no evaluate function", "'no-evaluate.mlir' has no evaluate function, which --test-data "
           "needs: a function with 'param' and 'batch' arguments and an 'output' result",
           "no-evaluate.mlir", *train[1:], "--test-data", DIGITS, "--log", "log.jsonl")
    write(pathlib.Path("init.npz"), {"fc1.weight": replay["arg0"]})
    expect("init without a parameter", "expected an array 'fc1.bias' or 'param/fc1.bias' for param "
           "'fc1.bias' in 'init.npz'; leave out '--init' to start from a seed",
           *train, "--init", "init.npz")

    # Near misses: f64 data is rounded to the argument's type, and a step that fits
    # replaces the old state.
    write(pathlib.Path("f64.npz"), other(digits, x0=x0.astype(np.float64)))
    subprocess.run(["amp-run", MODULE, "--data", "f64.npz", *one_step, "--verbosity=0", "--quiet"],
                   check=True)
    if "param/fc1.weight" not in np.load("old.npz").files:
        failures.append("f64.npz\n  no state was written")
    os.chdir("/")

print(*failures, sep="\n")
sys.exit(bool(failures))
