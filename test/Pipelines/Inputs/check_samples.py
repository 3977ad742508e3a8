"""Runs amp-mixed-precision over a folder of training steps.

    check_samples.py FOLDER LEVEL [--without-origins]

Each module must go through (amp-opt verifies after every pass), a second run must
change nothing, and at O0 the output must be the input but for the module's policy.
Without origins, the front end's attributes on operations are removed before.
Prints one line for each file; fails on the first difference.
"""

import difflib
import pathlib
import re
import subprocess
import sys


def amp_opt(text, *options):
    done = subprocess.run(
        ["amp-opt", "-", *options], input=text, capture_output=True, text=True
    )
    if done.returncode != 0:
        sys.exit(f"amp-opt failed on {path.name}:\n{done.stderr}")
    return done.stdout


def expect_equal(expected, actual, what):
    if expected == actual:
        return
    diff = difflib.unified_diff(expected.splitlines(), actual.splitlines(), lineterm="", n=1)
    sys.exit(f"{path.name}: {what}:\n" + "\n".join(list(diff)[:40]))


def without_origins(text):
    text = re.sub(r'amp\.(scope|function|layer|phase) = "[^"]*"(, )?', "", text)
    text = re.sub(r"amp\.scope_id = \d+ : i64(, )?", "", text)
    return text.replace(", }", "}")


folder, level, *options = sys.argv[1:]
pipeline = f"--amp-mixed-precision=opt-level={level} verbosity=0"
paths = sorted(pathlib.Path(folder).glob("*.mlir"))
assert paths, f"no modules in {folder}"
for path in paths:
    source = path.read_text(encoding="utf-8")
    if options:
        source = without_origins(source)
    once = amp_opt(source, pipeline)
    expect_equal(once, amp_opt(once, pipeline), "the second run changed the program")
    if level == "O0":
        bare = re.sub(r"^module attributes \{amp\.policy = [^\n]*\} \{$", "module {", once, flags=re.M)
        expect_equal(amp_opt(source), bare, "O0 changed the program")
    print(f"{path.name} at {level}: ok")
