"""What amp-kernel-bench measured of kernel_variants.py's folders, as a Markdown table.

    compare_variants.py FOLDER [TORCH.jsonl]

FOLDER has a NAME.jsonl for each problem, of `amp-kernel-bench FOLDER_OF_VARIANTS/NAME --json
FOLDER/NAME.jsonl`; TORCH.jsonl is what torch_convolutions.py printed. For each problem
the fastest kernel, its rate, the baseline's, and the ratio of both (above 1 is faster
than the baseline); below, geometric means.
"""

import json
import math
import os
import sys


def read_kernels(path):
    """The lines of kernels that were measured."""
    with open(path) as file:
        lines = [json.loads(line) for line in file if line.strip()]
    return [line for line in lines if "kernel" in line]


def find_baseline(name, kernels, torch):
    """Name and TFLOP/s of what the problem's kernels are compared with."""
    if name in torch:
        return "PyTorch", torch[name]
    measured = kernels[0].get("baseline")
    return (measured["name"], measured["tflops"]) if measured else (None, None)


def main():
    if len(sys.argv) < 2 or not os.path.isdir(sys.argv[1]):
        sys.exit("compare_variants.py: expected a folder of measurements; see the top of this file")
    folder, *more = sys.argv[1:]
    torch = {}
    for path in more:
        with open(path) as file:
            torch.update((line["name"].replace(" ", "_"), line["tflops"]) for line in map(json.loads, file))
    print("| problem | shape | kernel | TFLOP/s | baseline | TFLOP/s | ratio |")
    print("|" + " --- |" * 7)
    ratios, count = {}, 0
    for entry in sorted(os.listdir(folder)):
        name, ending = os.path.splitext(entry)
        kernels = read_kernels(os.path.join(folder, entry)) if ending == ".jsonl" else []
        if not kernels:
            continue
        count += 1
        best = max(kernels, key=lambda line: line["kernel"]["tflops"])
        rate = best["kernel"]["tflops"]
        library, baseline = find_baseline(name, kernels, torch)
        cells = [name.replace("_", " "), f"{best['shape']} {best['types']}", best["name"], f"{rate:.4g}"]
        if library:
            ratios.setdefault(library, []).append(rate / baseline)
            cells += [library, f"{baseline:.4g}", f"{rate / baseline:.2f}"]
        else:
            cells += ["-", "-", "-"]
        print("| " + " | ".join(cells) + " |")
    if not count:
        sys.exit(f"compare_variants.py: expected kernels that were measured in '{folder}', but it has none")
    for library, values in sorted(ratios.items()):
        mean = math.exp(sum(map(math.log, values)) / len(values))
        print(f"\nGeometric mean against {library}: {mean:.3f} of {len(values)}")


if __name__ == "__main__":
    main()
