"""A wide step on one, two and three threads, and compiled by one: the same bits.

The step is large enough for its loops to be divided: products by columns, by rows
and by batch, elementwise loops, sums of rows and of columns, a gather whose index
is asserted. It is compared with NumPy.
"""

import os
import tempfile

import numpy as np

import amprun

ROWS, INNER, COLUMNS = 512, 256, 640

STEP = f"""
#x = affine_map<(i, j) -> (i, j)>
#bias = affine_map<(i, j) -> (j)>
#one = affine_map<(i, j) -> ()>
func.func @step(%w: tensor<{INNER}x{COLUMNS}xf32> {{amp.role = "param", amp.name = "w"}},
                %b: tensor<{COLUMNS}xf32> {{amp.role = "param", amp.name = "b"}},
                %table: tensor<{ROWS}x{INNER}xf32> {{amp.role = "batch", amp.name = "table"}},
                %ids: tensor<{ROWS}xi64> {{amp.role = "batch", amp.name = "ids"}},
                %seed: tensor<f32> {{amp.role = "loss_seed", amp.name = "seed"}})
    -> (tensor<f32> {{amp.role = "loss", amp.name = "loss"}},
        tensor<{INNER}x{COLUMNS}xf32> {{amp.role = "param", amp.name = "w"}},
        tensor<{COLUMNS}xf32> {{amp.role = "param", amp.name = "b"}}) {{
  %zero = arith.constant 0.0 : f32
  %rate = arith.constant 0.1 : f32
  %two = arith.constant {2 / ROWS} : f32
  %part = arith.constant {1 / ROWS} : f32
  %inner = arith.constant {ROWS} : i64
  %xe = tensor.empty() : tensor<{ROWS}x{INNER}xf32>
  %x = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i)>, #x],
                       iterator_types = ["parallel", "parallel"]}}
      ins(%ids : tensor<{ROWS}xi64>) outs(%xe : tensor<{ROWS}x{INNER}xf32>) {{
  ^bb0(%id: i64, %out: f32):
    %isIn = arith.cmpi ult, %id, %inner : i64
    cf.assert %isIn, "row of the table"
    %i = arith.index_cast %id : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %table[%i, %j] : tensor<{ROWS}x{INNER}xf32>
    linalg.yield %v : f32
  }} -> tensor<{ROWS}x{INNER}xf32>
  %he = tensor.empty() : tensor<{ROWS}x{COLUMNS}xf32>
  %h0 = linalg.fill ins(%zero : f32) outs(%he : tensor<{ROWS}x{COLUMNS}xf32>) -> tensor<{ROWS}x{COLUMNS}xf32>
  %h = linalg.matmul ins(%x, %w : tensor<{ROWS}x{INNER}xf32>, tensor<{INNER}x{COLUMNS}xf32>)
      outs(%h0 : tensor<{ROWS}x{COLUMNS}xf32>) -> tensor<{ROWS}x{COLUMNS}xf32>
  %t = linalg.generic {{indexing_maps = [#x, #bias, #x], iterator_types = ["parallel", "parallel"]}}
      ins(%h, %b : tensor<{ROWS}x{COLUMNS}xf32>, tensor<{COLUMNS}xf32>)
      outs(%he : tensor<{ROWS}x{COLUMNS}xf32>) {{
  ^bb0(%v: f32, %c: f32, %out: f32):
    %sum = arith.addf %v, %c : f32
    %tanh = math.tanh %sum : f32
    linalg.yield %tanh : f32
  }} -> tensor<{ROWS}x{COLUMNS}xf32>
  %re = tensor.empty() : tensor<{ROWS}xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%re : tensor<{ROWS}xf32>) -> tensor<{ROWS}xf32>
  %rows = linalg.generic {{indexing_maps = [#x, affine_map<(i, j) -> (i)>],
                          iterator_types = ["parallel", "reduction"]}}
      ins(%t : tensor<{ROWS}x{COLUMNS}xf32>) outs(%r0 : tensor<{ROWS}xf32>) {{
  ^bb0(%v: f32, %out: f32):
    %sq = arith.mulf %v, %v : f32
    %m = arith.mulf %sq, %part : f32
    %sum = arith.addf %out, %m : f32
    linalg.yield %sum : f32
  }} -> tensor<{ROWS}xf32>
  %le = tensor.empty() : tensor<f32>
  %l0 = linalg.fill ins(%zero : f32) outs(%le : tensor<f32>) -> tensor<f32>
  %loss = linalg.reduce {{arith.addf}} ins(%rows : tensor<{ROWS}xf32>) outs(%l0 : tensor<f32>) dimensions = [0]
  %dh = linalg.generic {{indexing_maps = [#x, #one, #x], iterator_types = ["parallel", "parallel"]}}
      ins(%t, %seed : tensor<{ROWS}x{COLUMNS}xf32>, tensor<f32>)
      outs(%he : tensor<{ROWS}x{COLUMNS}xf32>) {{
  ^bb0(%v: f32, %s: f32, %out: f32):
    %c1 = arith.constant 1.0 : f32
    %sq = arith.mulf %v, %v : f32
    %d = arith.subf %c1, %sq : f32
    %g = arith.mulf %v, %d : f32
    %g2 = arith.mulf %g, %two : f32
    %gs = arith.mulf %g2, %s : f32
    linalg.yield %gs : f32
  }} -> tensor<{ROWS}x{COLUMNS}xf32>
  %dwe = tensor.empty() : tensor<{INNER}x{COLUMNS}xf32>
  %dw0 = linalg.fill ins(%zero : f32) outs(%dwe : tensor<{INNER}x{COLUMNS}xf32>) -> tensor<{INNER}x{COLUMNS}xf32>
  %dw = linalg.generic {{indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>,
                                         affine_map<(i, j, k) -> (i, j)>],
                        iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%x, %dh : tensor<{ROWS}x{INNER}xf32>, tensor<{ROWS}x{COLUMNS}xf32>)
      outs(%dw0 : tensor<{INNER}x{COLUMNS}xf32>) {{
  ^bb0(%u: f32, %v: f32, %out: f32):
    %m = arith.mulf %u, %v : f32
    %sum = arith.addf %out, %m : f32
    linalg.yield %sum : f32
  }} -> tensor<{INNER}x{COLUMNS}xf32>
  %dbe = tensor.empty() : tensor<{COLUMNS}xf32>
  %db0 = linalg.fill ins(%zero : f32) outs(%dbe : tensor<{COLUMNS}xf32>) -> tensor<{COLUMNS}xf32>
  %db = linalg.reduce {{arith.addf}} ins(%dh : tensor<{ROWS}x{COLUMNS}xf32>)
      outs(%db0 : tensor<{COLUMNS}xf32>) dimensions = [0]
  %w1 = linalg.generic {{indexing_maps = [#x, #x, #x], iterator_types = ["parallel", "parallel"]}}
      ins(%w, %dw : tensor<{INNER}x{COLUMNS}xf32>, tensor<{INNER}x{COLUMNS}xf32>)
      outs(%dwe : tensor<{INNER}x{COLUMNS}xf32>) {{
  ^bb0(%p: f32, %g: f32, %out: f32):
    %u = arith.mulf %g, %rate : f32
    %n = arith.subf %p, %u : f32
    linalg.yield %n : f32
  }} -> tensor<{INNER}x{COLUMNS}xf32>
  %b1 = linalg.generic {{indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>, affine_map<(j) -> (j)>],
                        iterator_types = ["parallel"]}}
      ins(%b, %db : tensor<{COLUMNS}xf32>, tensor<{COLUMNS}xf32>) outs(%dbe : tensor<{COLUMNS}xf32>) {{
  ^bb0(%p: f32, %g: f32, %out: f32):
    %u = arith.mulf %g, %rate : f32
    %n = arith.subf %p, %u : f32
    linalg.yield %n : f32
  }} -> tensor<{COLUMNS}xf32>
  return %loss, %w1, %b1 : tensor<f32>, tensor<{INNER}x{COLUMNS}xf32>, tensor<{COLUMNS}xf32>
}}
"""


def make_arrays(steps):
    random = np.random.default_rng(5)

    def draw(*shape):
        return random.standard_normal(shape, dtype=np.float32) / 16

    arrays = {"arg0": draw(INNER, COLUMNS), "arg1": draw(COLUMNS)}
    for step in range(steps):
        arrays[f"step{step}_x0"] = draw(ROWS, INNER)
        arrays[f"step{step}_x1"] = random.integers(0, ROWS, ROWS)
    return {**arrays, "steps": steps}


def step_in_numpy(w, b, table, ids):
    """Loss, and the parameters after it, in float64."""
    x = table[ids].astype(np.float64)
    t = np.tanh(x @ w + b)
    dh = 2 / ROWS * t * (1 - t * t)
    return (t * t).sum() / ROWS, w - 0.1 * (x.T @ dh), b - 0.1 * dh.sum(0)


def main():
    steps = 2
    arrays = make_arrays(steps)
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as module:
        module.write(STEP)
        module.flush()

        def run(threads, level="O0", *options):
            return amprun.run(module.name, level, arrays, "--blas=off", f"--threads={threads}",
                              *options, steps=steps)

        w, b = (arrays[f"arg{i}"].astype(np.float64) for i in range(2))
        for step in range(steps):
            loss, w, b = step_in_numpy(w, b, arrays[f"step{step}_x0"], arrays[f"step{step}_x1"])
        for level in ("O0", "O2", "O5"):
            one = run(1, level)
            for threads in (2, 3, 7):
                several = run(threads, level)
                assert several.log == one.log, (level, threads)
                for name, array in one.state.items():
                    assert amprun.same_bits(array, several.state[name]), (level, threads, name)
            # Parts of the step are compiled by as many threads as there are cores.
            cores = os.sched_getaffinity(0)
            os.sched_setaffinity(0, {min(cores)})
            alone = run(1, level)
            os.sched_setaffinity(0, cores)
            assert alone.log == one.log, level
            for name, array in one.state.items():
                assert amprun.same_bits(array, alone.state[name]), (level, name)
            tolerance = 1e-5 if level == "O0" else 2e-2
            last = one.log[-1]["loss"]
            assert abs(last - loss) <= tolerance * loss, (level, last, loss)
            if level == "O0":
                np.testing.assert_allclose(one.state["param/w"], w, atol=1e-5)
                np.testing.assert_allclose(one.state["param/b"], b, atol=1e-4)

        arrays["step1_x1"][ROWS - 1] = ROWS
        for threads in (1, 3):
            try:
                run(threads)
            except amprun.Failed as failure:
                assert "row of the table" in str(failure), failure
            else:
                raise AssertionError("an index out of range was not noticed")


if __name__ == "__main__":
    main()
