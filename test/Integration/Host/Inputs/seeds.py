"""Accuracy on held-out digits over ten seeds, by level.

    seeds.py MODULE TRAIN TEST [STEPS]

The same seed gives the same start values and the same order of batches at each level,
so what is left of a difference is rounding. Exits with 1 where the mean accuracy of a
level is further from that of O0 than 0.5 points plus one standard error of O0's mean.
"""

import math
import re
import statistics
import subprocess
import sys

LEVELS = ("O0", "O1", "O2", "O4", "O5")
SEEDS = range(1, 11)


def get_accuracy(module, train, test, level, seed, steps):
    command = ["amp-run", module, f"--opt-level={level}", "--verbosity=0", f"--seed={seed}",
               f"--steps={steps}", "--data", train, "--test-data", test]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return 100 * float(re.search(r"^evaluated 360 rows: accuracy ([\d.]+)", text, re.M).group(1))


def main():
    module, train, test = sys.argv[1:4]
    steps = int(sys.argv[4]) if len(sys.argv) > 4 else 300
    means, failed = {}, False
    for level in LEVELS:
        values = [get_accuracy(module, train, test, level, seed, steps) for seed in SEEDS]
        means[level] = statistics.mean(values)
        error = statistics.stdev(values) / math.sqrt(len(values))
        if level == "O0":
            bound = 0.5 + error
        distance = abs(means[level] - means["O0"])
        failed |= distance > bound
        print(f"{level}: mean {means[level]:.2f}, standard error {error:.2f}, lowest {min(values):.2f}, "
              f"{distance:.2f} points from O0 (bound {bound:.2f})", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
