"""Prints a table for verify_numbers.py: every product of a family with every kind of data.

    list_products.py FAMILY...

FAMILY is sm_90a, sm_80 (mma.sync) or f32 (plain arithmetic). For each layout and tile that
the family has, and each type, one whole shape (several tiles, edges, a K tail), one whose
rows are not multiples of 16 bytes, and in turn the special values and the thin shapes.
"""

import itertools
import sys

TILES = {
    "sm_90a": ("128x256", "128x128", "64x128", "64x64"),
    "sm_80": ("128x128", "128x64", "64x64"),
    "f32": ("128x128", "128x64"),
}
SIXTEEN = ("f16", "bf16")
EIGHT = ("f8E4M3FN", "f8E5M2")
TYPES = {
    "sm_90a": [(a, a) for a in (*SIXTEEN, "tf32")] + list(itertools.product(EIGHT, EIGHT)),
    "sm_80": [(a, a) for a in (*SIXTEEN, "tf32")],
    "f32": [("f32", "f32")],
}
# One row, one column, one element, nothing, nothing to add, K one more than a stage.
THIN = ("m=1 n=264 k=72", "m=200 n=1 k=72", "m=1 n=1 k=1", "m=0 n=64 k=64", "m=40 n=40 k=0", "m=33 n=40 k=65")


def products(family):
    results = itertools.cycle(("f32", "bf16", "f16"))
    thin, special = itertools.cycle(THIN), itertools.cycle(("special", "large"))
    for tile, layout, (a, b) in itertools.product(TILES[family], ("nn", "nt", "tn", "tt"), TYPES[family]):
        if a == "tf32" and layout != "nt" and family == "sm_90a":
            continue  # wgmma reads K innermost only
        options = f"chip={'sm_90a' if family == 'sm_90a' else 'sm_80'} tile={tile} layout={layout} a-type={a} b-type={b}"
        for shape, data in (
            ("m=200 n=264 k=144", "random"),
            ("m=129 n=71 k=67", "random"),
            ("m=136 n=72 k=80", next(special)),
            (next(thin), "special"),
            ("m=72 n=136 k=208 split-k=3", "random"),
            ("m=40 n=24 k=80 batch=3", "special"),
        ):
            yield f"{options} d-type={next(results)} {shape} | {data}"


for name in sys.argv[1:]:
    print("\n".join(products(name)))
