"""Fails unless two .npz files hold the same arrays, bit for bit."""

import sys

import numpy

first, second = (numpy.load(path) for path in sys.argv[1:])
assert sorted(first.files) == sorted(second.files) and first.files
for name in first.files:
    assert first[name].tobytes() == second[name].tobytes(), name
