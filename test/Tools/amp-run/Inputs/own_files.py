"""Runs amp-run on outputs that are its inputs, and stops it by signals.

    own_files.py SOURCE_DIR
"""

import fcntl
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time

import numpy as np

source = pathlib.Path(sys.argv[1])
QUIET = ["--opt-level=O0", "--verbosity=0", "--quiet"]
failures = []


def check(condition, text):
    if not condition:
        failures.append(text)


processes = []


def start(*options, module="step.mlir", ignored=(), largest_file=None, **streams):
    def set_signals():
        if largest_file is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # the test's own parent may ignore it
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)

    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    processes.append(subprocess.Popen(["amp-run", module, *map(str, options)], text=True,
                                      preexec_fn=set_signals, **streams))
    return processes[-1]


def run(*options, **streams):
    process = start(*options, **streams)
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


def read_all():
    return {p: p.read_bytes() for p in pathlib.Path.cwd().rglob("*") if p.is_file()}


def expect_refusal(error, *options, **streams):
    before = read_all()
    code, _, err = run(*options, **streams)
    label = " ".join(map(str, options))
    check(code == 1 and err == "amp-run: error: " + error + "\n", f"{label}\n  {code} {err}")
    check(before == read_all(), label + "\n  a file changed")


def compare_files():
    """An output that is an input, under each kind of name."""
    os.symlink(".", "here")
    os.link("data.npz", "hard.npz")
    os.symlink("step.mlir", "soft.mlir")
    os.symlink("here/test.npz", "far.npz")
    train = ["--data", "data.npz", "--test-data", "test.npz", "--steps", "1"]
    for output, name, other, path in (
        ("--save", "data.npz", "--data", "data.npz"),
        ("--save", "hard.npz", "--data", "data.npz"),
        ("--save", "soft.mlir", "the module", "step.mlir"),
        ("--save", "here/far.npz", "--test-data", "test.npz"),
        ("--log", "here/step.mlir", "the module", "step.mlir"),
        ("--log", "hard.npz", "--data", "data.npz"),
        ("--log", "./test.npz", "--test-data", "test.npz"),
    ):
        expect_refusal(f"expected {output} to name a file of its own, but '{name}' is the file of "
                       f"{other}, '{path}'; name another file", *train, output, name)
    expect_refusal("expected --log to name a file of its own, but 'init.npz' is the file of --init, "
                   "'init.npz'; name another file", *train, "--init", "init.npz", "--log", "init.npz")
    expect_refusal("expected --save to name a file of its own, but 'hard.npz' is the file of --replay, "
                   "'data.npz'; name another file", "--replay", "data.npz", "--save", "hard.npz")
    expect_refusal("expected --save to name a file of its own, but 'here/new' is the file of --log, "
                   "'new'; name another file", *train, "--log", "new", "--save", "here/new")
    with open("data.npz", "ab") as stream:
        expect_refusal("expected standard output to name a file of its own, but '-' is the file of "
                       "--data, 'data.npz'; name another file", *train, stdout=stream)

    # Near miss: a state that is continued in place, twice.
    before = np.load("init.npz")["param/fc1.bias"]
    for _ in range(2):
        code, _, err = run("--data", "data.npz", "--steps", "1", "--init", "init.npz", "--save",
                           "init.npz", *QUIET)
        check(code == 0, "resuming in place: " + err)
        after = np.load("init.npz")["param/fc1.bias"]
        check((before != after).any(), "resuming in place changed nothing")
        before = after


def follow_links():
    """A state goes where the links lead, also to a file that is not there yet."""
    os.mkdir("states")
    os.symlink("states/real.npz", "link.npz")
    for _ in range(2):  # created, then replaced
        code, _, err = run("--data", "data.npz", "--steps", "1", "--save", "link.npz", *QUIET)
        check(code == 0, "link: " + err)
        check(os.path.islink("link.npz"), "the link was replaced")
        check(os.listdir("states") == ["real.npz"], f"link: {os.listdir('states')}")
        check("param/fc1.bias" in np.load("states/real.npz").files, "link: no state")
    os.symlink("no/real.npz", "nowhere.npz")
    expect_refusal("cannot write 'nowhere.npz': No such file or directory; name a file in a folder that "
                   "can be written to", "--data", "data.npz", "--steps", "1", "--save", "nowhere.npz")
    check(os.path.islink("nowhere.npz"), "the link to nowhere was replaced")


def limit_file_size():
    """A limit of what files may hold matters to the files that were asked for, and there are no others."""
    before = read_all()
    train = ["--data", "data.npz", "--steps", "1", "--opt-level=O0"]
    code, out, err = run(*train, largest_file=20480)
    check(code == 0 and "step 0: loss" in out and not err, f"limit: {code} {err}")
    check(before == read_all(), "limit: the run wrote a file")
    expect_refusal("cannot write 'large.npz': File too large; nothing was written", *train, "--quiet",
                   "--verbosity=0", "--save", "large.npz", largest_file=20480)
    with open("screen", "w") as screen:
        code, _, err = run(*train, largest_file=20, stdout=screen)
    check(code == 1 and err == "amp-run: error: cannot write to standard output: File too large\n",
          f"limit of the screen: {code} {err}")
    # Near miss: what stays below the limit.
    code, _, err = run(*train, "--save", "small.npz", largest_file=1 << 20)
    check(code == 0 and os.path.exists("small.npz"), f"high limit: {code} {err}")


def share_logs():
    """Two runs never write one log; one after the other append to it."""
    log = pathlib.Path("shared.jsonl")
    train = ["--data", "data.npz", "--steps", "2", "--log", log, *QUIET]
    log.write_text('{"step":0}\n{"st')  # as a killed run leaves it
    with open(log) as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        expect_refusal("cannot open log 'shared.jsonl': another run is writing to it; name another "
                       "file, or wait for that run to end", *train)
    for _ in range(2):
        code, _, err = run(*train)
        check(code == 0, "log: " + err)
    lines = log.read_text().splitlines()
    check(lines[:2] == ['{"step":0}', '{"st'], "the old lines changed")
    check([json.loads(line)["step"] for line in lines[2:]] == [0, 1, 0, 1], "log: " + str(lines))

    # A name of standard output is standard output, which then holds nothing else.
    code, out, _ = run("--data", "data.npz", "--steps", "2", "--log", "/dev/stdout", "--opt-level=O0",
                       "--timing")
    check(code == 0 and [json.loads(line)["step"] for line in out.splitlines()] == [0, 1],
          "/dev/stdout: " + out)
    code, out, err = run("--data", "data.npz", "--steps", "2", "--log", "/dev/null", "--opt-level=O0",
                         stderr=subprocess.STDOUT)
    check(code == 0 and "step 1: loss" in out, "/dev/null: " + out)


def wait_until(condition, seconds=0.02):
    limit = time.monotonic() + 300
    while not condition() and time.monotonic() < limit:
        time.sleep(seconds)


def wait_for_steps(log):
    wait_until(lambda: log.exists() and log.read_text().count("\n") >= 2)


def open_and_fill(fifo):
    """Opens the pipe `fifo` and waits until it has no room for another line of a log: a few lines
    fill it, and then nothing is added for long. The step that writes the next one waits."""
    reader = os.open(fifo, os.O_RDONLY)
    size = fcntl.fcntl(reader, 1031, 4096)  # F_SETPIPE_SZ
    free, since = size, time.monotonic()

    def is_full():
        nonlocal free, since
        used = int.from_bytes(fcntl.ioctl(reader, termios.FIONREAD, bytes(4)), sys.byteorder)
        if size - used != free:
            free, since = size - used, time.monotonic()
        return free < 512 and time.monotonic() - since > 2
    wait_until(is_full)
    check(free < 512, f"{fifo}: {free} of {size} bytes are free")
    return reader


def is_locked(log):
    with open(log) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return False
        except BlockingIOError:
            return True


def stop_by_signals():
    """The state after a signal is that of a run of as many steps."""
    forever = ["--data", "data.npz", "--steps", "1000000000", *QUIET]
    log = pathlib.Path("stopped.jsonl")
    process = start(*forever, "--log", log, "--save", "stopped.npz",
                    ignored=[signal.SIGHUP])
    wait_for_steps(log)
    process.send_signal(signal.SIGHUP)  # ignored as under nohup
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=300)
    steps = log.read_text().count("\n")
    check(process.returncode == 130, f"SIGINT: exit code {process.returncode}")
    check(err == f"amp-run: stopped by SIGINT after {steps} of 1000000000 steps; the state is in "
          "'stopped.npz'\n", "SIGINT: " + err)
    check(log.read_text().endswith("}\n"), "SIGINT: the log ends inside a line")
    # Not with the log's run, whose taps do not change a bit but are compiled in.
    code, _, err = run("--data", "data.npz", "--steps", steps, "--log", "/dev/null", "--save",
                       "whole.npz", *QUIET)
    check(code == 0, err)
    one, other = np.load("stopped.npz"), np.load("whole.npz")
    check(one.files == other.files and all(np.array_equal(one[n], other[n]) for n in one.files),
          "SIGINT: the state is not that after the step")

    log.unlink()
    process = start(*forever, "--log", log, "--test-data", "test.npz")
    wait_for_steps(log)
    process.terminate()
    out, err = process.communicate(timeout=300)
    steps = log.read_text().count("\n")
    check(process.returncode == 143, f"SIGTERM: exit code {process.returncode}")
    check(err == f"amp-run: stopped by SIGTERM after {steps} of 1000000000 steps; the state is lost, "
          "for there was no --save\n", "SIGTERM: " + err)
    check("evaluated" not in out, "SIGTERM: it was evaluated")

    # While it compiles, which comes after the log is opened, there is nothing to save, and a log
    # that was not there before is not there afterwards.
    for number, name, before in ((signal.SIGINT, "SIGINT", None), (signal.SIGTERM, "SIGTERM", "old\n")):
        early = pathlib.Path(f"early-{name}.jsonl")
        if before:
            early.write_text(before)
        process = start(*forever, "--log", early, "--save", "early.npz")
        wait_until(early.exists if not before else lambda: is_locked(early))
        process.send_signal(number)
        _, err = process.communicate(timeout=300)
        check(process.returncode == 128 + number, f"early {name}: exit code {process.returncode}")
        check(err == f"amp-run: stopped by {name} before the first step; nothing was written\n",
              f"early {name}: {err}")
        check((early.read_text() if early.exists() else None) == before, f"early {name}: the log")
        check(not os.path.exists("early.npz"), f"early {name}: a state was written")

    # A log that nobody reads holds the step up: the second signal need not wait.
    os.mkfifo("fifo")
    process = start(*forever, "--log", "fifo", "--save", "never.npz")
    reader = open_and_fill("fifo")
    process.send_signal(signal.SIGINT)
    time.sleep(0.2)
    check(process.poll() is None, "the first signal did not wait for the step")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    os.close(reader)
    check(process.returncode == -signal.SIGINT, f"second SIGINT: exit code {process.returncode}")
    check(not os.path.exists("never.npz"), "second SIGINT: a state was written")


def stop_at_time_limit():
    """The system sends SIGXCPU for each second of processor time: the second one loses nothing."""
    os.mkfifo("slow")
    process = start("--data", "data.npz", "--steps", "1000000000", *QUIET, "--log", "slow", "--save",
                    "limited.npz")
    reader = open_and_fill("slow")
    for _ in range(3):
        process.send_signal(signal.SIGXCPU)
        time.sleep(0.2)
    check(process.poll() is None, "SIGXCPU: the second one ended the run")
    while os.read(reader, 1 << 16):
        pass
    _, err = process.communicate(timeout=60)
    os.close(reader)
    check(process.returncode == 128 + signal.SIGXCPU, f"SIGXCPU: exit code {process.returncode}")
    check(err.startswith("amp-run: stopped by SIGXCPU after "), "SIGXCPU: " + err)
    check(os.path.exists("limited.npz"), "SIGXCPU: no state was written")


def fail_late():
    """A step that fails costs none of those before it."""
    arrays = dict(np.load("data.npz"))
    arrays["x1"][500] = 99  # a label of no class
    np.savez("bad.npz", **arrays)
    train = ["--data", "bad.npz", *QUIET]
    code, _, err = run(*train, "--steps", "400", "--save", "late.npz")
    found = re.match(r"amp-run: error: step (\d+) on 'bad.npz' failed: .*; the state after (\d+) steps? is in "
                     r"'late.npz'\n$", err)
    check(code == 1 and found and found[1] == found[2] and int(found[1]) > 0, f"late: {code} {err}")
    if found:
        code, _, err = run(*train, "--steps", found[1], "--save", "before.npz")
        one, other = np.load("late.npz"), np.load("before.npz")
        check(code == 0 and one.files == other.files
              and all(np.array_equal(one[n], other[n]) for n in one.files), "late: not the state before " + err)


def lose_readers():
    """A pipe that is closed costs the run its output, not its state."""
    process = start("--data", "data.npz", "--steps", "40", "--opt-level=O0", "--save", "piped.npz")
    process.stdout.close()
    err = process.stderr.read()
    check(process.wait(timeout=300) == 1, "closed pipe: exit code")
    check(err == "amp-run: error: cannot write to standard output: Broken pipe\n", "closed pipe: " + err)
    check(os.path.exists("piped.npz"), "closed pipe: no state was written")

    # The log is what was asked for: without it the run ends, but saves.
    process = start("--data", "data.npz", "--steps", "1000000000", "--save",
                    "logged.npz", "--log=-", *QUIET)
    process.stdout.readline()
    process.stdout.close()
    err = process.stderr.read()
    check(process.wait(timeout=300) == 1, "closed log: exit code")
    check(err == "amp-run: error: cannot write log '-': Broken pipe; the run was stopped, lines before "
          "this one are kept\n", "closed log: " + err)
    check(os.path.exists("logged.npz"), "closed log: no state was written")


def copy_oracle():
    """The recorded runs, which the tests must not write to, in a folder."""
    if not os.path.exists("oracle"):
        shutil.copytree(source / "test/Inputs/oracles", "oracle")
        shutil.copy(source / "test/Inputs/samples/oracle_mlp_sgd.mlir", "oracle_mlp_sgd.mlir")
    return {"module": "oracle_mlp_sgd.mlir"}


def compare_oracle_files():
    """The log of a comparison is none of the files that belong to the oracle."""
    module = copy_oracle()
    replay = ["--oracle", "oracle/training_apex.json", "--run", "mlp-s1-O0-sgd"]
    for option, path in (
        ("--oracle", "oracle/training_apex.json"),
        ("the oracle's weights", "oracle/weights_and_batches.npz"),
        ("the oracle's images", "oracle/digits.npz"),
    ):
        log = f"here/{path}"
        expect_refusal(f"expected --log to name a file of its own, but '{log}' is the file of {option}, "
                       f"'{path}'; name another file", *replay, "--log", log, **module)
    expect_refusal("expected --log to name a file of its own, but 'data.npz' is the file of "
                   "--tolerances, 'hard.npz'; name another file", *replay, "--tolerances", "hard.npz",
                   "--log", "data.npz", **module)


def stop_oracle():
    """A comparison of many runs ends with the counts of those that are through."""
    module = copy_oracle()
    log = pathlib.Path("oracle.jsonl")
    process = start("--oracle", "oracle/training_apex.json", "--run", "all", "--log", log, **module)
    wait_for_steps(log)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    check(process.returncode == 130, f"oracle: exit code {process.returncode}")
    stopped = re.fullmatch(r"amp-run: stopped by SIGINT after (\d+) of \d\d+ runs\n", err)
    check(stopped, "oracle: " + err)
    check(stopped and out.endswith(f"\n{stopped[1]} runs agree, 0 disagree, 0 cannot be compared\n"),
          "oracle: " + out)
    check(log.read_text().endswith("}\n"), "oracle: the log ends inside a line")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.environ["HOME"] = folder  # a run leaves nothing there either
    shutil.copy(source / "test/Inputs/samples/mlp_digits.mlir", "step.mlir")
    shutil.copy(source / "share/digits/digits_train.npz", "data.npz")
    shutil.copy(source / "share/digits/digits_test.npz", "test.npz")
    code, _, err = run("--data", "data.npz", "--steps", "1", "--save", "init.npz", *QUIET)
    check(code == 0, err)
    try:
        compare_files()
        follow_links()
        limit_file_size()
        compare_oracle_files()
        share_logs()
        stop_by_signals()
        stop_at_time_limit()
        fail_late()
        stop_oracle()
        lose_readers()
    finally:
        for process in processes:
            process.kill()
        os.chdir("/")

print(*failures, sep="\n")
sys.exit(bool(failures))
