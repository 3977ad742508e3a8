"""Writes a module that computes products tile by tile in a loop, and prints a checksum of each.

    products_in_loops.py [--integers] TYPE...

Rows of tiles inside of columns of them and the other way round, operands as they lie and
transposed, sides that are no multiple of anything, several blocks of the sum, and what must
not be taken for the iteration before: operands of which the loop changes an element after
each tile. Operands and checksums are those of products.py.
"""

import sys

from products import APART, make_filled, write_fills, write_main, write_run


def make_part(whole, sides, place, stride, element):
    type = f"memref<{sides[0]}x{sides[1]}x{element}, strided<[{stride}, 1], offset: ?>>"
    return type, f"[{place[0]}, {place[1]}] [{sides[0]}, {sides[1]}] [1, 1] : {whole} to {type}"


def make_function(name, element, tiles, sides, k, layout, order, changed):
    """`tiles` along rows and columns of C, of `sides` each; `order` names the outer loop."""
    m, n = sides
    rows, columns = tiles[0] * m, tiles[1] * n
    a_shape, a_sides, a_place = ((k, rows), (k, m), ("0", "%i")) if layout[0] == "t" else \
        ((rows, k), (m, k), ("%i", "0"))
    b_shape, b_sides, b_place = ((columns, k), (n, k), ("%j", "0")) if layout[1] == "t" else \
        ((k, columns), (k, n), ("0", "%j"))
    a_whole, b_whole = (f"memref<{x}x{y}x{element}>" for x, y in (a_shape, b_shape))
    c_whole = f"memref<{rows}x{columns}xf32>"
    a_type, a_part = make_part(a_whole, a_sides, a_place, a_shape[1], element)
    b_type, b_part = make_part(b_whole, b_sides, b_place, b_shape[1], element)
    c_type, c_part = make_part(c_whole, sides, ("%i", "%j"), columns, "f32")
    maps = ", ".join(f"affine_map<(m, n, k) -> ({x})>" for x in (
        "k, m" if layout[0] == "t" else "m, k", "n, k" if layout[1] == "t" else "k, n", "m, n"))
    loops = [("%i", m, tiles[0]), ("%j", n, tiles[1])]
    outer, inner = loops if order == "rows" else reversed(loops)
    change = "".join(f"""    %old_{operand} = memref.load %{operand}[%c0, %c0] : {whole}
    %new_{operand} = arith.negf %old_{operand} : {element}
    memref.store %new_{operand}, %{operand}[%c0, %c0] : {whole}
""" for operand, whole in (("a", a_whole), ("b", b_whole)) if operand in changed)
    return (a_whole, b_whole, c_whole), f"""
func.func private @{name}(%a: {a_whole}, %b: {b_whole}, %c: {c_whole} {{llvm.noalias}}) {APART} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = arith.constant {tiles[0] * tiles[1]} : index
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<{m}x{n}xf32>
  scf.for %tile = %c0 to %count step %c1 {{
    %number:2 = affine.delinearize_index %tile into ({outer[2]}, {inner[2]}) : index, index
    {outer[0]} = affine.apply affine_map<(d) -> (d * {outer[1]})>(%number#0)
    {inner[0]} = affine.apply affine_map<(d) -> (d * {inner[1]})>(%number#1)
    %ap = memref.subview %a{a_part}
    %bp = memref.subview %b{b_part}
    %cp = memref.subview %c{c_part}
    linalg.fill ins(%zero : f32) outs(%t : memref<{m}x{n}xf32>)
    linalg.matmul indexing_maps = [{maps}] ins(%ap, %bp : {a_type}, {b_type}) outs(%t : memref<{m}x{n}xf32>)
    linalg.negf ins(%t : memref<{m}x{n}xf32>) outs(%cp : {c_type})
{change}  }}
  memref.dealloc %t : memref<{m}x{n}xf32>
  return
}}"""


def cases():
    for layout in ("nn", "nt", "tn", "tt"):
        for order in ("rows", "columns"):
            yield (3, 2), (33, 70), 65, layout, order, ""
    # Tiles that begin where panels do: all panels are packed in front of the loop.
    for layout in ("nn", "nt", "tn", "tt"):
        for order in ("rows", "columns"):
            yield (3, 2), (32, 64), 65, layout, order, ""
    yield (2, 3), (208, 32), 900, "nt", "columns", ""
    yield (1, 2), (8, 1056), 40, "tn", "rows", ""
    for changed in ("a", "b"):
        yield (3, 2), (16, 32), 9, "nn", "rows", changed
    # More than a block of rows, of columns, of the sum; and whole panels of each.
    yield (2, 2), (200, 40), 900, "nt", "columns", ""
    yield (2, 2), (5, 1100), 40, "nn", "rows", ""
    yield (1, 4), (16, 32), 64, "nn", "rows", ""
    for order in ("rows", "columns"):
        for changed in ("a", "b", "ab"):
            yield (3, 2), (17, 20), 9, "nn", order, changed


def write(types, integers):
    write_fills(integers)
    number = 0
    for element in types:
        for numbers in cases():
            number += 1
            operands, text = make_function(f"product{number}", element, *numbers)
            print(text)
            lines = []
            for letter, type in zip("abc", operands):
                *sizes, kind = type[len("memref<"):-1].split("x")
                lines += make_filled(f"%{letter}", letter, list(map(int, sizes)), kind, number * 3 + ord(letter))
            write_run(number, [*lines, f"  call @product{number}(%a, %b, %c) : ({', '.join(operands)}) -> ()"])
    write_main(number)


flags = [a for a in sys.argv[1:] if a.startswith("--")]
write([a for a in sys.argv[1:] if a not in flags], "--integers" in flags)
