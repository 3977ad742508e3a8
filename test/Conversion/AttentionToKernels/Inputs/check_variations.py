"""Near misses: each variation of attention_program.py is left as it is, and `report` says
why; the program that it varies is converted. One line for each, and exit status 1 if
anything is wrong.
"""

import subprocess
import sys

from attention_program import VARIATIONS, added, divided, packed, write


def convert(program):
    done = subprocess.run(
        ["amp-opt", "-", "--convert-attention-to-kernels=report"], input=program, capture_output=True, text=True
    )
    if done.returncode:
        return "amp-opt: " + done.stderr, 0
    return done.stderr, done.stdout.count("amp.launch_kernels")


def main():
    count = 0
    whole = {
        "packed": (packed(1, 2, 32, 16, "bf16"), 2),
        "packed without gradients": (packed(1, 2, 32, 16, "bf16", False), 1),
        "divided": (divided(1, 2, 32, 16, "bf16"), 2),
        "divided without gradients": (divided(1, 2, 32, 16, "bf16", False), 1),
        "divided with differences of numbers without a sign": (divided(1, 2, 32, 16, "bf16", True, "with-sign"), 2),
        "divided with numbers of eight bits": (divided(1, 2, 32, 16, "bf16", True, "narrow-enough"), 2),
        "divided with an added mask": (divided(1, 2, 32, 16, "bf16", True, "masked"), 2),
        "added": (added(2, 32, 32, 16, "bf16"), 1),
    }
    for name, (program, launches) in whole.items():
        said, found = convert(program)
        wrong = found != launches
        count += wrong
        print(f"{'wrong' if wrong else 'right'}: {name}: {found} launches")
        if wrong:
            print(said)
    for name, reason in VARIATIONS.items():
        said, found = convert(write(name))
        wrong = found or f"remark: not an attention with a kernel: {reason}\n" not in said
        count += bool(wrong)
        print(f"{'wrong' if wrong else 'right'}: {name}: {reason}")
        if wrong:
            print(f"{found} launches\n{said}")
    print(f"{len(whole) + len(VARIATIONS)} programs, {count} wrong")
    sys.exit(bool(count))


if __name__ == "__main__":
    main()
