"""Writes the digits' batches as a C program reads them, and in amp-run's order.

    digit-batches.py DATA.npz BATCHES.bin SEED STEPS

The rows of an epoch are permuted by SplitMix64 (amp-rt/Random.h, RandomStream.h),
which stands here a second time, as Python's integers have it.
"""
import sys

import numpy as np

MASK = (1 << 64) - 1
BATCH = 32


def mix(z):
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def permutation(seed, label, count):
    hashed = 0xCBF29CE484222325
    for byte in label.encode():
        hashed = (hashed ^ byte) * 0x100000001B3 & MASK
    state, order = mix(mix(seed) ^ hashed), list(range(count))
    for i in range(count - 1, 0, -1):
        reject, value = (1 << 64) % (i + 1), -1
        while value < reject:
            state = state + 0x9E3779B97F4A7C15 & MASK
            value = mix(state)
        j = value % (i + 1)
        order[i], order[j] = order[j], order[i]
    return order


data, path, seed, steps = np.load(sys.argv[1]), *sys.argv[2:]
images, labels = data["x0"], data["x1"]
order = permutation(int(seed), "epoch 0", len(images))
assert int(steps) * BATCH <= len(order), "expected one epoch at most"
with open(path, "wb") as file:
    for step in range(int(steps)):
        rows = order[step * BATCH:][:BATCH]
        file.write(images[rows].tobytes() + labels[rows].tobytes())
