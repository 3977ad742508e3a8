"""Prints a table for verify_convolutions.py: every kind, tile and type on every shape.

    list_convolutions.py FAMILY...

FAMILY is sm_90a, sm_80 (mma.sync) or f32 (plain arithmetic). A shape is one of those
that change how an operand is addressed: filters, strides, dilation, paddings, groups,
runs that are whole chunks or not, and sizes that are as small as they can be.
"""

import itertools
import sys

TILES = {
    "sm_90a": ("128x256", "128x128", "64x128"),
    "sm_80": ("128x128", "128x64", "64x64"),
    "f32": ("128x128", "128x64"),
}
KINDS = ("forward", "data-gradient", "weight-gradient")
SHAPES = (
    "batch=2 height=7 width=9 channels=16 filters=24",
    "batch=2 height=7 width=9 channels=24 filters=72 filter=3x3 padding=1x1",
    "batch=1 height=11 width=10 channels=16 filters=136 filter=5x3 stride=2x2 padding=2x1",
    "batch=2 height=10 width=13 channels=16 filters=8 filter=3x5 stride=3x2 padding=0,2,3,1",
    "batch=1 height=12 width=9 channels=8 filters=16 filter=3x3 dilation=2x2 padding=2x2",
    "batch=1 height=12 width=14 channels=8 filters=16 filter=3x2 stride=2x3 dilation=4x3 padding=4x1",
    "batch=1 height=9 width=9 channels=16 filters=16 stride=2x2",
    "batch=1 height=3 width=2 channels=8 filters=16 filter=2x2 padding=5x6",
    "batch=2 height=6 width=5 channels=32 filters=48 filter=3x3 padding=1x1 groups=2",
    "batch=1 height=8 width=7 channels=32 filters=64 filter=3x3 stride=2x2 padding=1x1 groups=4",
    "batch=1 height=7 width=8 channels=12 filters=20 filter=2x3 stride=1x2 groups=4",
    "batch=1 height=13 width=13 channels=3 filters=10 filter=7x7 stride=2x2 padding=3x3",
    "batch=1 height=5 width=6 channels=5 filters=7 filter=3x3 padding=1x1",
    "batch=1 height=1 width=40 channels=16 filters=8 filter=1x5 padding=0x2",
    "batch=3 height=1 width=1 channels=8 filters=8",
    "batch=1 height=1 width=1 channels=1 filters=1",
    "batch=0 height=4 width=4 channels=8 filters=8 filter=3x3 padding=1x1",
    "batch=150 height=1 width=2 channels=8 filters=8 filter=1x2",
)


def convolutions(family):
    results, data = itertools.cycle(("f32", "bf16", "f16")), itertools.cycle(("integer", "random", "special"))
    types = itertools.cycle(("f32",) if family == "f32" else ("f16", "bf16", "tf32", "f16", "bf16"))
    seeds = itertools.cycle(range(7))
    for tile, kind, shape in itertools.product(TILES[family], KINDS, SHAPES):
        # Not by TMA, which has a table of its own.
        chip = "sm_90a access=threads" if family == "sm_90a" else "sm_80"
        type = next(types)
        if type == "tf32" and family == "sm_90a" and kind != "forward":
            continue  # wgmma reads K innermost only
        options = f"chip={chip} tile={tile} kind={kind} a-type={type} d-type={next(results)} {shape}"
        yield f"{options} | {next(data)} 3 {next(seeds)}"
        if kind == "weight-gradient" and "batch=2" in shape:
            yield f"{options} split-k=3 | {next(data)} 3 {next(seeds)}"


for name in sys.argv[1:]:
    print("\n".join(convolutions(name)))
