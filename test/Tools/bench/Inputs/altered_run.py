"""Stands in for amp-run, and makes of a right run a wrong one, or one with skipped steps. ALTER says which:
`start` gives a weight another start value, `level` takes O4 for O1, `skip-N` overflows in the first N steps."""

import os
import sys

import numpy

words, alter = sys.argv[1:], os.environ["ALTER"]
if alter == "start":
    replay = words[words.index("--replay") + 1]
    arrays = dict(numpy.load(replay))
    arrays["arg0"] = arrays["arg0"] * numpy.float32(1.001)
    numpy.savez(replay, **arrays)
elif alter == "level":
    words = [word.replace("=O1", "=O4") for word in words]
else:
    steps = range(min(int(alter.removeprefix("skip-")), int(numpy.load(words[words.index("--replay") + 1])["steps"])))
    words += [f"--inject={step}:fc1.weight:0:inf" for step in steps]
os.execvp("amp-run", ["amp-run", *words])
