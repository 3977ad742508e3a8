"""Runs amp-run on files that it must refuse, and checks what it says.

    refused_files.py SOURCE_DIR

Every refusal is one line `amp-run: error: ...` that names the file, ends with an
exit code of 1 (no signal, no crash), and leaves the folder as it was: no log, no
state, no temporary file, and a state that was there unharmed. What can be known
without running the step is said before it is compiled.
"""

import io
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

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

cnn = source / "test/Inputs/samples/cnn_digits.mlir"


def zipped(method, **arrays):
    """The bytes of an .npz whose members are compressed by `method`."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.save(member, array)
            archive.writestr(name + ".npy", member.getvalue())
    return file.getvalue()


# Modules, each with what the error says after "'FILE'".
modules = {
    "empty.mlir": ("", " is empty; name a step as MLIR, or what amp-compile made of one"),
    "blank.mlir": ("\n", ": the module has no train step: expected a function"),
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
    "overflow.npz": (
        other(digits, x0=np.where(np.arange(64) == 5, 1e300, x0.astype(np.float64))),
        "expected array 'x0' in FILE to fit f32 of batch 'x0', but got 1e+300 at [0, 5]",
    ),
    "lzma.npz": (
        zipped(zipfile.ZIP_LZMA, x0=x0, x1=x1),
        "expected array 'x0' in FILE to be stored or deflated, but it has the unsupported "
        "compression LZMA; save it with numpy.savez or numpy.savez_compressed",
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
    "last-batch-nan.npz": (
        other(replay, step2_x0=np.full_like(replay["step2_x0"], np.nan)),
        "expected finite values in array 'step2_x0' in FILE, but got NaN at [0, 0]",
    ),
    "start-overflow.npz": (
        other(replay, arg1=np.full(replay["arg1"].shape, -1e39)),
        "expected array 'arg1' in FILE to fit f32 of param 'fc1.bias', but got -1e+39 at [0]",
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


# What only the step itself can find.
late = {"labels.npz", "negative-labels.npz", "an injection without a scale"}


def expect(name, expected, *command):
    """`expected` is the error, its end left open; none: any."""
    folder = pathlib.Path.cwd()
    before = {p: p.read_bytes() for p in folder.iterdir() if p.is_file()}
    done = subprocess.run(
        ["amp-run", *map(str, command), "--verbosity=0", "--quiet", "--timing"],
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
    if ("compiled in" in done.stdout) != (name in late):
        problems.append("refused before or after compilation, unlike expected")
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

    write(pathlib.Path("no-losses.npz"), other(replay, losses=None))
    write(pathlib.Path("final.npz"), other(replay, final1=replay["final1"][:63]))
    pathlib.Path("read-only.npz").write_bytes(b"kept")
    os.chmod("read-only.npz", 0o444)

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
    expect("save over what is protected", "cannot write 'read-only.npz': it is write-protected; name "
           "another file", *train, "--save", "read-only.npz")
    expect("log to no folder", "cannot open log 'no/l.jsonl': No such file or directory",
           *train, "--log", "no/l.jsonl")
    expect("log to a folder", "cannot open log 'folder': Is a directory", *train, "--log", "folder")
    expect("no test data", "cannot open 'no.npz': No such file or directory",
           *train, "--test-data", "no.npz", "--log", "log.jsonl", "--save", "s.npz")
    write(pathlib.Path("few-labels.npz"), {"x0": x0[:9], "x1": x1[:7]})
    expect("fewer labels than rows", "expected array 'x1' in 'few-labels.npz' to have 9 rows as "
           "'x0' has, but got 7", *train, "--test-data", "few-labels.npz", "--save", "s.npz")
    write(pathlib.Path("no-rows.npz"), {"x0": x0[:0], "x1": x1[:0]})
    expect("no rows to evaluate", "expected at least one row in 'no-rows.npz' to evaluate, but got 0",
           *train, "--test-data", "no-rows.npz", "--save", "s.npz")
    write(pathlib.Path("test-label.npz"), {"x0": x0[:9], "x1": x1[:9] + 10})
    expect("a label out of range", "expected labels from 0 to 9 in array 'x1' in 'test-label.npz', "
           "but got 1", *train, "--test-data", "test-label.npz", "--save", "s.npz")
    for name, shape in (("4x2x8", (4, 2, 8)), ("8x8x1", (8, 8, 1)), ("8x8", (8, 8))):
        write(pathlib.Path(name + ".npz"), other(digits, x0=x0.reshape(-1, *shape)))
    expect("rows in another order", "expected the rows of array 'x0' in '4x2x8.npz' to fit those of "
           "batch 'x0', 1x8x8xf32, but got 4x2x8xf32, which has as many elements in another order; "
           "transpose or reshape it before it is saved", cnn, "--data", "4x2x8.npz", "--steps", "1")
    write(pathlib.Path("40-rows.npz"), {"x0": x0[:40], "x1": x1[:40]})
    expect("too few rows for micro-batches", "expected at least 64 rows, one batch, in '40-rows.npz', "
           "but got 40", MODULE, "--data", "40-rows.npz", "--steps", "1", "--micro-batches", "2")
    expect("a final value of another shape", "expected array 'final1' in 'final.npz' to have the shape "
           "of param 'fc1.bias', 128xf32, but got 63xf32", MODULE, "--replay", "final.npz")
    expect("no recorded losses", "'no-losses.npz' has no recorded losses, which --tolerance compares "
           "with", MODULE, "--replay", "no-losses.npz", "--tolerance", "1")
    step = function_text("train_step")
    write(pathlib.Path("two-losses.mlir"), text.replace(
        step, step.replace(") -> (", ') -> (tensor<f32> {amp.name = "other", amp.role = "loss"}, ', 1)
        .replace("return %0#0", "return %0#0, %0#0").replace("%1#11 : ", "%1#11 : tensor<f32>, ")))
    expect("two losses", "'two-losses.mlir' has 2 losses, but --tolerance compares one; leave it out",
           "two-losses.mlir", "--replay", REPLAY, "--tolerance", "1")
    expect("too many steps", "'%s': expected at most 3 steps, as many as '%s' has batches for, but got "
           "4" % (MODULE, REPLAY), MODULE, "--replay", REPLAY, "--steps", "4", "--log", "log.jsonl")
    expect("an injection without a scale", "'%s': expected a program that unscales gradients to inject "
           "'fc1.bias' into, but it has no loss scale; set e.g. 'loss-scale=dynamic'" % MODULE,
           *train, "--inject", "0:fc1.bias:0:inf", "--opt-level=O0", "--log", "log.jsonl")
    write(pathlib.Path("no-evaluate.mlir"), text.replace(function_text("evaluate"), "\n"))
    expect("no evaluate function", "'no-evaluate.mlir' has no evaluate function, which --test-data "
           "needs: a function with 'param' and 'batch' arguments and an 'output' result",
           "no-evaluate.mlir", *train[1:], "--test-data", DIGITS, "--log", "log.jsonl")
    write(pathlib.Path("init.npz"), {"fc1.weight": replay["arg0"]})
    expect("init without a parameter", "expected an array 'fc1.bias' or 'param/fc1.bias' for param "
           "'fc1.bias' in 'init.npz'; leave out '--init' to start from a seed",
           *train, "--init", "init.npz")

    weights = {"param/" + name: replay[f"arg{i}"] for i, name in enumerate(
        ("fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"))}
    write(pathlib.Path("both.npz"), {"fc1.weight": replay["arg0"], **weights})
    expect("two start values of a parameter", "expected one start value for 'fc1.weight' in 'both.npz', "
           "but it has the arrays 'fc1.weight' and 'param/fc1.weight'; leave one of them out",
           *train, "--init", "both.npz")
    os.mkfifo("pipe")
    expect("a pipe for test data", "cannot open 'pipe': it is not a regular file; write what it gives to "
           "a file and name that", *train, "--test-data", "pipe", "--save", "s.npz")

    # No error, but no figure without a word either: test data without labels.
    write(pathlib.Path("no-labels.npz"), {"x0": x0[:40]})
    write(pathlib.Path("labels-too.npz"), {"x0": x0[:40], "x1": x1[:40]})
    for name, end in (("no-labels", "; no accuracy, for there is no array 'x1' in 'no-labels.npz' with the "
                       "labels\n"), ("labels-too", None)):
        out = subprocess.run(["amp-run", *map(str, train), "--quiet", "--verbosity=0", "--test-data",
                              name + ".npz"], check=True, capture_output=True, text=True).stdout
        if (out != "evaluated 40 rows" + end if end else "evaluated 40 rows: accuracy" not in out or
                "no accuracy" in out):
            failures.append(name + "\n  " + out)

    # Near misses: f64 data is rounded to the argument's type, and a step that fits
    # replaces the old state; images that are equal but for extents of 1 bind; what
    # nobody asks for is not read.
    for name in ("8x8x1", "8x8"):
        subprocess.run(["amp-run", cnn, "--data", name + ".npz", "--steps", "1", "--quiet",
                        "--verbosity=0"], check=True)
    write(pathlib.Path("f64.npz"),
          other(digits, x0=x0.astype(np.float64), notes=np.array(["a", None], dtype=object)))
    subprocess.run(["amp-run", MODULE, "--data", "f64.npz", *one_step, "--verbosity=0", "--quiet"],
                   check=True)
    if "param/fc1.weight" not in np.load("old.npz").files:
        failures.append("f64.npz\n  no state was written")
    os.chdir("/")

print(*failures, sep="\n")
sys.exit(bool(failures))
