"""Static checks of generated convolutions: their PTX, ptxas's report, their SASS.

    check_convolution_kernels.py LEVEL TABLE [WORD...]

As check_sm80_kernels.py and check_kernels.py, whose checks of each main loop these are:
the loops are those of matrix products. What differs is how tiles are loaded:

  sm_80...  asynchronous copies of 16 bytes where runs of channels or filters are whole
            chunks, counted for each operand by itself; no copy elsewhere
  sm_90a    the same by one warpgroup: no TMA
"""


import check_kernels
import check_sm80_kernels


def product_options(given):
    """Those of the matrix product, as check_kernels.Kernel and its like read them."""
    sizes = {name: int(given.get(name, 1)) for name in ("channels", "filters", "groups")}
    channels, filters = (sizes[name] // sizes["groups"] for name in ("channels", "filters"))
    kind = given.get("kind", "forward")
    layout = {"forward": "nt", "data-gradient": "nn", "weight-gradient": "tn"}[kind]
    kept = [f"{key}={given[key]}" for key in ("chip", "tile", "split-k", "stages", "a-type", "d-type") if key in given]
    if "a-type" in given:
        kept.append(f"b-type={given['a-type']}")
    per_chunk = 4 if given.get("a-type") in ("f32", "tf32") else 8
    whole = {"A": (channels if kind == "forward" else filters) % per_chunk == 0, "B": channels % per_chunk == 0}
    # Of no size that TMA could address.
    return " ".join(kept + [f"layout={layout}", "m=1", "n=1", "k=1"]), whole


class OldKernel(check_sm80_kernels.Kernel):
    generator = "amp-generate-convolution"

    def __init__(self, line):
        options, whole = product_options(dict(word.split("=") for word in line.split()))
        super().__init__(options)
        self.line = line
        rows = self.rows * whole["A"] + self.columns * whole["B"]
        self.copies = rows * 8 // self.threads


class NewKernel(check_kernels.Kernel):
    generator = "amp-generate-convolution"

    def __init__(self, line):
        given = dict(word.split("=") for word in line.split())
        options, _ = product_options(given)
        super().__init__(options)
        self.line = line
        self.copies = (self.rows + self.columns) * 8 // 128 * (given["access"] == "async")

    def ptx_counts(self):
        counts, wgmma = super().ptx_counts()
        waits = int(self.copies > 0)
        return counts | {r"cp\.async\.cg\.shared\.global .*, 16, ": self.copies, r"cp\.async\.wait_group\s+0;": waits}, wgmma


def is_new(line):
    return "chip=" not in line


def make_kernel(line):
    return NewKernel(line) if is_new(line) else OldKernel(line)


def make_checker(kernel):
    return (check_kernels if is_new(kernel.line) else check_sm80_kernels).Checker(kernel)


if __name__ == "__main__":
    check_kernels.main(make_kernel, make_checker)
