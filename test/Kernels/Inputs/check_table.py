"""Runs a check on each line of a table, in parallel: blank lines and those that begin with #
are not cases, and words choose the lines that contain one of them. Prints a line for
each case, with what is wrong; exit status 1 if anything is, or if there was no case."""

import concurrent.futures
import os
import sys


def check_table(path, words, check):
    with open(path) as file:
        lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    lines = [line for line in lines if not words or any(word in line for word in words)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(check, lines))
    for line, wrong in zip(lines, results):
        print(("wrong: " if wrong else "right: ") + line)
        if wrong:
            print("  " + "\n  ".join(wrong.strip().split("\n")[:12]))
    count = sum(bool(wrong) for wrong in results)
    print(f"{len(results)} kernels, {count} wrong")
    sys.exit(bool(count) or not results)
