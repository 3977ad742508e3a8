"""Compares generated attentions and their gradients on the emulator with float64.

    verify_attention.py [--against-torch] TABLE [WORD...]

Each line of TABLE is the options of one problem, as amp-generate-attention takes them,
then `| DATA SEED SEEDS`: what tensors hold (random), and under which schedules, SEEDS
(1) from SEED (0) on. WORDs select lines that contain one of them. DATA is

  random   numbers from -1 to 1
  large    queries and keys times 8: few keys of a row have nearly all of its weight
  special  random, with a NaN in a key and an infinity in a query
  hidden   random, with a mask that hides all keys from some queries
  lowest   random, with a mask that does so by the least number of its type, or by -1e9

The bound. u = 2^-24 is the unit of f32, t = 2^-8 of bf16 or 2^-11 of f16; n keys, T tiles
of 64 of them. f is the factor that makes an exponent of 2 of a score.

 1. A product of two elements is exact in f32, and a sum of d of them errs by at most
    ((1 + u)^d - 1) times the sum of magnitudes (verify_numbers.py), which is e for a score.
 2. The exponent of a key, f * score - f * greatest, is one fma of numbers with an error of
    u each, and so are those by which T tiles bring earlier sums to a new greatest score. So
    it is off by less than f e + (4 + 2 T) u M, where M is the greatest magnitude of an
    exponent of the row; 2^x turns that into a relative error of 2^that - 1, and its
    instruction has 2^-22 (PTX ISA, ex2.approx). Together this is r for a row. With a mask
    of memory it is log2(e) * (score - greatest): u M of the score, and u of the difference,
    of the product and of log2(e) times differences of one sign, which add up to 2 M at most
    over all tiles; 5.5 u M is less than that. A mask of -2^29 or less takes up all of a
    score of less than 32, whose row, if it has nothing else, has exponents without errors.
 3. Probabilities are rounded to the type of V before they are divided by their sum: t
    relative, or half the smallest number of f16, 2^-25.
 4. Sums over keys have n terms and T multiplications: s = (1 + u)^(n + T + 2) - 1.
 5. The sum of exponentials errs by r + s, relative, and a result is the quotient.
 6. The backward pass gets O, the greatest score and the inverse of a row's sum of float64,
    rounded to their types, so that it is compared by itself: the reference's delta is of
    that O too. P = 2^(f * score - f * greatest) * inverse errs by the same rules, with 5 u M
    or with a mask of memory 7 u M: as in 2 and by u of the greatest score that is given;
    and by 2 u, of the inverse and the product. dP and delta are sums of d products; dS is
    their difference times P, rounded to the type; what it is multiplied with adds up as
    in 4.

A result is rounded to its type once, as verify_numbers.py says. --against-torch runs no
kernel: it compares the reference with PyTorch's in float64. One line for each problem,
with what is wrong; exit status 1 if anything is.
"""

import sys
import tempfile

import numpy as np

import kernel_launch
from check_table import check_table
from number_formats import FORMATS
from verify_numbers import UNIT, Bounded, compare

APPROXIMATION = 2.0**-22
TILE = 64
LOG2E = np.log2(np.e)


class Attention:
    """The options of one line, with the pass's defaults."""

    def __init__(self, line):
        text, _, rest = line.partition("|")
        self.line, self.options = line, text.strip()
        self.data, *rest = rest.split() or ["random"]
        self.seed, self.seeds = [int(x) for x in rest] + [0, 1][len(rest) :]
        given = dict(word.split("=") for word in text.split())
        self.backward = given.get("kind") == "backward"
        self.batch, self.heads = (int(given.get(name, 1)) for name in ("batch", "heads"))
        self.rows, self.columns = int(given["rows"]), int(given["columns"])
        self.depth = int(given.get("depth", 64))
        self.type, self.mask = given.get("type", "bf16"), given.get("mask", "none")
        self.scale = float(np.float32(given.get("scale", "1.0")))
        self.reads_mask = self.mask not in ("none", "causal")
        self.empty_rows = given.get("empty-rows") == "true"
        self.sums = given.get("sums") == "true"
        self.together = given.get("layout") == "rows"
        self.unit = 2.0**-8 if self.type == "bf16" else 2.0**-11
        self.floor = 0.0 if self.type == "bf16" else 2.0**-25
        # Above what rounds to -inf.
        self.lowest = {"bf16": -(2.0**128 - 2.0**120), "f32": -(2.0**128 - 2.0**104)}.get(self.mask)
        self.random = np.random.default_rng(sum(line.encode()))

    def fill(self, rows, factor=1.0):
        """[batch][head][row][depth]"""
        values = self.random.uniform(-1, 1, (self.batch, self.heads, rows, self.depth))
        return FORMATS[self.type].round(factor * values)

    def make(self):
        tensors = {}
        factor = 8.0 if self.data == "large" else 1.0
        tensors["q"] = self.fill(self.rows, factor)
        tensors["k"] = self.fill(self.columns, factor)
        tensors["v"] = self.fill(self.columns)
        tensors["do"] = self.fill(self.rows)
        if self.data == "special":
            tensors["k"][0, 0, self.columns // 2, 1] = np.nan
            tensors["q"][-1, -1, self.rows // 2, 2] = np.inf
        if self.mask not in ("none", "causal"):
            mask = self.random.uniform(-4, 4, (self.heads, self.rows, self.columns))
            mask[self.random.uniform(0, 1, mask.shape) < 0.3] = -np.inf
            if self.data == "hidden":
                mask[:, :: 5] = -np.inf
            elif self.data == "lowest":
                mask[:, :: 5] = self.lowest
                mask[:, 1 :: 5, :: 3] = self.lowest
                mask[:, 2 :: 10] = -1e9
                mask[:, :, self.columns // 2][mask[:, :, self.columns // 2] == -np.inf] = 0.0
            else:
                mask[:, :, self.columns // 2] = 0.0
            tensors["mask"] = FORMATS[self.mask].round(mask)
        return tensors

    def stored(self, name, tensor, parts, part):
        """A tensor as it lies in memory."""
        if not self.together or name in ("mask", "exponents", "inverses"):
            return tensor
        rows = tensor.transpose(0, 2, 1, 3)
        whole = np.full(rows.shape[:2] + (parts,) + rows.shape[2:], np.nan)
        whole[:, :, part] = rows
        return whole

    def loaded(self, flat, rows, parts=1, part=0):
        shape = (self.batch, self.heads, rows, self.depth)
        if not self.together:
            return flat.reshape(shape)
        whole = flat.reshape(self.batch, rows, parts, self.heads, self.depth)
        return whole[:, :, part].transpose(0, 2, 1, 3)


def swap(x):
    return x.swapaxes(-1, -2)


class Reference:
    """The attention in float64, with the errors of an f32 kernel."""

    def __init__(self, problem, tensors):
        with np.errstate(all="ignore"):
            self.compute(problem, tensors)

    def compute(self, problem, tensors):
        q, k, v = (tensors[name] for name in "qkv")
        self.grows = lambda terms: (1 + UNIT) ** terms - 1
        hidden = np.zeros((problem.rows, problem.columns), bool)
        added = np.zeros(hidden.shape)
        if problem.mask == "causal":
            hidden = np.arange(problem.columns) > np.arange(problem.rows)[:, None]
        elif problem.mask != "none":
            hidden = np.isneginf(tensors["mask"])
            added = np.where(hidden, 0.0, tensors["mask"])
        factor = problem.scale * LOG2E
        # A key that is hidden is not read, or weighs nothing.
        absorbed = added <= -(2.0**29)
        scores = np.where(hidden, -np.inf, np.where(absorbed, 0.0, factor * (q @ swap(k))) + LOG2E * added)
        self.greatest = scores.max(-1, keepdims=True)
        finite = np.where(np.isneginf(self.greatest), 0.0, self.greatest)
        weights = np.exp2(scores - finite)
        self.total = weights.sum(-1, keepdims=True)
        # As kernels keep them: with a mask of memory, without log2(e).
        self.exponents = self.greatest / (LOG2E if problem.reads_mask else 1.0)
        self.inverses = 1 / self.total
        empty = self.total == 0
        self.p = weights / self.total
        if problem.empty_rows:
            self.p = np.where(empty, 0.0, self.p)
            self.exponents = np.where(empty, np.inf, self.exponents)
            self.inverses = np.where(empty, 0.0, self.inverses)
        self.o = self.p @ v
        # Rules 1 and 2, for each row.
        magnitude = np.where(hidden | absorbed, 0.0, factor * (np.abs(q) @ np.abs(swap(k))) + LOG2E * np.abs(added))
        self.most = magnitude.max(-1, keepdims=True)
        self.score_error = self.grows(problem.depth) * self.most
        self.tiles = -(-problem.columns // TILE)
        exponent = self.score_error + (4 + 2 * self.tiles) * UNIT * self.most
        self.relative = np.expm1(np.log(2) * exponent) + (self.tiles + 1) * (APPROXIMATION + 2 * UNIT)
        self.sums = self.grows(problem.columns + self.tiles + 2)

    def forward(self, problem, tensors):
        v = np.abs(tensors["v"])
        with np.errstate(all="ignore"):
            weight = self.p @ v
            r, t = self.relative, problem.unit
            above = weight * (r + t * (1 + r) + self.sums * (1 + r) * (1 + t)) + problem.floor * v.sum(-2, keepdims=True)
            below = r + self.sums * (1 + r) + 4 * UNIT
            error = (above + weight * below) / (1 - below)
            return Bounded(self.o, error, UNIT)

    def kept(self):
        """What a forward pass keeps of rows."""
        with np.errstate(all="ignore"):
            error = self.score_error + 4 * UNIT * self.most
            # By as much as the greatest score errs, all powers do.
            below = np.expm1(np.log(2) * self.score_error) + self.relative + self.sums * (1 + self.relative) + 4 * UNIT
            inverse_error = np.abs(self.inverses) * below / (1 - below)
            return {
                "exponents": Bounded(self.exponents, error, UNIT),
                "inverses": Bounded(self.inverses, inverse_error, UNIT),
            }

    def kept_error(self):
        """Of a probability, relative, where a forward pass has made what it is of."""
        exponents, inverses = self.kept().values()
        return np.expm1(np.log(2) * exponents.error + np.log1p(inverses.error / inverses.value))

    def backward(self, problem, tensors, o, kept_error=0.0):
        q, k, v, do = (tensors[name] for name in ("q", "k", "v", "do"))
        t, grows = problem.unit, self.grows
        with np.errstate(all="ignore"):
            p = self.p
            exponent = self.score_error + UNIT * (7 if problem.reads_mask else 5) * self.most
            r = np.expm1(np.log(2) * exponent) + 2 * APPROXIMATION + 2 * UNIT + kept_error
            dp = do @ swap(v)
            delta = (do * o).sum(-1, keepdims=True)
            dp_error = grows(problem.depth) * (np.abs(do) @ np.abs(swap(v)))
            delta_error = grows(problem.depth + 2) * (np.abs(do) * np.abs(o)).sum(-1, keepdims=True)
            change = dp - delta
            ds = p * change
            ds_error = p * (1 + r) * (dp_error + delta_error + 2 * UNIT * (np.abs(dp) + np.abs(delta)))
            ds_error = ds_error + p * r * np.abs(change)
            ds_error = ds_error + t * (np.abs(ds) + ds_error) + problem.floor
            p_error = p * r
            p_error = p_error + t * (p + p_error) + problem.floor

            def product(left, error, right, terms):
                error = error @ np.abs(right) + grows(terms + 2) * ((np.abs(left) + error) @ np.abs(right))
                return left @ right, error

            dq = product(ds, ds_error, k, problem.columns)
            dk = product(swap(ds), swap(ds_error), q, problem.rows)
            dv = product(swap(p), swap(p_error), do, problem.rows)
            scale = problem.scale
            scaled = [Bounded(scale * x, scale * e + 2 * UNIT * np.abs(scale * x), UNIT) for x, e in (dq, dk)]
            return scaled + [Bounded(*dv, UNIT)]


def check_numbers(problem, emulation):
    """What is wrong with the numbers of a problem, or an empty text, and the statistics."""
    tensors = problem.make()
    reference = Reference(problem, tensors)
    for name in emulation.types:
        emulation.write(name, np.zeros(0))
    for part, name in enumerate("qkv"):
        emulation.write(name, problem.stored(name, tensors[name], 3, part))
    if "mask" in tensors:
        emulation.write("mask", tensors["mask"])
    if not problem.backward:
        statistics = emulation.run(1, problem.seed, problem.seeds)
        got = problem.loaded(emulation.read("o"), problem.rows)
        wrong = compare("o", got, reference.forward(problem, tensors), problem.type)
        if problem.sums and not wrong:
            for name, bounded in reference.kept().items():
                wrong = wrong or compare(name, emulation.read(name).reshape(bounded.value.shape), bounded, "f32")
        return wrong, statistics
    with np.errstate(all="ignore"):
        o = FORMATS[problem.type].round(reference.o)
        kept = {name: bounded.value.astype(np.float32) for name, bounded in reference.kept().items()}
    for name, tensor in (("o", o), ("do", tensors["do"]), *kept.items()):
        emulation.write(name, problem.stored(name, tensor, 1, 0))
    statistics = emulation.run(1, problem.seed, problem.seeds)
    expected = reference.backward(problem, tensors, o)
    rows = (problem.rows, problem.columns, problem.columns)
    joined = "dqkv" in emulation.types
    for part, (name, bounded, count) in enumerate(zip(("dq", "dk", "dv"), expected, rows)):
        if joined:
            got = problem.loaded(emulation.read("dqkv"), count, 3, part)
        else:
            got = problem.loaded(emulation.read(name), count)
        if wrong := compare(name, got, bounded, problem.type):
            return wrong, statistics
    return "", statistics


def run_kernels(problem, module, kernels, folder, limit=None):
    """What is wrong with a module, or an empty text."""
    try:
        wrong, statistics = check_numbers(problem, kernel_launch.Emulation(module, kernels, folder, limit))
    except kernel_launch.Failure as failure:
        return str(failure)
    conflicts = kernel_launch.bank_conflicts(statistics)
    return wrong or (f"{conflicts} bank conflicts of matrix and other accesses" if any(conflicts) else "")


def check(line):
    problem = Attention(line)
    with tempfile.TemporaryDirectory() as folder:
        try:
            module, kernels = kernel_launch.generate(problem.options, "/dev/null", folder, "amp-generate-attention")
        except kernel_launch.Failure as failure:
            return str(failure)
        return run_kernels(problem, module, kernels, folder)


def check_against_torch(line):
    """What is wrong with the reference itself, or an empty text."""
    import torch

    problem = Attention(line)
    problem.data = "random"
    tensors = problem.make()
    reference = Reference(problem, tensors)
    q, k, v = (torch.tensor(tensors[name], requires_grad=True) for name in "qkv")
    mask = torch.tensor(tensors["mask"]) if "mask" in tensors else None
    if problem.mask == "causal":
        mask = torch.tril(torch.ones(problem.rows, problem.columns, dtype=torch.bool))
    out = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=problem.scale)
    out.backward(torch.tensor(tensors["do"]))
    found = reference.backward(problem, tensors, reference.o)
    pairs = [(reference.o, out.detach())] + [(x.value, y.grad) for x, y in zip(found, (q, k, v))]
    worst = max(float(np.abs(x - y.numpy()).max()) for x, y in pairs)
    return "" if worst <= 1e-12 * problem.columns else f"differs from PyTorch by {worst}"


def main():
    arguments = sys.argv[1:]
    against_torch = arguments[:1] == ["--against-torch"]
    table, *words = arguments[against_torch:]
    check_table(table, words, check_against_torch if against_torch else check)


if __name__ == "__main__":
    main()
