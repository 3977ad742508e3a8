"""Writes attentions as front ends do, operation by operation, and variations of them.

A program is a function on tensors: `write(form, ...)` returns its text. FORMS are

  packed     as PyTorch's captured graphs: Q, K and V are parts of one tensor's rows, each
             of Q and K is scaled and rounded, a causal mask of half precision is added, a
             row without keys has zeros; gradients by P, joined to one tensor
  divided    as JAX's: scores are divided, a comparison selects a low number, gradients by
             exponentials and their sum
  added      one batch of heads, rows as many as they like, a mask of f32 is an argument;
             no gradients

VARIATIONS change one thing, so that it is no attention any more, or none with a kernel:
each names what `report` says of it.
"""

import re
import sys

VARIATIONS = {
    "returned": "expected scores that no other operation needs",
    "other-axis": "expected exponentials divided by their sum over keys",
    "dropout": "expected an operand that is divided by the sum of a row",
    "band": "expected a mask that is causal or added to scores",
    "low": "expected a mask that is causal or added to scores",
    "upside-down": "expected a mask that is causal or added to scores",
    "depth": "expected heads of 16, 32, 64 or 128 elements, but got 48",
    "negative": "expected a scale above 0, but got -2.500000e-01",
    "other-sum": "expected exponentials divided by their sum over keys",
    "no-greatest": "expected exponentials of differences to the greatest score",
    "wide": "expected operands of f16 or bf16",
    "read-twice": "expected a result that is rounded and nothing else",
    "columns": "expected rows of heads that lie in one piece each",
    "gradient": "expected scores that no other operation needs",
    "powers": "expected an operand of exponentials",
    "squared": "expected scores that are a product",
    "wide-scores": "expected scores of a product of the result's type",
    "eight-bits": "expected scores that are a product",
    "exchanged": "expected scores of each query and key",
    "zeros": "expected zeros of no rows but those without keys",
    "part-of-any": "expected zeros of no rows but those without keys",
    "part-of-mask": "expected a mask that is read by rows and columns",
    "late": "expected gradients behind the result and its gradient",
    "part-of-sum": "expected exponentials divided by their sum over keys",
    "part-of-greatest": "expected exponentials of differences to the greatest score",
    "other-place": "expected exponentials divided by their sum over keys",
    "without-sign": "expected a mask that is causal or added to scores",
    "narrow": "expected a mask that is causal or added to scores",
}


def tensor(shape, type):
    return f"tensor<{'x'.join(map(str, shape))}x{type}>"


class Writer:
    """The body of a function."""

    def __init__(self):
        self.lines, self.count, self.types = [], 0, {}

    def name(self, type):
        self.count += 1
        self.types[f"%{self.count}"] = type
        return f"%{self.count}"

    def add(self, type, text):
        name = self.name(type)
        self.lines.append(f"{name} = {text}")
        return name

    def constant(self, value, type):
        return self.add(type, f"arith.constant {value}" + ("" if type == "i1" else f" : {type}"))

    def fill(self, value, shape, type="f32"):
        empty = self.add(tensor(shape, type), f"tensor.empty() : {tensor(shape, type)}")
        number = self.constant(value, type)
        return self.add(tensor(shape, type), f"linalg.fill ins({number} : {type}) outs({empty} : {tensor(shape, type)}) -> {tensor(shape, type)}")

    def generic(self, loops, inputs, output, shape, type, body, start=None, sums=""):
        """`inputs` are pairs of a tensor and its map; the body reads %x0... and %out."""
        result = tensor(shape, type)
        # Not a name of the function.
        body = re.sub(r"%([a-z])\b", r"%in_\1", body)
        out = start or self.add(result, f"tensor.empty() : {result}")
        maps = [*(m for _, m in inputs), output]
        kinds = ", ".join('"reduction"' if loop in sums else '"parallel"' for loop in loops)
        names = ", ".join(name for name, _ in inputs)
        types = ", ".join(self.types[name] for name, _ in inputs)
        ins = f"ins({names} : {types}) " if inputs else ""
        arguments = ", ".join([f"%x{i}: {self.types[name].rstrip('>').split('x')[-1].split('<')[-1]}" for i, (name, _) in enumerate(inputs)] + [f"%out: {type}"])
        affine = ", ".join(f"affine_map<({', '.join(loops)}) -> ({', '.join(m)})>" for m in maps)
        text = f"linalg.generic {{indexing_maps = [{affine}], iterator_types = [{kinds}]}} {ins}outs({out} : {result}) {{\n^bb0({arguments}):\n{body}\n}} -> {result}"
        return self.add(result, text)

    def move(self, source, order, result, shape, type, scale=None):
        """A transpose, perhaps scaled and rounded."""
        body = f"linalg.yield %x0 : {type}"
        if scale is not None:
            number = self.constant(scale, "f32")
            body = f"%a = arith.extf %x0 : {type} to f32\n%b = arith.mulf %a, {number} : f32\n%c = arith.truncf %b : f32 to {type}\nlinalg.yield %c : {type}"
        return self.generic(sorted(result), [(source, order)], result, shape, type, body)

    def product(self, loops, a, b, result, shape, type):
        body = f"%a = arith.extf %x0 : {type} to f32\n%b = arith.extf %x1 : {type} to f32\n%c = arith.mulf %a, %b : f32\n%d = arith.addf %out, %c : f32\nlinalg.yield %d : f32"
        if type == "f32":
            body = "%c = arith.mulf %x0, %x1 : f32\n%d = arith.addf %out, %c : f32\nlinalg.yield %d : f32"
        return self.generic(loops, [a, b], result, shape, "f32", body, self.fill("0.0", shape), sums=set(loops) - set(result))

    def round(self, source, order, result, shape, type, scale=None):
        body = f"%c = arith.truncf %x0 : f32 to {type}\nlinalg.yield %c : {type}"
        if scale is not None:
            number = self.constant(scale, "f32")
            body = f"%a = arith.truncf %x0 : f32 to {type}\n%w = arith.extf %a : {type} to f32\n%b = arith.mulf %w, {number} : f32\n%c = arith.truncf %b : f32 to {type}\nlinalg.yield %c : {type}"
        return self.generic(sorted(result), [(source, order)], result, shape, type, body)

    def cut(self, source, shape, type, is_cut):
        """All but the last eight columns, if that is wanted, and the shape."""
        if not is_cut:
            return source, shape
        part = shape[:-1] + [shape[-1] - 8]
        return self.slice(source, shape, [0] * len(shape), part, part, type), part

    def second(self, source, shape, type):
        """What is at 1 of the last dimension."""
        return self.slice(source, shape, [0] * (len(shape) - 1) + [1], shape[:-1] + [1], shape[:-1], type)

    def slice(self, source, shape, offsets, sizes, result, type):
        return self.add(tensor(result, type), f"tensor.extract_slice {source}{offsets} {sizes} {[1] * len(shape)} : {tensor(shape, type)} to {tensor(result, type)}")

    def reduce(self, source, shape, type, combine, start, axis="j"):
        widen = f"%v = arith.extf %x0 : {type} to f32\n" if type != "f32" else ""
        value = "%v" if widen else "%x0"
        row = [letter for letter in LOOPS if letter != axis]
        sizes = [size for letter, size in zip(LOOPS, shape) if letter != axis]
        return self.generic(LOOPS, [(source, LOOPS)], row, sizes, "f32", f"{widen}%r = {combine} {value}, %out : f32\nlinalg.yield %r : f32", self.fill(start, sizes), sums=axis)


LOOPS = ["b", "h", "i", "j"]
WITH_DEPTH = ["b", "h", "i", "j", "e"]


def softmax(w, score, shape, type, half, variation, safe):
    """P, E and Z of scores of `type`, as PyTorch or JAX write them."""
    axis = "i" if variation == "other-axis" else "j"
    row = [letter for letter in LOOPS if letter != axis]
    greatest = w.reduce(*w.cut(score, shape, type, variation == "part-of-greatest"), type, "arith.maximumf", "0xFF800000", axis)
    widen = f"%v = arith.extf %x0 : {type} to f32\n" if type != "f32" else ""
    value = "%v" if widen else "%x0"
    if variation == "no-greatest":
        greatest = w.reduce(score, shape, type, "arith.minimumf", "0x7F800000", axis)
    e = w.generic(LOOPS, [(score, LOOPS), (greatest, row)], LOOPS, shape, "f32", f"{widen}%d = arith.subf {value}, %x1 : f32\n%r = math.{'exp2' if variation == 'powers' else 'exp'} %d : f32\nlinalg.yield %r : f32")
    z = w.reduce(*w.cut(e, shape, "f32", variation == "part-of-sum"), "f32", "arith.addf", "1.0" if variation == "other-sum" else "0.0", axis)
    if variation == "other-place":
        # The sum lies at 0, and what is read at 1 is the 0 that it began with.
        sizes = shape[:-1] + [2]
        both = w.generic(LOOPS, [(e, LOOPS)], row + ["0"], sizes, "f32", "%r = arith.addf %x0, %out : f32\nlinalg.yield %r : f32", w.fill("0.0", sizes), sums="j")
        z = w.second(both, sizes, "f32")
    body = "%q = arith.divf %x0, %x1 : f32\n"
    inputs, last = [(e, LOOPS), (z, row)], "%q"
    if safe:
        low, no = w.constant("0.0" if variation == "zeros" else "0xFF800000", "f32"), w.constant("false", "i1")
        sizes = [size for letter, size in zip(LOOPS, shape) if letter != "j"]
        of_any, _ = w.cut(score, shape, type, variation == "part-of-any")
        any_key = w.generic(LOOPS, [(of_any, LOOPS)], row, sizes, "i1", f"{widen}%e = arith.cmpf oeq, {value}, {low} : f32\n%n = arith.cmpi eq, %e, {no} : i1\n%r = arith.ori %n, %out : i1\nlinalg.yield %r : i1", w.fill("false", sizes, "i1"), sums="j")
        zero = w.constant("0.0", "f32")
        inputs.append((any_key, row))
        body += f"%g = arith.cmpi eq, %x2, {no} : i1\n%s = arith.select %g, {zero}, %q : f32\n"
        last = "%s"
    if variation == "dropout":
        keep = w.constant("1.25", "f32")
        body += f"%k = arith.mulf {last}, {keep} : f32\n"
        last = "%k"
    if half != "f32":
        body += f"%r = arith.truncf {last} : f32 to {half}\n"
        last = "%r"
    p = w.generic(LOOPS, inputs, LOOPS, shape, half, body + f"linalg.yield {last} : {half}")
    return p, e, z


def packed(batch, heads, rows, depth, type, gradients=True, variation=""):
    """Takes QKV [batch][row][3 heads depth] and dO [batch][row][head][depth]."""
    w = Writer()
    width, scale = heads * depth, 0.5
    whole, part = [batch, rows, 3 * width], [batch, rows, width]
    four, by_head = [batch, rows, heads, depth], [batch, heads, rows, depth]
    square = [batch, heads, rows, rows]
    arguments = [("%qkv", tensor(whole, type))]
    if gradients:
        arguments.append(("%do", tensor(four, type)))
    w.types.update(arguments)
    parts = []
    for i in range(3):
        slice = w.add(tensor(part, type), f"tensor.extract_slice %qkv[0, 0, {i * width}] [{batch}, {rows}, {width}] [1, 1, 1] : {tensor(whole, type)} to {tensor(part, type)}")
        parts.append(w.add(tensor(four, type), f"tensor.expand_shape {slice} [[0], [1], [2, 3]] output_shape [{batch}, {rows}, {heads}, {depth}] : {tensor(part, type)} into {tensor(four, type)}"))
    swapped = ["a", "c", "b", "d"]
    plain = ["a", "b", "c", "d"]
    q = w.move(parts[0], swapped, plain, by_head, type, scale)
    kt = w.move(parts[1], ["a", "d", "b", "c"], plain, [batch, heads, depth, rows], type, -scale if variation == "negative" else scale)
    v = w.move(parts[2], swapped, plain, by_head, type)
    sums = w.product(WITH_DEPTH, (q, ["b", "h", "i", "e"]), (kt, ["b", "h", "e", "j"]), LOOPS, square, type)
    # A causal mask, from numbers of rows that are a tensor.
    numbers = w.generic(["t"], [], ["t"], [rows], "i64", "%n = linalg.index 0 : index\n%r = arith.index_cast %n : index to i64\nlinalg.yield %r : i64")
    zero, low, zero64 = w.constant("0.0", "f32"), w.constant("0xFF800000", "f32"), w.constant("0", "i64")
    kind = {"band": "sge"}.get(variation, "sle")
    mask = w.generic(["i", "j"], [(numbers, ["j"]), (numbers, ["i"])], ["i", "j"], [rows, rows], type, f"%d = arith.subi %x0, %x1 : i64\n%c = arith.cmpi {kind}, %d, {zero64} : i64\n%s = arith.select %c, {zero}, {low} : f32\n%r = arith.truncf %s : f32 to {type}\nlinalg.yield %r : {type}")
    score = w.generic(LOOPS, [(sums, LOOPS), (mask, ["i", "j"])], LOOPS, square, type, f"%a = arith.truncf %x0 : f32 to {type}\n%b = arith.extf %a : {type} to f32\n%m = arith.extf %x1 : {type} to f32\n%s = arith.addf %b, %m : f32\n%r = arith.truncf %s : f32 to {type}\nlinalg.yield %r : {type}")
    p, _, _ = softmax(w, score, square, type, type, variation, safe=True)
    result = w.product(["b", "h", "i", "e", "j"], (p, LOOPS), (v, ["b", "h", "j", "e"]), ["b", "h", "i", "e"], by_head, type)
    results = [] if variation == "late" else [w.round(result, swapped, plain, four, type)]
    if variation == "returned":
        results.append(p)
    if variation == "read-twice":
        results.append(result)
    if gradients:
        do = w.move("%do", swapped, plain, by_head, type)
        pt = w.move(p, ["a", "b", "d", "c"], plain, square, type)
        dv = w.product(["b", "h", "j", "e", "i"], (pt, ["b", "h", "j", "i"]), (do, ["b", "h", "i", "e"]), ["b", "h", "j", "e"], by_head, type)
        vt = w.move(v, ["a", "b", "d", "c"], plain, [batch, heads, depth, rows], type)
        dp = w.product(WITH_DEPTH, (do, ["b", "h", "i", "e"]), (vt, ["b", "h", "e", "j"]), LOOPS, square, type)
        x = w.generic(LOOPS, [(dp, LOOPS), (p, LOOPS)], LOOPS, square, "f32", f"%a = arith.truncf %x0 : f32 to {type}\n%b = arith.extf %a : {type} to f32\n%c = arith.extf %x1 : {type} to f32\n%r = arith.mulf %b, %c : f32\nlinalg.yield %r : f32")
        row = w.reduce(x, square, "f32", "arith.addf", "0.0")
        sign = "arith.addf" if variation == "gradient" else "arith.subf"
        ds = w.generic(LOOPS, [(x, LOOPS), (p, LOOPS), (row, ["b", "h", "i"])], LOOPS, square, type, f"%a = arith.extf %x1 : {type} to f32\n%b = arith.mulf %a, %x2 : f32\n%c = {sign} %x0, %b : f32\n%r = arith.truncf %c : f32 to {type}\nlinalg.yield %r : {type}")
        qt = w.move(q, ["a", "b", "d", "c"], plain, [batch, heads, depth, rows], type)
        dkt = w.product(["b", "h", "e", "j", "i"], (qt, ["b", "h", "e", "i"]), (ds, LOOPS), ["b", "h", "e", "j"], [batch, heads, depth, rows], type)
        k = w.move(kt, ["a", "b", "d", "c"], plain, by_head, type)
        dq = w.product(["b", "h", "i", "e", "j"], (ds, LOOPS), (k, ["b", "h", "j", "e"]), ["b", "h", "i", "e"], by_head, type)
        written = [w.round(dq, swapped, plain, four, type, scale), w.round(dkt, ["a", "c", "d", "b"], plain, four, type, scale), w.round(dv, swapped, plain, four, type)]
        merged = [w.add(tensor(part, type), f"tensor.collapse_shape {x} [[0], [1], [2, 3]] : {tensor(four, type)} into {tensor(part, type)}") for x in written]
        one = tensor(part, type)
        if variation == "late":
            results.append(w.round(result, swapped, plain, four, type))
        results.append(w.add(tensor(whole, type), f"tensor.concat dim(2) {', '.join(merged)} : ({one}, {one}, {one}) -> {tensor(whole, type)}"))
    return finish("packed", w, arguments, results)


def divided(batch, heads, rows, depth, type, gradients=True, variation=""):
    """Takes Q, K, V and dO as [batch][row][head][depth], and if `masked` a mask [row][key]."""
    w = Writer()
    four, by_head = [batch, rows, heads, depth], [batch, heads, rows, depth]
    square = [batch, heads, rows, rows]
    of_scores = "f32" if variation == "wide-scores" else type
    arguments = [("%q", tensor(four, of_scores)), ("%k", tensor(four, of_scores)), ("%v", tensor(four, type))]
    if gradients:
        arguments.append(("%do", tensor(four, type)))
    if variation == "masked":
        arguments.append(("%mask", tensor([rows, rows], "f32")))
    w.types.update(arguments)
    swapped, plain = ["a", "c", "b", "d"], ["a", "b", "c", "d"]
    q, k = (w.move(name, swapped, plain, by_head, of_scores) for name in ("%q", "%k"))
    v = w.move("%v", swapped, plain, by_head, type)
    if variation == "rounded-values":
        # To eight bits and back: what was rounded is no source of the values.
        v = w.generic(plain, [(v, plain)], plain, by_head, type, f"%a = arith.truncf %x0 : {type} to f8E4M3FN\n%r = arith.extf %a : f8E4M3FN to {type}\nlinalg.yield %r : {type}")
    sums = w.product(WITH_DEPTH, (q, ["b", "h", "i", "e"]), (k, ["b", "h", "j", "e"]), LOOPS, square, of_scores)
    kind = {"band": "eq", "upside-down": "sle"}.get(variation, "sge")
    compare = {
        # Of a difference, never below 0.
        "without-sign": "%s = arith.subi %c, %d : i32\n%u = arith.extui %s : i32 to i64\n%z = arith.constant 0 : i64\n%r = arith.cmpi sge, %u, %z : i64",
        # Numbers of rows without a sign, and differences with one.
        "with-sign": "%u = arith.extui %c : i32 to i64\n%v = arith.extui %d : i32 to i64\n%s = arith.subi %u, %v : i64\n%z = arith.constant 0 : i64\n%r = arith.cmpi sge, %s, %z : i64",
        # From -8 to 7.
        "narrow": "%s = arith.trunci %c : i32 to i4\n%u = arith.trunci %d : i32 to i4\n%r = arith.cmpi sge, %s, %u : i4",
        "narrow-enough": "%s = arith.trunci %c : i32 to i8\n%u = arith.trunci %d : i32 to i8\n%r = arith.cmpi sge, %s, %u : i8",
    }.get(variation, f"%r = arith.cmpi {kind}, %c, %d : i32")
    seen = w.generic(["i", "j"], [], ["i", "j"], [rows, rows], "i1", f"%a = linalg.index 0 : index\n%b = linalg.index 1 : index\n%c = arith.index_cast %a : index to i32\n%d = arith.index_cast %b : index to i32\n{compare}\nlinalg.yield %r : i1")
    low, by = w.constant("-100.0" if variation == "low" else "-1.0e+09", "f32"), w.constant("4.0", "f32")
    read = ["h", "b", "i", "j"] if variation == "exchanged" else LOOPS
    times = f"%a = arith.mulf %x1, %x1 : f32" if variation == "squared" else f"%a = arith.divf %x1, {by} : f32"
    if variation == "eight-bits":
        times = f"%a = arith.divf %x1, {by} : f32\n%n = arith.truncf %a : f32 to f8E4M3FN\n%b = arith.extf %n : f8E4M3FN to f32"
    last = "%b" if variation == "eight-bits" else "%a"
    if variation == "masked":
        score = w.generic(LOOPS, [("%mask", ["i", "j"]), (sums, read)], LOOPS, square, "f32", f"{times}\n%r = arith.addf %a, %x0 : f32\nlinalg.yield %r : f32")
    else:
        score = w.generic(LOOPS, [(seen, ["i", "j"]), (sums, read)], LOOPS, square, "f32", f"{times}\n%r = arith.select %x0, {last}, {low} : f32\nlinalg.yield %r : f32")
    p, e, z = softmax(w, score, square, "f32", type, variation, safe=False)
    result = w.product(["b", "h", "i", "e", "j"], (p, LOOPS), (v, ["b", "h", "j", "e"]), ["b", "h", "i", "e"], by_head, type)
    results = [w.round(result, swapped, plain, four, type)]
    if gradients:
        do = w.move("%do", swapped, plain, by_head, type)
        dv = w.product(["b", "h", "e", "j", "i"], (do, ["b", "h", "i", "e"]), (p, LOOPS), ["b", "h", "e", "j"], [batch, heads, depth, rows], type)
        dp = w.product(WITH_DEPTH, (do, ["b", "h", "i", "e"]), (v, ["b", "h", "j", "e"]), LOOPS, square, type)
        row = ["b", "h", "i"]
        one, zero = w.constant("1.0", "f32"), w.constant("0.0", "f32")
        total = w.generic(LOOPS, [(dp, LOOPS), (z, row), (e, LOOPS)], row, square[:3], "f32", f"%a = arith.mulf %x1, %x1 : f32\n%b = arith.divf {one}, %a : f32\n%c = arith.mulf %x0, %b : f32\n%d = arith.mulf %c, %x2 : f32\n%r = arith.addf %out, %d : f32\nlinalg.yield %r : f32", w.fill("0.0", square[:3]), sums="j")
        minus = w.generic(row, [(total, row)], row, square[:3], "f32", "%r = arith.negf %x0 : f32\nlinalg.yield %r : f32")
        hide = f"%d = arith.addf %c, {zero} : f32" if variation == "masked" else f"%d = arith.select %x0, %c, {zero} : f32"
        ds = w.generic(LOOPS, [(seen, ["i", "j"]), (dp, LOOPS), (z, row), (minus, row), (e, LOOPS)], LOOPS, square, type, f"%a = arith.divf %x1, %x2 : f32\n%b = arith.addf %a, %x3 : f32\n%c = arith.mulf %b, %x4 : f32\n{hide}\n%f = arith.divf %d, {by} : f32\n%r = arith.truncf %f : f32 to {type}\nlinalg.yield %r : {type}")
        dk = w.product(["b", "h", "j", "e", "i"], (ds, LOOPS), (q, ["b", "h", "i", "e"]), ["b", "h", "j", "e"], by_head, type)
        dq = w.product(["b", "h", "i", "e", "j"], (ds, LOOPS), (k, ["b", "h", "j", "e"]), ["b", "h", "i", "e"], by_head, type)
        results += [w.round(dq, swapped, plain, four, type), w.round(dk, swapped, plain, four, type), w.round(dv, ["a", "c", "d", "b"], plain, four, type)]
    return finish("divided", w, arguments, results)


def added(heads, rows, columns, depth, type, variation=""):
    """Takes Q [head][row][depth], K and V [head][key][depth] and a mask [row][key]."""
    w = Writer()
    arguments = [("%q", tensor([heads, rows, depth], type)), ("%k", tensor([heads, columns, depth], type)), ("%v", tensor([heads, columns, depth], type)), ("%mask", tensor([rows, columns], "f32"))]
    if variation == "columns":
        arguments[0] = ("%q", tensor([heads, depth, rows], type))
    if variation == "part-of-mask":
        arguments[3] = ("%mask", tensor([rows, columns + 1], "f32"))
    w.types.update(arguments)
    loops, square = ["h", "i", "j"], [heads, rows, columns]
    sums = w.product(["h", "i", "j", "e"], ("%q", ["h", "e", "i"] if variation == "columns" else ["h", "i", "e"]), ("%k", ["h", "j", "e"]), loops, square, type)
    column = "j + 1" if variation == "part-of-mask" else "j"
    score = w.generic(loops, [(sums, loops), ("%mask", ["i", column])], loops, square, "f32", "%r = arith.addf %x1, %x0 : f32\nlinalg.yield %r : f32")
    global LOOPS
    before, LOOPS = LOOPS, loops
    p, _, _ = softmax(w, score, square, "f32", type, variation, safe=False)
    LOOPS = before
    v = "%v"
    if variation == "other-values":
        # V lies at 0, and what is read at 1 are ones.
        sizes, each = [heads, columns, depth, 2], ["h", "j", "e"]
        one = (w.fill("0.0", [1], type), ["t"])
        v = w.second(w.generic(each + ["t"], [(v, each), one], each + ["0"], sizes, type, f"linalg.yield %x0 : {type}", w.fill("1.0", sizes, type)), sizes, type)
    result = w.product(["h", "i", "e", "j"], (p, loops), (v, ["h", "j", "e"]), ["h", "i", "e"], [heads, rows, depth], type)
    if type == "f32":
        return finish("added", w, arguments, [result])
    return finish("added", w, arguments, [w.round(result, ["a", "b", "c"], ["a", "b", "c"], [heads, rows, depth], type)])


def finish(name, w, arguments, results):
    types = ", ".join(w.types[result] for result in results)
    listed = ", ".join(f"{name}: {type}" for name, type in arguments)
    body = "\n".join(w.lines)
    return f"func.func @{name}({listed}) -> ({types}) {{\n{body}\nreturn {', '.join(results)} : {types}\n}}\n"


def write(variation, type="bf16"):
    """The program that a variation is of."""
    if variation in ("wide", "columns", "part-of-mask", "part-of-sum", "part-of-greatest", "other-place"):
        return added(2, 32, 32, 16, "f32" if variation == "wide" else type, variation)
    of_divided = "band low upside-down no-greatest other-sum dropout other-axis powers squared wide-scores exchanged eight-bits without-sign narrow"
    if variation in of_divided.split():
        return divided(2, 2, 32, 16, type, False, variation)
    depth = 48 if variation == "depth" else 16
    return packed(1, 2, 32, depth, type, variation in ("gradient", "late"), variation)


if __name__ == "__main__":
    if sys.argv[1] == "added":
        print(added(2, 32, 32, 16, "bf16", sys.argv[2]))
        sys.exit()
    form, gradients = {"packed": packed, "divided": divided}[sys.argv[1]], "forward" not in sys.argv[2:]
    print(form(2, 4, 100, 32, "bf16", gradients, "rounded-values" if "rounded-values" in sys.argv[2:] else ""))
