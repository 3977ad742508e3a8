"""Random loops on elements whose tensors change places, on the emulator and by plain loops on the host.

    exchanged_elements.py FIRST COUNT

A step carries two or three vectors through nested scf.for and scf.if, or an scf.while around them, which insert into them, exchange
them and choose between them. Numbers are small integers: all have to be equal. Each nest has to be one kernel of which
the host reads no element. Exit status 1, and the module, where one is not.
"""

import os
import random
import re
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Host/Inputs"))
import amprun  # noqa: E402


class Nest:
    """Text of a loop over `count` vectors of `extent` numbers."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.extent = self.random.choice([3, 4, 7])
        self.count = self.random.choice([2, 2, 3])
        self.type = f"tensor<{self.extent}xf32>"
        self.types = ", ".join([self.type] * self.count)
        self.numbers = 0

    def new(self):
        self.numbers += 1
        return f"%t{self.numbers}"

    def body(self, tensors, index, depth):
        """Lines, and the tensors that they leave in place of `tensors`."""
        draw, kind, tensors, lines = self.random, self.type, list(tensors), []
        for _ in range(draw.randint(1, 4)):
            i, j, what = draw.randrange(self.count), draw.randrange(self.count), draw.random()
            if what < 0.5:
                element, more, result = self.new(), self.new(), self.new()
                lines += [f"{element} = tensor.extract {tensors[i]}[{index}] : {kind}",
                          f"{more} = arith.addf {element}, %one : f32",
                          f"{result} = tensor.insert {more} into {tensors[j]}[{draw.choice([index, '%c0'])}] : {kind}"]
                tensors[j] = result
            elif what < 0.65:
                tensors[i], tensors[j] = tensors[j], tensors[i]
            elif what < 0.7:
                tensors[i] = draw.choice(["%p", "%q", tensors[j]])
            elif what < 0.85:
                element, holds, result = self.new(), self.new(), self.new()
                lines += [f"{element} = tensor.extract {tensors[i]}[{index}] : {kind}",
                          f"{holds} = arith.cmpf ogt, {element}, %one : f32"]
                if draw.random() < 0.5:
                    put = self.new()
                    lines += [f"{result} = scf.if {holds} -> ({kind}) {{",
                              f"  {put} = tensor.insert %one into {tensors[i]}[%c0] : {kind}",
                              f"  scf.yield {put} : {kind}", "} else {", f"  scf.yield {tensors[j]} : {kind}", "}"]
                    tensors[i] = result
                else:
                    one, other = tensors[i], tensors[j]
                    lines += [f"{result}:2 = scf.if {holds} -> ({kind}, {kind}) {{",
                              f"  scf.yield {one}, {other} : {kind}, {kind}", "} else {",
                              f"  scf.yield {other}, {one} : {kind}, {kind}", "}"]
                    tensors[i], tensors[j] = result + "#0", result + "#1"
            elif depth < 1:
                more, tensors = self.loop(tensors, depth + 1, is_while=False)
                lines += more
        if draw.random() < 0.7:
            draw.shuffle(tensors)
        return lines, tensors

    def loop(self, starts, depth, is_while):
        result, index = self.new(), f"%i{self.numbers}"
        carried = [self.new() for _ in starts]
        lines, left = self.body(carried, index, depth)
        pairs = ", ".join(f"{argument} = {start}" for argument, start in zip(carried, starts))
        names = ", ".join(carried)
        if not is_while:
            text = [f"{result}:{self.count} = scf.for {index} = %c0 to %n step %c1 iter_args({pairs}) -> ({self.types}) {{",
                    *lines, f"scf.yield {', '.join(left)} : {self.types}", "}"]
            return text, [f"{result}#{i}" for i in range(self.count)]
        holds, following = self.new(), self.new()
        arguments = ", ".join(f"{argument}: {self.type}" for argument in carried)
        text = [f"{result}:{self.count + 1} = scf.while ({index} = %c0, {pairs}) : (index, {self.types}) -> (index, {self.types}) {{",
                f"{holds} = arith.cmpi ult, {index}, %n : index",
                f"scf.condition({holds}) {index}, {names} : index, {self.types}", "} do {",
                f"^bb0({index}: index, {arguments}):", *lines,
                f"{following} = arith.addi {index}, %c1 : index",
                f"scf.yield {following}, {', '.join(left)} : index, {self.types}", "}"]
        return text, [f"{result}#{i + 1}" for i in range(self.count)]

    def module(self):
        kind = self.type
        lines, results = self.loop(["%p", "%q", "%s"][:self.count], 0, self.random.random() < 0.3)
        last = results[0]
        for other in results[1:]:  # 2 a + b of integers
            twice, total = self.new(), self.new()
            lines += [f"{twice} = linalg.map {{ arith.addf }} ins({last}, {last} : {kind}, {kind}) outs(%e : {kind})",
                      f"{total} = linalg.map {{ arith.addf }} ins({twice}, {other} : {kind}, {kind}) outs(%e : {kind})"]
            last = total
        return f"""func.func @train_step(%w: {kind} {amprun.role("param", "w")}, %x: {kind} {amprun.role("batch", "x")},
    %seed: tensor<f32> {amprun.role("loss_seed", "loss")}) -> (tensor<f32> {amprun.role("loss", "loss")}, {kind} {amprun.role("param", "w")}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {self.extent} : index
  %one = arith.constant 1.0 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : {kind}
  %p = linalg.map {{ arith.addf }} ins(%w, %x : {kind}, {kind}) outs(%e : {kind})
  %q = linalg.map {{ arith.subf }} ins(%w, %x : {kind}, {kind}) outs(%e : {kind})
  %s = linalg.map {{ arith.mulf }} ins(%w, %x : {kind}, {kind}) outs(%e : {kind})
  {(chr(10) + "  ").join(lines)}
  %loss = linalg.reduce {{ arith.addf }} ins({last} : {kind}) outs(%zero : tensor<f32>) dimensions = [0]
  return %loss, {last} : tensor<f32>, {kind}
}}
"""


def reads_elements(path):
    """Whether the host loads or stores a number in the lowered step."""
    done = subprocess.run(["amp-opt", path, "--amp-mixed-precision=opt-level=O0", "--amp-to-gpu=format=nvvm",
                           "--mlir-print-ir-after=amp-verify-device-lowering", "-o", os.devnull],
                          capture_output=True, text=True, check=True)
    step = re.search(r"func\.func @train_step.*?\n  }", done.stderr, re.DOTALL).group()
    return re.search(r"memref\.(load|store) .*f32", step) is not None


def main():
    first, count = map(int, sys.argv[1:])
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "nest.mlir")
        for seed in range(first, first + count):
            nest = Nest(seed)
            with open(path, "w") as file:
                file.write(nest.module())
            draw = np.random.default_rng(seed)
            arrays = {name: draw.integers(-3, 4, nest.extent).astype(np.float32) for name in ("arg0", "step0_x0")}
            device, host = (amprun.run(path, "O0", arrays, option).state["param/w"]
                            for option in ("--device=emulator", "--reference"))
            reads = reads_elements(path)
            if reads or not np.array_equal(device, host):
                wrong += 1
                print(f"seed {seed}: {'the host reads elements' if reads else f'{device}, not {host}'}")
                print(open(path).read())
    print(f"{count - wrong} of {count} right")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
