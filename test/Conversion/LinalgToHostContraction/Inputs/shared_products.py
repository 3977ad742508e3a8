"""Writes a module with products that read one operand on tensors, and prints a checksum of each.

    shared_products.py [--integers] TYPE...

Two products read the operand, or a loop has one that does, or two others read what the first
of them gives. Operands as they lie and
transposed, sums over two dimensions in either order, several blocks of rows and of the sum,
outputs that hold values and outputs that are filled with zeros before. Operands and
checksums are those of products.py.
"""

import sys

from products import APART, flatten, make_filled, shape, write_fills, write_main, write_run


def tensor(sizes, element):
    return shape(sizes, element).replace("memref", "tensor")


def make_product(result, a, b, c, dims, sums, of_a, of_b, a_type, b_type, c_type, element):
    maps = ", ".join(f"affine_map<({dims}) -> ({x})>" for x in (of_a, of_b, "m, n"))
    iterators = ", ".join(['"parallel"'] * 2 + ['"reduction"'] * sums)
    widen = "" if element == "f32" else "".join(
        f"    %{x}w = arith.extf %{x} : {element} to f32\n" for x in "xy")
    x, y = ("%x", "%y") if element == "f32" else ("%xw", "%yw")
    return f"""  {result} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}}
      ins({a}, {b} : {a_type}, {b_type}) outs({c} : {c_type}) {{
  ^bb0(%x: {element}, %y: {element}, %z: f32):
{widen}    %p = arith.mulf {x}, {y} : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }} -> {c_type}
"""


def make_function(name, element, m, n, steps, layout, form):
    sums = len(steps)
    ks = ["k", "l"][:sums]
    dims = ", ".join(["m", "n", *ks])
    b_dims = {"nn": [*ks, "n"], "nt": ["n", *ks], "between": [ks[0], "n", *ks[1:]],
              "swapped": [*reversed(ks), "n"]}[layout]
    sizes = {"n": n, **dict(zip(ks, steps))}
    a_type = tensor([m, *steps], element)
    b_type = tensor([sizes[x] for x in b_dims], element)
    c_type = tensor([m, n], "f32")
    all_a, all_c = tensor([2, m, *steps], element), tensor([2, m, n], "f32")
    shape = ", ".join(map(str, [1, m, *steps]))
    zeros, ones = ", ".join(["0"] * (1 + sums)), ", ".join(["1"] * (2 + sums))

    def cut(at):
        begin = "".join(f"""  %{x}{at} = tensor.extract_slice %{x}[{at}{", " + places}] [{extents}] [{steps}] : {whole} to {part}
""" for x, places, extents, steps, whole, part in (
            ("a", zeros, shape, ones, all_a, a_type),
            ("c", "0, 0", f"1, {m}, {n}", "1, 1, 1", all_c, c_type)))
        if form != "filled":
            return begin, f"%c{at}"
        return begin + f"""  %f{at} = linalg.fill ins(%zero : f32) outs(%c{at} : {c_type}) -> {c_type}
""", f"%f{at}"

    def put(value, at, into, result):
        return f"""  {result} = tensor.insert_slice {value} into {into}[{at}, 0, 0] [1, {m}, {n}] [1, 1, 1] : {c_type} into {all_c}
"""

    def multiply(result, at, c):
        return make_product(result, f"%a{at}", "%b", c, dims, sums, ", ".join(["m", *ks]), ", ".join(b_dims), a_type,
                            b_type, c_type, element)

    if form == "chain":
        # The first product is what two others read.
        lines = [cut(0)[0], cut(1)[0], multiply("%p0", 0, "%c0"), multiply("%p1", 1, "%c1")]
        for at in (0, 1):
            lines += [multiply(f"%q{at}", at, f"%p{at}").replace("%b :", "%p0 :").replace(b_type, c_type, 1),
                      put(f"%q{at}", at, "%r0" if at else "%c", f"%r{at}")]
        body = "".join(lines)
    elif form == "loop":
        body = f"""  %r1 = scf.for %i = %i0 to %i2 step %i1 iter_args(%r = %c) -> ({all_c}) {{
{cut("%i")[0].replace("%a%i", "%ai").replace("%c%i", "%ci")}{multiply("%pi", "i", "%ci")}{put("%pi", "%i", "%r", "%next")}
  scf.yield %next : {all_c}
  }}
"""
    else:
        lines = []
        for at in (0, 1):
            begin, c = cut(at)
            lines += [begin, multiply(f"%p{at}", at, c), put(f"%p{at}", at, "%r0" if at else "%c", f"%r{at}")]
        body = "".join(lines)
    return (all_a, b_type, all_c), f"""
func.func private @{name}(%a: {all_a}, %b: {b_type}, %c: {all_c}) -> {all_c} {APART} {{
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %i2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
{body}  return %r1 : {all_c}
}}"""


def cases():
    for layout in ("nn", "nt"):
        for form in ("two", "filled", "loop"):
            yield 33, 64, (65,), layout, form
    yield 5, 32, (7,), "nt", "filled"
    yield 40, 96, (500,), "nt", "two"
    yield 200, 32, (900,), "nn", "filled"
    yield 2, 64, (1100,), "nt", "loop"
    yield 17, 32, (5, 12), "nn", "two"
    yield 17, 32, (5, 12), "nt", "filled"
    yield 17, 32, (5, 12), "between", "loop"
    yield 17, 32, (5, 12), "swapped", "two"
    yield 64, 64, (64,), "nt", "chain"


def write(types, integers):
    write_fills(integers)
    number = 0
    for element in types:
        for numbers in cases():
            if numbers[-1] == "chain" and element != "f32":
                continue
            number += 1
            operands, text = make_function(f"product{number}", element, *numbers)
            print(text)
            lines = []
            for letter, type in zip("abc", operands):
                *sizes, kind = type[len("tensor<"):-1].split("x")
                sizes = list(map(int, sizes))
                # The result may lie elsewhere than %c.
                name = "c_start" if letter == "c" else letter
                lines += make_filled(f"%{letter}", name, sizes, kind, number * 3 + ord(letter))
                lines.append(f"  %{letter}_in = bufferization.to_tensor %{letter} restrict writable"
                             f" : {shape(sizes, kind)} to {type}")
            result = operands[2]
            lines += [f"  %result = call @product{number}(%a_in, %b_in, %c_in) : ({', '.join(operands)}) -> {result}",
                      f"  %out = bufferization.to_buffer %result : {result} to {shape(sizes, kind)}",
                      *flatten("%out", "c", sizes, kind)]
            write_run(number, lines)
    write_main(number)


flags = [a for a in sys.argv[1:] if a.startswith("--")]
write([a for a in sys.argv[1:] if a not in flags], "--integers" in flags)
