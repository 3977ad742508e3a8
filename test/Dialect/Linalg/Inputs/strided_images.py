"""Writes a module of many convolutions of images with zeros between their pixels.

    strided_images.py COUNT SEED FORM

Each is a function with its own strides, dilations, border, number of taps and of
pixels, order of dimensions and of operands, with the filter turned around or not,
and a result that starts with values or with zeros. Elements are small integers, so
that sums are exact in any order; @main prints for each case its number and the sum
of the result, weighted by position. FORM says what makes the zeros: "one" insertion,
"two", or an insertion and a "pad".
"""

import random
import sys


def tensor(sizes, element="f32"):
    return "tensor<" + "".join(f"{size}x" for size in sizes) + element + ">"


def maps(*lists):
    loops = lists[0]
    return ", ".join(
        f"affine_map<({', '.join(loops)}) -> ({', '.join(exprs)})>" for exprs in lists[1:]
    )


def kinds(kind, count):
    return ", ".join([f'"{kind}"'] * count)


def filled(name, sizes, seed):
    """Lines that make a tensor of integers from -3 to 3."""
    dims = [f"i{d}" for d in range(len(sizes))]
    lines = [
        f"  %{name}_e = tensor.empty() : {tensor(sizes)}",
        f"  %{name} = linalg.generic {{indexing_maps = [{maps(dims, dims)}],"
        f" iterator_types = [{kinds('parallel', len(sizes))}]}}"
        f" outs(%{name}_e : {tensor(sizes)}) {{",
        "  ^bb0(%o: f32):",
        f"    %s0 = arith.constant {seed} : index",
    ]
    last = "%s0"
    for d in range(len(sizes)):
        lines += [
            f"    %d{d} = linalg.index {d} : index",
            f"    %f{d} = arith.constant {(3, 7, 5, 11)[d]} : index",
            f"    %m{d} = arith.muli %d{d}, %f{d} : index",
            f"    %a{d} = arith.addi {last}, %m{d} : index",
            f"    %q{d} = arith.muli %a{d}, %a{d} : index",
        ]
        last = f"%q{d}"
    lines += [
        "    %seven = arith.constant 7 : index",
        "    %three = arith.constant 3 : index",
        f"    %rest = arith.remui {last}, %seven : index",
        "    %centred = arith.subi %rest, %three : index",
        "    %int = arith.index_cast %centred : index to i64",
        "    %value = arith.sitofp %int : i64 to f32",
        "    linalg.yield %value : f32",
        f"  }} -> {tensor(sizes)}",
    ]
    return lines


def combined(name, inputs, sizes, body):
    """Lines that make %name, element by element, of inputs %a, %b ... of the same sizes; `body` yields."""
    dims = [f"i{d}" for d in range(len(sizes))]
    type = tensor(sizes)
    values = ", ".join(f"%{letter}: f32" for letter in "abcd"[: len(inputs)])
    return [
        f"  %{name}_e = tensor.empty() : {type}",
        f"  %{name} = linalg.generic {{indexing_maps = [{maps(dims, *[dims] * (len(inputs) + 1))}],"
        f" iterator_types = [{kinds('parallel', len(sizes))}]}}"
        f" ins({', '.join(f'%{value}' for value in inputs)} : {', '.join([type] * len(inputs))})"
        f" outs(%{name}_e : {type}) {{",
        f"  ^bb0({values}, %o: f32):",
        *body,
        f"  }} -> {type}",
    ]


def inserted(name, source, source_sizes, sizes, low, strides):
    """Lines that insert %source into zeros."""
    type = tensor(sizes)
    return [
        f"  %{name}_e = tensor.empty() : {type}",
        f"  %{name}_0 = linalg.fill ins(%zero : f32) outs(%{name}_e : {type}) -> {type}",
        f"  %{name} = tensor.insert_slice %{source} into %{name}_0{low} {source_sizes} {strides}"
        f" : {tensor(source_sizes)} into {type}",
    ]


def spread(rng, source, image):
    """Lines that make %image of %pixels of sizes `source`."""
    sizes, low, strides = ([dim[i] for dim in image] for i in (1, 2, 4))
    form = sys.argv[3]
    if form == "one":
        return inserted("image", "pixels", source, sizes, low, strides)
    first = [stride if form == "pad" or rng.random() < 0.5 else 1 for stride in strides]
    between = [(size - 1) * stride + 1 for size, stride in zip(source, first)]
    lines = inserted("apart", "pixels", source, between, [0] * len(source), first)
    if form == "two":
        rest = [stride // part for stride, part in zip(strides, first)]
        return lines + inserted("image", "apart", between, sizes, low, rest)
    high = [size - start - part for size, start, part in zip(sizes, low, between)]
    indices = ", ".join(f"%i{d}: index" for d in range(len(sizes)))
    return lines + [
        f"  %image = tensor.pad %apart low{low} high{high} {{",
        f"  ^bb0({indices}):",
        "    tensor.yield %zero : f32",
        f"  }} : {tensor(between)} to {tensor(sizes)}",
    ]


def added(result, name, sizes, start):
    """Lines that add to tensor<f64> %start the sum of %name, each element times its place."""
    type = tensor(sizes)
    dims = [f"i{d}" for d in range(len(sizes))]
    lines = [
        f"  %{result} = linalg.generic {{indexing_maps = [{maps(dims, dims, [])}],"
        f" iterator_types = [{kinds('reduction', len(dims))}]}}"
        f" ins(%{name} : {type}) outs(%{start} : tensor<f64>) {{",
        "  ^bb0(%v: f32, %acc: f64):",
        "    %one = arith.constant 1 : index",
    ]
    last = "%one"
    for d, size in enumerate(sizes):
        lines += [
            f"    %d{d} = linalg.index {d} : index",
            f"    %n{d} = arith.constant {size} : index",
            f"    %t{d} = arith.muli {last}, %n{d} : index",
            f"    %w{d} = arith.addi %t{d}, %d{d} : index",
        ]
        last = f"%w{d}"
    return lines + [
        f"    %place = arith.index_cast {last} : index to i64",
        "    %weight = arith.sitofp %place : i64 to f64",
        "    %wide = arith.extf %v : f32 to f64",
        "    %p = arith.mulf %weight, %wide : f64",
        "    %s = arith.addf %acc, %p : f64",
        "    linalg.yield %s : f64",
        "  } -> tensor<f64>",
    ]


def weighed(*tensors):
    """Lines that return the sum of all (name, sizes), each element times its place."""
    lines = ["  %check0 = arith.constant dense<0.0> : tensor<f64>"]
    for number, (name, sizes) in enumerate(tensors):
        lines += added(f"check{number + 1}", name, sizes, f"check{number}")
    return lines + [
        f"  %sum = tensor.extract %check{len(tensors)}[] : tensor<f64>",
        "  return %sum : f64",
        "}",
    ]


def case(number, rng):
    rank = rng.choice((1, 1, 2))
    pixels = [rng.randint(1, 4) for _ in range(rank)]
    strides = [rng.randint(1, 4) for _ in range(rank)]
    if all(stride == 1 for stride in strides):
        strides[0] = 2
    taps = [rng.randint(1, 4) for _ in range(rank)]
    dilations = [rng.randint(1, 3) for _ in range(rank)]
    low = [rng.randint(0, 3) for _ in range(rank)]
    turned = rng.random() < 0.4
    reach = [dilation * (tap - 1) for dilation, tap in zip(dilations, taps)]
    sizes = [
        max(start + (pixel - 1) * stride + 1, span + 1) + rng.randint(0, 3)
        for start, pixel, stride, span in zip(low, pixels, strides, reach)
    ]
    results = [size - span for size, span in zip(sizes, reach)]
    batch, channels, filters = 2, rng.randint(1, 3), rng.randint(1, 3)

    loops = ["n", "k", "c"] + [f"p{d}" for d in range(rank)] + [f"r{d}" for d in range(rank)]
    image_index = [
        f"p{d} - r{d} * {dilations[d]} + {reach[d]}" if turned else f"p{d} + r{d} * {dilations[d]}"
        for d in range(rank)
    ]
    image = list(zip(["n", "c"] + image_index, [batch, channels] + sizes,
                     [0, 0] + low, [batch, channels] + pixels, [1, 1] + strides))
    weights = list(zip(["k", "c"] + [f"r{d}" for d in range(rank)], [filters, channels] + taps))
    result = list(zip(["n", "k"] + [f"p{d}" for d in range(rank)], [batch, filters] + results))
    for dims in (image, weights, result):
        rng.shuffle(dims)
    rng.shuffle(loops)
    iterators = ", ".join(
        '"reduction"' if loop[0] in "cr" else '"parallel"' for loop in loops
    )

    image_type = tensor([dim[1] for dim in image])
    source = [dim[3] for dim in image]
    weights_sizes = [dim[1] for dim in weights]
    result_sizes = [dim[1] for dim in result]
    lines = [f"func.func @case{number}() -> f64 {{", "  %zero = arith.constant 0.0 : f32"]
    lines += filled("pixels", source, number) + filled("filter", weights_sizes, number + 1)
    lines += spread(rng, source, image)
    if rng.random() < 0.5:
        lines += filled("start", result_sizes, number + 2)
    else:
        type = tensor(result_sizes)
        lines += [
            f"  %start_e = tensor.empty() : {type}",
            f"  %start = linalg.fill ins(%zero : f32) outs(%start_e : {type}) -> {type}",
        ]
    inputs = [("image", [dim[0] for dim in image], image_type),
              ("filter", [dim[0] for dim in weights], tensor(weights_sizes))]
    if rng.random() < 0.5:
        inputs.reverse()
    type = tensor(result_sizes)
    lines += [
        f"  %y = linalg.generic {{indexing_maps = ["
        + maps(loops, inputs[0][1], inputs[1][1], [dim[0] for dim in result])
        + f"], iterator_types = [{iterators}]}}"
        f" ins(%{inputs[0][0]}, %{inputs[1][0]} : {inputs[0][2]}, {inputs[1][2]})"
        f" outs(%start : {type}) {{",
        "  ^bb0(%a: f32, %b: f32, %acc: f32):",
        "    %m = arith.mulf %a, %b : f32",
        "    %s = arith.addf %acc, %m : f32",
        "    linalg.yield %s : f32",
        f"  }} -> {type}",
    ]
    return lines + weighed(("y", result_sizes))


def write_module(case, bits=False):
    """Prints the functions of COUNT and SEED, and a @main that prints what they return, or its bits."""
    count, rng = int(sys.argv[1]), random.Random(int(sys.argv[2]))
    lines = []
    for number in range(count):
        lines += case(number, rng)
    lines.append("func.func @main() {")
    for number in range(count):
        lines += [
            f"  %c{number} = arith.constant {number} : index",
            f"  vector.print %c{number} : index",
            f"  %s{number} = call @case{number}() : () -> f64",
            *(
                [
                    f"  %b{number} = arith.bitcast %s{number} : f64 to i64",
                    f"  vector.print %b{number} : i64",
                ]
                if bits
                else [f"  vector.print %s{number} : f64"]
            ),
        ]
    lines += ["  return", "}"]
    print("\n".join(lines))


if __name__ == "__main__":
    write_module(case)
