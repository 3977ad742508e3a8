"""Extensions, roundings and arithmetic of floats of 8 bits, beside what their formats say.

    eight_bit_floats.py OPTION...

OPTIONs are amp-run's, such as --device=emulator. Of each type all codes are extended, and rounded again; numbers of f16, f32 and f64 at, between and
beside all codes are rounded; codes are multiplied, added, divided and chained. Exit status 1 where a code is another; NaN has any of its own.
"""

import sys
import tempfile

import amprun
import numpy as np

COUNT = 2048


class Format:
    """`bits` of a fraction, exponents with a `bias`; kind is ieee, fn (no infinity) or fnuz (nor a negative zero)."""

    def __init__(self, bits, bias, kind):
        self.bits, self.bias, self.kind = bits, bias, kind
        self.largest = {"ieee": 0x7F - (1 << bits), "fn": 0x7E, "fnuz": 0x7F}[kind]
        self.sizes = np.array([self.size(code) for code in range(0x100)])  # beyond the largest, too

    def size(self, code):
        exponent, fraction = code >> self.bits, code & ((1 << self.bits) - 1)
        if exponent == 0:
            return fraction * 2.0 ** (1 - self.bias - self.bits)
        return ((1 << self.bits) + fraction) * 2.0 ** (exponent - self.bias - self.bits)

    def is_nan(self, codes):
        sizes = codes & 0x7F
        return {"ieee": sizes > self.largest + 1, "fn": sizes == 0x7F, "fnuz": codes == 0x80}[self.kind]

    def decode(self, codes):
        sizes = codes & 0x7F
        values = self.sizes[sizes]
        if self.kind == "ieee":
            values = np.where(sizes == self.largest + 1, np.inf, values)
        values = np.where(codes & 0x80, -values, values)
        return np.where(self.is_nan(codes), np.nan, values)

    def encode(self, values):
        """Codes of f64 that are exact; -1 for NaN."""
        return np.array([self.encode_one(float(value)) for value in values])

    def encode_one(self, value):
        if np.isnan(value):
            return -1
        size = min(abs(value), self.sizes[-1])
        code = int(np.searchsorted(self.sizes, size))
        if code and self.sizes[code] != size:
            below, above = size - self.sizes[code - 1], self.sizes[code] - size
            if below < above or (below == above and code % 2):
                code -= 1
        if code > self.largest:
            if self.kind != "ieee":
                return -1
            code = self.largest + 1
        return code if not np.signbit(value) or (self.kind == "fnuz" and code == 0) else code | 0x80

    def equal(self, codes, wanted):
        codes = codes.view(np.uint8).astype(int)
        return np.array_equal(np.where(self.is_nan(codes), -1, codes), wanted)

    def numbers(self, kind):
        """Numbers of a NumPy type at codes, halfway, and the nearest to these."""
        sizes = self.sizes[: self.largest + 3]
        places = np.concatenate([sizes, (sizes[1:] + sizes[:-1]) / 2])
        with np.errstate(over="ignore"):
            places = places.astype(kind)
            near = [places, np.nextafter(places, kind(0)), np.nextafter(places, kind(np.inf))]
            more = np.array([0, np.inf, np.nan, np.finfo(kind).max, np.finfo(kind).tiny, np.finfo(kind).smallest_subnormal], kind)
        sides = np.concatenate(near + [more])
        values = np.concatenate([sides, -sides])
        return np.concatenate([values, np.zeros(COUNT - len(values), kind)])


FORMATS = {
    "f8E5M2": Format(2, 15, "ieee"), "f8E4M3": Format(3, 7, "ieee"), "f8E3M4": Format(4, 3, "ieee"),
    "f8E4M3FN": Format(3, 7, "fn"),
    "f8E5M2FNUZ": Format(2, 16, "fnuz"), "f8E4M3FNUZ": Format(3, 8, "fnuz"), "f8E4M3B11FNUZ": Format(3, 11, "fnuz"),
}
WIDE = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
ALL = np.arange(256)
OTHER = np.concatenate([np.roll(ALL, shift) for shift in (1, 37, 64, 100, 129, 150, 200, 255)])
CODES = np.tile(ALL, 8)


def chained(format, a, b):
    """A product that is rounded before it is added to."""
    product = format.encode(a * b)
    rounded = np.where(product < 0, np.nan, format.decode(np.maximum(product, 0)))
    return format.encode(rounded + a)


def division(a, b):
    with np.errstate(all="ignore"):
        return a / b


ARITHMETIC = {
    "product": (["%{0} = arith.mulf %a, %b : {1}"], lambda format, a, b: format.encode(a * b)),
    "sum": (["%{0} = arith.addf %a, %b : {1}"], lambda format, a, b: format.encode(a + b)),
    "quotient": (["%{0} = arith.divf %a, %b : {1}"], lambda format, a, b: format.encode(division(a, b))),
    "chain": (["%p = arith.mulf %a, %b : {1}", "%{0} = arith.addf %p, %a : {1}"], chained),
}


def module(name):
    """A step whose buffers become what is computed of others."""
    arguments, results, types, lines, left = [], [], [], [], []

    def buffer(buffer, kind, value):
        arguments.append(f'%{buffer}: {kind} {amprun.role("buffer", buffer)}')
        results.append(f'{kind} {amprun.role("buffer", buffer)}')
        types.append(kind)
        left.append(value)

    small, bits, f32 = (f"tensor<{COUNT}x{kind}>" for kind in (name, "i8", "f32"))
    for code in ("codes", "other"):
        buffer(code, bits, f"%{code}")
    lines += [f"%a = arith.bitcast %codes : {bits} to {small}", f"%b = arith.bitcast %other : {bits} to {small}",
              f"%wide = arith.extf %a : {small} to {f32}", f"%narrow = arith.truncf %wide : {f32} to {small}",
              f"%again = arith.bitcast %narrow : {small} to {bits}"]
    buffer("extended", f32, "%wide")
    buffer("rounded", bits, "%again")
    for wide in WIDE:
        kind, stored = f"tensor<{COUNT}x{wide}>", f"tensor<{COUNT}xi{wide[1:]}>"
        buffer(f"from_{wide}", stored, f"%from_{wide}")  # amp-run reads finite numbers alone
        lines += [f"%wide_{wide} = arith.bitcast %from_{wide} : {stored} to {kind}",
                  f"%small_{wide} = arith.truncf %wide_{wide} : {kind} to {small}",
                  f"%bits_{wide} = arith.bitcast %small_{wide} : {small} to {bits}"]
        buffer(f"to_{wide}", bits, f"%bits_{wide}")
    for what, (operations, _) in ARITHMETIC.items():
        lines += [operation.format("of_" + what, small) for operation in operations]
        lines.append(f"%bits_{what} = arith.bitcast %of_{what} : {small} to {bits}")
        buffer(what, bits, f"%bits_{what}")
    return f"""func.func @train_step(%w: tensor<f32> {amprun.role("param", "w")}, {", ".join(arguments)},
    %x: tensor<f32> {amprun.role("batch", "x")}, %seed: tensor<f32> {amprun.role("loss_seed", "loss")})
    -> (tensor<f32> {amprun.role("loss", "loss")}, tensor<f32> {amprun.role("param", "w")}, {", ".join(results)}) {{
  {(chr(10) + "  ").join(lines)}
  %loss = arith.mulf %w, %x : tensor<f32>
  return %loss, %w, {", ".join(left)} : tensor<f32>, tensor<f32>, {", ".join(types)}
}}
"""


def main():
    count, wrong = 0, []
    for name, format in FORMATS.items():
        as_bytes = [codes.astype(np.uint8).view(np.int8) for codes in (CODES, OTHER)]
        nothing = np.zeros(COUNT, np.int8)
        numbers = {wide: format.numbers(kind) for wide, kind in WIDE.items()}
        buffers = [*as_bytes, np.zeros(COUNT, np.float32), nothing]
        for wide in WIDE:
            buffers += [numbers[wide].view(f"int{wide[1:]}"), nothing]
        buffers += [nothing] * len(ARITHMETIC)
        arrays = {"arg0": np.float32(1), "step0_x0": np.float32(1)}
        arrays.update((f"arg{i + 1}", array) for i, array in enumerate(buffers))
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(module(name))
            file.flush()
            state = amprun.run(file.name, "O0", arrays, *sys.argv[1:]).state
        a, b = format.decode(CODES), format.decode(OTHER)
        with np.errstate(all="ignore"):
            found = {"extended": np.array_equal(state["buffer/extended"].astype(np.float64), a, equal_nan=True)
                     and np.array_equal(np.signbit(state["buffer/extended"][a == 0]), np.signbit(a[a == 0])),
                     "rounded": format.equal(state["buffer/rounded"], format.encode(a))}
            for wide in WIDE:
                found[wide] = format.equal(state[f"buffer/to_{wide}"], format.encode(numbers[wide].astype(np.float64)))
            for what, (_, compute) in ARITHMETIC.items():
                found[what] = format.equal(state[f"buffer/{what}"], compute(format, a, b))
        count += len(found)
        wrong += [f"{name} {what}" for what, holds in found.items() if not holds]
    print(f"{count - len(wrong)} of {count} right", *wrong)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
