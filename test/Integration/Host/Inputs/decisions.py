"""Decisions of the precision passes that are seen in numbers.

    decisions.py KIND...

Each kind is a train step that amp-run runs at some levels, and what comes out is
compared with f64 NumPy on the values that the level rounds its operands to:

  fma-sum       a sum of squares by math.fma that is beyond half
  fma-product   a matrix product by math.fma, with half factors
  outs-exp      an exp of what its operation writes over, beyond half
  mean-squares  a layer norm whose variance is E[x^2] - E[x]^2, the squares beyond half
  count         steps counted in a tensor with dimensions, from 2046
  average       a moving average of weights, whose steps are below half's last place
  own           a moving average of the batch, which the model makes and `amp.of` keeps
"""

import os
import sys
import tempfile

import numpy as np

import amprun

N, K = 8, 64
U16 = 2.0**-11  # unit roundoff of f16


def role(role, name, more=""):
    return f'{{amp.role = "{role}", amp.name = "{name}"{more}}}'


def tensor(*shape):
    return "tensor<" + "".join(f"{n}x" for n in shape) + "f32>"


def step(body, shape):
    """A train step that returns `%y`, computed from %h = x0 * w, as a buffer. `body`
    knows zeros of the shapes that it may need and the maps below."""
    x, w, y = tensor(N, K), tensor(K, K), tensor(*shape)
    loss = f'tensor<f32> {role("loss", "l")}'
    seed = f'%s: tensor<f32> {role("loss_seed", "l")}'
    args = (f'%w: {w} {role("param", "w")}, %y0: {y} {role("buffer", "y")}, '
            f'%x: {x} {role("batch", "x0")}, {seed}')
    new = f'{y} {role("buffer", "y")}'
    return f"""
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#one = affine_map<(i) -> (i)>
func.func @fb({args}) -> ({w} {role("grad", "w")}, {loss}, {new}) {{
  %zero = arith.constant 0.0 : f32
  %ex = tensor.empty() : {x}
  %er = tensor.empty() : {tensor(N)}
  %ew = tensor.empty() : {w}
  %zx = linalg.fill ins(%zero : f32) outs(%ex : {x}) -> {x}
  %zr = linalg.fill ins(%zero : f32) outs(%er : {tensor(N)}) -> {tensor(N)}
  %h = linalg.matmul ins(%x, %w : {x}, {w}) outs(%zx : {x}) -> {x}
{body}
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%ew : {w}) dimensions = [0, 1]
  %g = arith.mulf %b, %w : {w}
  return %g, %s, %y : {w}, tensor<f32>, {y}
}}
func.func @sgd(%w: {w} {role("param", "w")}, %g: {w} {role("grad", "w")}) -> ({w} {role("param", "w")}) {{
  %n = arith.subf %w, %g : {w}
  return %n : {w}
}}
func.func @train({args}) -> ({w} {role("param", "w")}, {loss}, {new}) {{
  %g, %l, %y = call @fb(%w, %y0, %x, %s) : ({w}, {y}, {x}, tensor<f32>) -> ({w}, tensor<f32>, {y})
  %n = call @sgd(%w, %g) : ({w}, {w}) -> {w}
  return %n, %l, %y : {w}, tensor<f32>, {y}
}}
"""


FMA_SUM = f"""
  %q = linalg.generic {{indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}}
      ins(%h : {tensor(N, K)}) outs(%zr : {tensor(N)}) {{
  ^bb0(%a: f32, %o: f32):
    %r = math.fma %a, %a, %o : f32
    linalg.yield %r : f32
  }} -> {tensor(N)}
  %y = math.sqrt %q : {tensor(N)}
"""
FMA_PRODUCT = f"""
  %y = linalg.generic {{indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%h, %w : {tensor(N, K)}, {tensor(K, K)}) outs(%zx : {tensor(N, K)}) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = math.fma %a, %b, %o : f32
    linalg.yield %r : f32
  }} -> {tensor(N, K)}
"""
OUTS_EXP = f"""
  %y = linalg.generic {{indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]}}
      outs(%h : {tensor(N, K)}) {{
  ^bb0(%o: f32):
    %r = math.exp %o : f32
    linalg.yield %r : f32
  }} -> {tensor(N, K)}
"""
MEAN_SQUARES = f"""
  %in = arith.constant dense<{1 / K}> : {tensor(N)}
  %s1 = linalg.reduce {{ arith.addf }} ins(%h : {tensor(N, K)}) outs(%zr : {tensor(N)}) dimensions = [1]
  %m = arith.mulf %s1, %in : {tensor(N)}
  %q = arith.mulf %h, %h : {tensor(N, K)}
  %s2 = linalg.reduce {{ arith.addf }} ins(%q : {tensor(N, K)}) outs(%zr : {tensor(N)}) dimensions = [1]
  %m2 = arith.mulf %s2, %in : {tensor(N)}
  %mm = arith.mulf %m, %m : {tensor(N)}
  %v = arith.subf %m2, %mm : {tensor(N)}
  %i = math.rsqrt %v : {tensor(N)}
  %mb = linalg.broadcast ins(%m : {tensor(N)}) outs(%ex : {tensor(N, K)}) dimensions = [1]
  %d = arith.subf %h, %mb : {tensor(N, K)}
  %ib = linalg.broadcast ins(%i : {tensor(N)}) outs(%ex : {tensor(N, K)}) dimensions = [1]
  %hat = arith.mulf %d, %ib : {tensor(N, K)}
  // A last product with a parameter: what was before it is inside the model.
  %y = linalg.matmul ins(%hat, %w : {tensor(N, K)}, {tensor(K, K)}) outs(%zx : {tensor(N, K)}) -> {tensor(N, K)}
"""


def half(array):
    return array.astype(np.float16).astype(np.float64)


def run(text, level, arrays):
    with tempfile.TemporaryDirectory() as folder:
        module = os.path.join(folder, "step.mlir")
        with open(module, "w") as file:
            file.write(text)
        return amprun.run(module, level, arrays, "--loss-scale=1", "--verify-scaling=off",
                          steps=sum(name.startswith("step") for name in arrays))


def check(kind, level, got, want, bound):
    got = amprun.to_float(got).astype(np.float64)
    distance = np.abs(got - want)
    if not np.isfinite(got).all() or (distance > bound).any():
        sys.exit(f"{kind} at {level}: expected {want.ravel()[:4]}..., but got {got.ravel()[:4]}...; "
                 f"largest distance {np.nanmax(distance):.3g}")
    print(f"{kind} at {level}: within {np.max(distance / bound):.2g} of the bound")


def check_values(kind, body, shape, levels, size, scale, compute):
    """`compute` of the half product of random numbers around `size`, and its bound."""
    rng = np.random.RandomState(7)
    x = (size + scale * rng.normal(size=(N, K))).astype(np.float32)
    # A permutation with a factor: each element of %h comes from one of x0, so that f64
    # knows it exactly. The factor is 1 + 2^-10 in half.
    w = np.eye(K, dtype=np.float32)[rng.permutation(K)] * np.float32(1 + 2.0**-10 + 2.0**-13)
    arrays = {"arg0": w, "arg1": np.zeros(shape, np.float32), "step0_x0": x}
    h = half(half(x) @ half(w))
    for level in levels:
        want, bound = compute(h, half(w))
        check(kind, level, run(step(body, shape), level, arrays).state["buffer/y"], want, bound)


def fma_sum():
    def compute(h, w):
        total = (h * h).sum(1)
        assert total.min() > 65504
        return np.sqrt(total), np.sqrt(total) * K * 2.0**-24
    check_values("fma-sum", FMA_SUM, (N,), ["O1"], 300, 20, compute)


def fma_product():
    def compute(h, w):
        want = half(h @ w)
        return want, np.abs(want) * 2.0**-40
    check_values("fma-product", FMA_PRODUCT, (N, K), ["O1", "O2", "O3"], 3, 1, compute)


def outs_exp():
    def compute(h, w):
        want = np.exp(h)
        assert want.min() > 65504
        return want, want * 2.0**-20
    check_values("outs-exp", OUTS_EXP, (N, K), ["O1"], 13, 0.5, compute)


def mean_squares():
    def compute(h, w):
        centred = h - h.mean(1, keepdims=True)
        hat = centred / np.sqrt((h * h).mean(1, keepdims=True) - h.mean(1, keepdims=True)**2)
        assert (h * h).min() > 65504
        # Two roundings to half; the difference of squares is known to f32's roundoff of
        # the squares.
        lost = 64 * 2.0**-24 * (h * h).mean(1, keepdims=True) / h.var(1, keepdims=True)
        return hat @ w, np.abs(hat @ w) * (2 * U16 + lost) + 2.0**-11
    check_values("mean-squares", MEAN_SQUARES, (N, K), ["O2", "O3"], 600, 60, compute)


# loss = sum(x0), and the gradient of w is x0; `update` computes %new from %old.
def state_step(role_name, update):
    vector, state = tensor(N), tensor(N)
    w, s = f'%w: {vector} {role("param", "w")}', f'%s: tensor<f32> {role("loss_seed", "l")}'
    x, old = f'%x: {vector} {role("batch", "x0")}', f'%old: {state} {role(role_name, "state")}'
    loss, g = f'tensor<f32> {role("loss", "l")}', f'{vector} {role("grad", "w")}'
    return f"""
func.func @fb({w}, {x}, {s}) -> ({g}, {loss}) {{
  %e = tensor.empty() : {vector}
  %z = arith.constant dense<0.0> : tensor<f32>
  %l = linalg.dot ins(%w, %x : {vector}, {vector}) outs(%z : tensor<f32>) -> tensor<f32>
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : {vector}) dimensions = [0]
  %g = arith.mulf %b, %x : {vector}
  return %g, %l : {vector}, tensor<f32>
}}
func.func @sgd({w}, %g: {g}) -> ({vector} {role("param", "w")}) {{
  %n = arith.subf %w, %g : {vector}
  return %n : {vector}
}}
func.func @train({w}, {old}, {x}, {s}) -> ({vector} {role("param", "w")}, {loss}, {state} {role(role_name, "state")}) {{
  %g, %l = call @fb(%w, %x, %s) : ({vector}, {vector}, tensor<f32>) -> ({vector}, tensor<f32>)
  %n = call @sgd(%w, %g) : ({vector}, {vector}) -> {vector}
{update}
  return %n, %l, %new : {vector}, tensor<f32>, {state}
}}
"""


COUNT = f"""
  %one = arith.constant dense<1.0> : {tensor(N)}
  %new = arith.addf %old, %one : {tensor(N)}
"""
AVERAGE = f"""
  %rate = arith.constant dense<0.0001> : {tensor(N)}
  %d = arith.subf %n, %old : {tensor(N)}
  %e = arith.mulf %d, %rate : {tensor(N)}
  %new = arith.addf %old, %e : {tensor(N)}
"""
STEPS = 8


def count():
    arrays = {"arg0": np.ones(N, np.float32), "arg1": np.full(N, 2046, np.float32)}
    arrays.update((f"step{i}_x0", np.zeros(N, np.float32)) for i in range(STEPS))
    for level in ("O1", "O2", "O3"):
        end = run(state_step("opt_state", COUNT), level, arrays)
        check("count", level, end.state["opt_state/state"], np.full(N, 2046.0 + STEPS), 1e-9)


def average():
    rng = np.random.RandomState(3)
    w, state = np.full(N, 2.0), np.full(N, 1.0)
    arrays = {"arg0": w.astype(np.float32), "arg1": state.astype(np.float32)}
    for i in range(STEPS):
        # Multiples of 2^-6: w stays exact in half.
        x = rng.randint(-8, 8, N) / 64
        arrays[f"step{i}_x0"] = x.astype(np.float32)
        w = w - x
        state = state + 1e-4 * (w - state)
    for level in ("O2", "O3"):
        end = run(state_step("buffer", AVERAGE), level, arrays)
        check("average", level, end.state["buffer/state"], state, STEPS * 2.0**-23)


def own():
    vector = tensor(N)
    given = vector + " " + role("buffer", "state", ', amp.of = ""')
    args = (f'%w: {vector} {role("param", "w")}, %old: {given}, '
            f'%x: {vector} {role("batch", "x0")}, %s: tensor<f32> {role("loss_seed", "l")}')
    loss, g = f'tensor<f32> {role("loss", "l")}', f'{vector} {role("grad", "w")}'
    module = f"""
func.func @fb({args}) -> ({g}, {loss}, {given}) {{
  %e = tensor.empty() : {vector}
  %z = arith.constant dense<0.0> : tensor<f32>
  %l = linalg.dot ins(%w, %x : {vector}, {vector}) outs(%z : tensor<f32>) -> tensor<f32>
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : {vector}) dimensions = [0]
  %g = arith.mulf %b, %x : {vector}
  %rate = arith.constant dense<0.0001> : {vector}
  %d = arith.mulf %x, %rate : {vector}
  %new = arith.addf %old, %d : {vector}
  return %g, %l, %new : {vector}, tensor<f32>, {vector}
}}
func.func @train({args}) -> ({vector} {role("param", "w")}, {loss}, {given}) {{
  %g, %l, %new = call @fb(%w, %old, %x, %s) : ({vector}, {vector}, {vector}, tensor<f32>) -> ({vector}, tensor<f32>, {vector})
  %n = arith.subf %w, %g : {vector}
  return %n, %l, %new : {vector}, tensor<f32>, {vector}
}}
"""
    rng = np.random.RandomState(5)
    state = np.ones(N)
    arrays = {"arg0": np.ones(N, np.float32), "arg1": state.astype(np.float32)}
    for i in range(STEPS):
        x = rng.uniform(0.5, 1.0, N).astype(np.float32)
        arrays[f"step{i}_x0"] = x
        state = state + 1e-4 * x.astype(np.float64)
    for level in ("O2", "O3"):
        end = run(module, level, arrays)
        check("own", level, end.state["buffer/state"], state, STEPS * 2.0**-23)


KINDS = {"count": count, "own": own, "average": average, "fma-sum": fma_sum, "fma-product": fma_product, "outs-exp": outs_exp,
         "mean-squares": mean_squares}


def main():
    for kind in sys.argv[1:] or KINDS:
        KINDS[kind]()


if __name__ == "__main__":
    main()
