"""Softmaxes of rows that no block keeps, beside NumPy in float64.

    wide_rows.py COLUMNS OPTION...

OPTIONs are amp-run's, such as --device=emulator. Rows are random, masked by -inf at their head, at their end or
altogether, have an infinity or a NaN, or are so far below or above 0 that only the distances from their maximum have exponentials. A
softmax, one of scaled halves, and the logarithm of the sum of exponentials as JAX writes it, below 0 where the maximum
is not finite. Exit status 1 where a number is further than 1e-5 from NumPy's, or another infinity or NaN.
"""

import os
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Host/Inputs"))
import amprun  # noqa: E402

ROWS = 10
SCALE = 0.125  # exact in halves
# A batch is finite: what the step takes for an infinity and for NaN.
INFINITE, UNKNOWN = 1e30, 2e30

STEP = """
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = affine_map<(i) -> (i)>
func.func private @maximum(%x: tensor<ROWSxCOLUMNSxf32>) -> tensor<ROWSxf32> {
  %lowest = arith.constant dense<0xFF800000> : tensor<ROWSxf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<ROWSxCOLUMNSxf32>) outs(%lowest : tensor<ROWSxf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.maximumf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<ROWSxf32>
  return %m : tensor<ROWSxf32>
}
func.func private @exponentials(%x: tensor<ROWSxCOLUMNSxf32>, %c: tensor<ROWSxf32>) -> (tensor<ROWSxCOLUMNSxf32>, tensor<ROWSxf32>) {
  %e = tensor.empty() : tensor<ROWSxCOLUMNSxf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %c : tensor<ROWSxCOLUMNSxf32>, tensor<ROWSxf32>) outs(%e : tensor<ROWSxCOLUMNSxf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<ROWSxCOLUMNSxf32>
  %zero = arith.constant dense<0.0> : tensor<ROWSxf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<ROWSxCOLUMNSxf32>) outs(%zero : tensor<ROWSxf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<ROWSxf32>
  return %p, %s : tensor<ROWSxCOLUMNSxf32>, tensor<ROWSxf32>
}
func.func private @softmax(%x: tensor<ROWSxCOLUMNSxf32>) -> tensor<ROWSxCOLUMNSxf32> {
  %m = call @maximum(%x) : (tensor<ROWSxCOLUMNSxf32>) -> tensor<ROWSxf32>
  %p, %s = call @exponentials(%x, %m) : (tensor<ROWSxCOLUMNSxf32>, tensor<ROWSxf32>) -> (tensor<ROWSxCOLUMNSxf32>, tensor<ROWSxf32>)
  %e = tensor.empty() : tensor<ROWSxCOLUMNSxf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<ROWSxCOLUMNSxf32>, tensor<ROWSxf32>) outs(%e : tensor<ROWSxCOLUMNSxf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.divf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<ROWSxCOLUMNSxf32>
  return %y : tensor<ROWSxCOLUMNSxf32>
}
func.func private @logsumexp(%x: tensor<ROWSxCOLUMNSxf32>) -> tensor<ROWSxf32> {
  %m = call @maximum(%x) : (tensor<ROWSxCOLUMNSxf32>) -> tensor<ROWSxf32>
  %infinity = arith.constant 0x7F800000 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<ROWSxf32>
  %c = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%m : tensor<ROWSxf32>) outs(%e : tensor<ROWSxf32>) {
  ^bb0(%a: f32, %o: f32):
    %magnitude = math.absf %a : f32
    %finite = arith.cmpf olt, %magnitude, %infinity : f32
    %t = arith.select %finite, %a, %zero : f32
    linalg.yield %t : f32
  } -> tensor<ROWSxf32>
  %p, %s = call @exponentials(%x, %c) : (tensor<ROWSxCOLUMNSxf32>, tensor<ROWSxf32>) -> (tensor<ROWSxCOLUMNSxf32>, tensor<ROWSxf32>)
  %l = linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = ["parallel"]}
      ins(%s, %c : tensor<ROWSxf32>, tensor<ROWSxf32>) outs(%e : tensor<ROWSxf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %log = math.log %a : f32
    %t = arith.addf %log, %b : f32
    linalg.yield %t : f32
  } -> tensor<ROWSxf32>
  return %l : tensor<ROWSxf32>
}
func.func @train_step(%w: tensor<f32> PARAM, %y0: tensor<ROWSxCOLUMNSxf32> BUFFER_Y, %h0: tensor<ROWSxCOLUMNSxf32> BUFFER_H,
    %l0: tensor<ROWSxf32> BUFFER_L, %codes: tensor<ROWSxCOLUMNSxf32> BATCH_X, %seed: tensor<f32> SEED)
    -> (tensor<f32> LOSS, tensor<f32> PARAM, tensor<ROWSxCOLUMNSxf32> BUFFER_Y, tensor<ROWSxCOLUMNSxf32> BUFFER_H,
        tensor<ROWSxf32> BUFFER_L) {
  %infinite = arith.constant INFINITE : f32
  %unknown = arith.constant UNKNOWN : f32
  %empty = tensor.empty() : tensor<ROWSxCOLUMNSxf32>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%codes : tensor<ROWSxCOLUMNSxf32>) outs(%empty : tensor<ROWSxCOLUMNSxf32>) {
  ^bb0(%a: f32, %o: f32):
    %magnitude = math.absf %a : f32
    %finite = arith.cmpf olt, %magnitude, %infinite : f32
    %known = arith.cmpf olt, %magnitude, %unknown : f32
    %infinity = arith.mulf %a, %infinite : f32
    %nan = arith.subf %infinity, %infinity : f32
    %not = arith.select %known, %infinity, %nan : f32
    %t = arith.select %finite, %a, %not : f32
    linalg.yield %t : f32
  } -> tensor<ROWSxCOLUMNSxf32>
  %half = arith.truncf %x : tensor<ROWSxCOLUMNSxf32> to tensor<ROWSxCOLUMNSxf16>
  %y = call @softmax(%x) : (tensor<ROWSxCOLUMNSxf32>) -> tensor<ROWSxCOLUMNSxf32>
  %scale = arith.constant dense<SCALE> : tensor<ROWSxCOLUMNSxf32>
  %wide = arith.extf %half : tensor<ROWSxCOLUMNSxf16> to tensor<ROWSxCOLUMNSxf32>
  %scaled = arith.mulf %wide, %scale : tensor<ROWSxCOLUMNSxf32>
  %h = call @softmax(%scaled) : (tensor<ROWSxCOLUMNSxf32>) -> tensor<ROWSxCOLUMNSxf32>
  %l = call @logsumexp(%x) : (tensor<ROWSxCOLUMNSxf32>) -> tensor<ROWSxf32>
  %loss = arith.mulf %w, %w : tensor<f32>
  return %loss, %w, %y, %h, %l : tensor<f32>, tensor<f32>, tensor<ROWSxCOLUMNSxf32>, tensor<ROWSxCOLUMNSxf32>, tensor<ROWSxf32>
}
"""


def module(columns):
    texts = {"ROWS": ROWS, "COLUMNS": columns, "SCALE": SCALE, "INFINITE": f"{INFINITE:.1e}",
             "UNKNOWN": f"{UNKNOWN:.1e}", "PARAM": amprun.role("param", "w"), "SEED": amprun.role("loss_seed", "loss"),
             "LOSS": amprun.role("loss", "loss"),
             "BATCH_X": amprun.role("batch", "x0")}
    texts |= {f"BUFFER_{name}": amprun.role("buffer", name.lower()) for name in "YHL"}
    text = STEP
    for name in sorted(texts, key=len, reverse=True):
        text = text.replace(name, str(texts[name]))
    return text


def rows(columns, draw):
    x = draw.normal(size=(ROWS, columns)).astype(np.float32)
    third, infinity = columns // 3, np.float32(np.inf)
    x[1, :third * 2] = -infinity
    x[2, third:] = -infinity
    x[3] = -infinity
    x[4, 17] = infinity
    x[5, columns - 5] = np.nan
    x[6] -= 3000
    x[7] += 3000
    x[8, -1] = 200
    x[9] = -infinity
    x[9, columns // 2] = -1000
    return x


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def logsumexp(x):
    m = x.max(axis=1)
    c = np.where(np.isfinite(m), m, 0)
    return np.log(np.exp(x - c[:, None]).sum(axis=1)) + c


def main():
    columns, *options = sys.argv[1:]
    x = rows(int(columns), np.random.default_rng(3))
    half = x.astype(np.float16)
    codes = np.where(np.isnan(x), np.float32(UNKNOWN), np.clip(x, np.float32(-INFINITE), np.float32(INFINITE)))
    arrays = {"arg0": np.float32(1), "arg1": np.zeros_like(x), "arg2": np.zeros_like(x), "arg3": np.zeros(ROWS, np.float32),
              "step0_x0": codes}
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(module(columns))
        file.flush()
        state = amprun.run(file.name, "O0", arrays, *options).state
    wrong = 0
    with np.errstate(all="ignore"):
        for name, expected in {"y": softmax(x.astype(np.float64)), "h": softmax(half.astype(np.float64) * SCALE),
                               "l": logsumexp(x.astype(np.float64))}.items():
            found = state[f"buffer/{name}"].astype(np.float64)
            close = np.isclose(found, expected, rtol=1e-5, atol=1e-38, equal_nan=True)
            wrong += (~close).sum()
            if not close.all():
                print(name, "rows", sorted({int(place[0]) for place in np.argwhere(~close)}), file=sys.stderr)
    print(f"{wrong} wrong of {2 * x.size + ROWS}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
