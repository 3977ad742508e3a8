"""Converts attentions of front ends, runs them on the emulator and compares with float64.

    run_attention.py

Each form of attention_program.py is converted by convert-attention-to-kernels, with its
gradients where it has them; what is left of the function, launches and reshapes, is
carried out as in LinalgToTensorCore. The reference and its bound are those of
verify_attention.py; the backward launch has the O and the sums that the forward launch
made, the error of which is part of the bound.

One line for each program, with what is wrong, and exit status 1 if anything is.
"""

import os
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../Kernels/Inputs"))
sys.path.insert(0, os.path.join(HERE, "../../LinalgToTensorCore/Inputs"))
import attention_program  # noqa: E402
from kernel_launch import Failure  # noqa: E402
from number_formats import FORMATS  # noqa: E402
from run_launches import Program  # noqa: E402
from verify_attention import Attention, Reference  # noqa: E402
from verify_numbers import compare  # noqa: E402


def check_gradients(problem, tensors, reference, got, names):
    """Those of Q, K and V, as [batch][head][row][depth]."""
    o, gradients = got
    expected = reference.backward(problem, tensors, o, reference.kept_error())
    for name, bounded, gradient in zip(names, expected, gradients):
        if wrong := compare(name, gradient, bounded, problem.type):
            return wrong
    return ""


def by_head(x):
    return x.transpose(0, 2, 1, 3)


def run(program, arguments):
    with tempfile.TemporaryDirectory() as folder:
        converted = Program(program, "--convert-attention-to-kernels", folder)
        return converted.run(arguments)


def check_packed(type, batch, heads, rows, depth):
    problem = Attention(f"batch={batch} heads={heads} rows={rows} columns={rows} depth={depth} type={type} mask=causal scale=0.25 empty-rows=true")
    tensors = problem.make()
    rows_of = [by_head(tensors[name]).reshape(batch, rows, -1) for name in "qkv"]
    o, joined = run(attention_program.packed(batch, heads, rows, depth, type), [np.concatenate(rows_of, -1), by_head(tensors["do"])])
    reference = Reference(problem, tensors)
    wrong = compare("o", by_head(o), reference.forward(problem, tensors), type)
    parts = [by_head(part.reshape(batch, rows, heads, depth)) for part in np.split(joined, 3, -1)]
    return wrong or check_gradients(problem, tensors, reference, (by_head(o), parts), ("dq", "dk", "dv"))


def check_masked(type, batch, heads, rows, depth):
    """Some rows are hidden whole, by numbers."""
    problem = Attention(f"batch={batch} heads={heads} rows={rows} columns={rows} depth={depth} type={type} mask=f32 scale=0.25 | lowest")
    tensors = problem.make()
    tensors["mask"] = tensors["mask"][:1]
    arguments = [by_head(tensors[name]) for name in ("q", "k", "v", "do")] + [tensors["mask"][0]]
    o, *parts = run(attention_program.divided(batch, heads, rows, depth, type, True, "masked"), arguments)
    reference = Reference(problem, tensors)
    wrong = compare("o", by_head(o), reference.forward(problem, tensors), type)
    return wrong or check_gradients(problem, tensors, reference, (by_head(o), [by_head(part) for part in parts]), ("dq", "dk", "dv"))


def check_divided(type, batch, heads, rows, depth):
    problem = Attention(f"batch={batch} heads={heads} rows={rows} columns={rows} depth={depth} type={type} mask=causal scale=0.25")
    tensors = problem.make()
    o, *parts = run(attention_program.divided(batch, heads, rows, depth, type), [by_head(tensors[name]) for name in ("q", "k", "v", "do")])
    reference = Reference(problem, tensors)
    wrong = compare("o", by_head(o), reference.forward(problem, tensors), type)
    return wrong or check_gradients(problem, tensors, reference, (by_head(o), [by_head(part) for part in parts]), ("dq", "dk", "dv"))


def check_added(type, heads, rows, columns, depth):
    problem = Attention(f"heads={heads} rows={rows} columns={columns} depth={depth} type={type} mask=f32")
    tensors = problem.make()
    tensors["mask"] = tensors["mask"][:1]
    o = run(attention_program.added(heads, rows, columns, depth, type), [tensors[name][0] for name in ("q", "k", "v", "mask")])
    return compare("o", o[None], Reference(problem, tensors).forward(problem, tensors), type)


CASES = [
    (check_packed, "bf16", 2, 3, 70, 16),
    (check_packed, "f16", 1, 2, 130, 64),
    (check_divided, "bf16", 2, 2, 70, 32),
    (check_divided, "f16", 1, 1, 100, 128),
    (check_masked, "bf16", 2, 2, 70, 16),
    (check_masked, "f16", 1, 2, 40, 32),
    (check_added, "f16", 3, 40, 100, 16),
    (check_added, "bf16", 1, 100, 40, 32),
]


def main():
    count = 0
    for case in CASES:
        function, *arguments = case
        try:
            wrong = function(*arguments)
        except Failure as failure:
            wrong = str(failure)
        count += bool(wrong)
        print(("wrong: " if wrong else "right: ") + " ".join(map(str, [function.__name__, *arguments])))
        if wrong:
            print("  " + wrong)
    print(f"{len(CASES)} programs, {count} wrong")
    sys.exit(bool(count))


if __name__ == "__main__":
    main()
