//===- Passes.td - Passes that make device kernels ---------*- tablegen -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that the compiler writes itself, as passes.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_PASSES
#define AMP_KERNELS_PASSES

include "mlir/Pass/PassBase.td"

def GenerateGemmPass : Pass<"amp-generate-gemm", "ModuleOp"> {
  let summary = "add a Tensor Core kernel for one matrix product";
  let description = [{
    Adds a `gpu.module` with a kernel that computes D = epilogue(A * B) for one
    problem, in the NVVM dialect under structured control flow. This is how a
    kernel is looked at, tested and compiled by itself; lowering a whole step asks
    the same emitter.

    **Problem.** A has M x K elements, B K x N, D M x N, row by row, for each of
    `batch` matrices that follow one another. `layout` names how A and B are
    stored: `n` as just said, `t` transposed, so that `nt` means A as [M][K] and B
    as [N][K]. Sums are f32. Any size is legal, zero too.

    The chip decides between two kernels: sm_90a has wgmma and TMA; sm_80, sm_86,
    sm_87, sm_89 and sm_90 have mma.sync and asynchronous copies.

    1. Operands are both f16 or both bf16, for sm_90a also each f8E4M3FN or
       f8E5M2, for the others also both f32; the result is f16, bf16 or f32.
       wgmma reads operands of 8 bits as `nt` only: in another layout a kernel
       `<name>_copy_a` or `<name>_copy_b` copies them transposed before the product. Products of f32 are not
       rounded: they use plain arithmetic, not Tensor Cores. With `tf32` for both
       operands, which are f32 in memory and for wgmma `nt`, Tensor Cores multiply 11
       bits of each: mma.sync rounds them (to nearest, ties away from zero), wgmma cuts
       off the rest. Nothing chooses it by itself.
    2. The tile is 128x256, 128x128 or 64x128 for sm_90a, else 128x128, 128x64 or
       64x64 (f32 only the first two), and 128 bytes of K deep.
    3. Rows of A and B that are multiples of 16 bytes go by TMA or asynchronous
       copies, others by ordinary loads (`access=auto`); `tma` and `async` refuse
       others, `threads` has ordinary loads only. D goes by TMA under the same
       rule for sm_90a, else by ordinary stores.
    4. A cluster of two is for sm_90a, with A and B by TMA.
    5. Stages, tiles and staging boxes fit in the chip's shared memory.
    6. A ring has at least two stages, without TMA three.

    **Batches with strides of their own.** The heads of an attention are columns of one
    matrix: they do not follow one another. `batch-shape` are then the sizes of up to
    three loops over the batch, the outermost first, as many as a tensor map has room for, and
    `batch-strides-a`, `-b` and `-d` how many elements A, B and D go on in each. 0 means
    that all steps of the loop read the same matrix. Matrices of D share no element. Rules 3 and 4
    hold for these strides as for rows. The loops are constants of the kernel, and "matrix"
    operands of the epilogue lie densely in the order of the loops, whatever order D has.

        amp-opt empty.mlir --amp-generate-gemm="m=256 n=256 k=64 batch=32 batch-shape=4,8
          layout=nt lda=1536 batch-strides-a=393216,64 ldb=1536 batch-strides-b=393216,64
          batch-strides-d=524288,65536"

    **Groups.** With `groups`, row i of D is row i of A times the B of i's group, as
    layers of experts have it. Only when the kernel runs does it see how many rows
    each group has: `offsets`, groups + 1 ascending numbers of 32 bits, says where
    each group's rows begin and the last one's end, at most `m`; a group may be empty,
    and rows of D after the last are not written. B has K x N elements for each group
    in turn. All groups have the same N and K. A kernel `<name>_tiles` writes for each
    tile of rows its group and rows; blocks look up their tile there. So one tensor map
    of A serves all groups, and the order of tiles stays the one that serves the L2
    cache; a tensor map for each group would have to be written on the device. Operands
    and outputs of the epilogue know rows of D, not groups; there are no sums. `split-k`,
    `batch`, `cluster` and a transposed A do not go with groups, and D is stored by
    threads.

    **Epilogue.** A function of the module, on scalars. Its first argument is the
    sum; for each further argument `amp.epilogue` says whether it is one value for
    each `"column"` of D, each `"row"`, each element (`"matrix"`, stored like a
    dense D) or one in all (`"scalar"`), or is the element's place in D, i32 and not
    in memory (`"row-index"`, `"column-index"`). The first result is the element of
    D. Without an epilogue the sum is rounded. Operands must not overlap D.

    `amp.epilogue_outputs` says what becomes of each result after the first:
    `"column-sum"` adds up the rows for each column of each matrix of the batch (the
    gradient of a bias), `"row-sum"` the columns for each row, `"amax"` is the
    greatest magnitude of all, each of f32; `"or"` is the bits that any has, of i32
    (whether an element is infinite); `"matrix"` is a second matrix, dense and of f16,
    bf16 or f32 (what an activation is the function of). Sums of parts go to memory, and a
    kernel `<name>_sums` adds them up in their order, so that they are the same in
    each run. The greatest magnitude and the bits are found by an atomic operation,
    which is so in any order: the launcher sets them to 0, or leaves what an earlier
    kernel found. The greatest is infinity if an element is, and NaN if one is NaN.
    Where D has no elements, sums are 0.

    ```mlir
    func.func @gradient(%sum: f32) -> (bf16, f32, f32)
        attributes {amp.epilogue_outputs = ["amax", "column-sum"]} {
      %result = arith.truncf %sum : f32 to bf16
      return %result, %sum, %sum : bf16, f32, f32
    }
    ```

    **Kernel.** Persistent blocks walk the tiles of D in groups of rows, so that
    the L2 cache serves them. For sm_90a, one warpgroup loads, the others multiply
    and store; else all warps do the same, with copies of the next stages in flight.
    With `split-k`, each part of K is summed into a workspace, and a second kernel
    `<name>_reduce` adds the parts in their order and applies the epilogue: the
    result is the same in each run.

    Each kernel carries `amp.launch`, a dictionary:

    | key | meaning |
    | --- | --- |
    | `order` | place among the module's kernels; they run one after the other |
    | `grid`, `block`, `cluster` | sizes along x, y, z |
    | `blocks_per_multiprocessor`, `grid_multiple` | the kernel walks over its work with any number of blocks: `grid` are the most that have work, and a launch takes as many as its device has room for, at most so many for each multiprocessor and a multiple of `grid_multiple` (ampRtDeviceFitGrid in amp-rt/Device.h). Without them, exactly `grid` |
    | `shared_memory` | bytes of dynamic shared memory |
    | `arguments` | one dictionary for each parameter, in order |

    and of an argument, by its `kind`:

    | kind | keys |
    | --- | --- |
    | `tensor-map` | `type` (8-bit floats as bytes), `shape`, `box` in elements, innermost first, `strides` in bytes from the second dimension on, `swizzle` in bytes, and `elements` from the first to the last where they are not what the last dimension spans; outside are zeros. A dimension of 0 is passed as 1, its bytes are never read. By value, 128 bytes |
    | `im2col-map` | `type`, `shape`, `strides` and `swizzle` as before; `lower` and `upper` corners of the box of first pixels, column before row, from those of the image; `steps` of first pixels in each dimension; `channels` and `pixels` of a copy. By value, 128 bytes |
    | `buffer` | `type`, `elements`, and `accessed` where it reads or writes fewer of them; `operand` for those of the epilogue, `output` for what else it gives, with `initial` if the launcher fills it with that before the first kernel. A pointer |
    | `table` | `entries`, a dictionary of `name`, `type` and `elements` each, and `conditional` if a step that is not skipped does not read it: as many pointers, one behind the other. By value, 8 bytes each (`convert-elementwise-to-multi-tensor-kernels`) |
    | `number` | `value`, and `multiple`: at another launch it may be another multiple of that. 32 bits |

    Names are `a`, `b`, `d`, `workspace`, `a_copy`, `b_copy`, `operand0`..., `output0`..., `parts0`..., `m`, `n`, `k`, `batch`
    `count`, `groups`, `offsets`,
    `tiles` and the row strides `lda`, `ldb`, `ldd`.

    The `gpu.module` carries `amp.problem`, a dictionary of `family` ("gemm", "grouped-gemm" or
    "strided-gemm", the last with the loops over its batch), the
    options of the problem under their names with `layout`, `tile`, and where there
    is an epilogue, `epilogue`: its steps (`op` is "add" or "mul" with an `operand`,
    or "relu"), or "other" where it is not such a chain. `amp-kernel-export` makes a
    folder for `amp-kernel-bench` from these attributes and the compiled kernels.

    ```mlir
    func.func @bias_relu(%sum: f32, %bias: f32) -> bf16
        attributes {amp.epilogue = ["column"]} {
      %zero = arith.constant 0.0 : f32
      %biased = arith.addf %sum, %bias : f32
      %positive = arith.maximumf %biased, %zero : f32
      %result = arith.truncf %positive : f32 to bf16
      return %result : bf16
    }
    ```

        amp-opt bias_relu.mlir --amp-generate-gemm="m=512 n=512 k=512 epilogue=bias_relu"           --amp-kernels-to-cubin
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90a\"", "what the kernel is for">,
    Option<"name", "name", "std::string", "\"gemm\"", "name of the kernel and of its module">,
    Option<"m", "m", "int64_t", "0", "rows of A and D">,
    Option<"n", "n", "int64_t", "0", "columns of B and D">,
    Option<"k", "k", "int64_t", "0", "columns of A, rows of B">,
    Option<"batch", "batch", "int64_t", "1", "independent products">,
    Option<"groups", "groups", "int64_t", "0", "products that share the rows of A, as memory says">,
    Option<"aType", "a-type", "std::string", "\"bf16\"", "elements of A">,
    Option<"bType", "b-type", "std::string", "\"bf16\"", "elements of B">,
    Option<"dType", "d-type", "std::string", "\"bf16\"", "elements of D">,
    Option<"layout", "layout", "std::string", "\"nn\"",
           "nn, nt, tn or tt: whether A and B are stored transposed">,
    Option<"lda", "lda", "int64_t", "0", "elements between rows of A; 0 is dense">,
    Option<"ldb", "ldb", "int64_t", "0", "elements between rows of B; 0 is dense">,
    Option<"ldd", "ldd", "int64_t", "0", "elements between rows of D; 0 is dense">,
    ListOption<"batchShape", "batch-shape", "int64_t",
               "sizes of loops over the batch, the outermost first">,
    ListOption<"batchStridesA", "batch-strides-a", "int64_t",
               "elements between matrices of A in each of these loops">,
    ListOption<"batchStridesB", "batch-strides-b", "int64_t", "the same of B">,
    ListOption<"batchStridesD", "batch-strides-d", "int64_t", "the same of D">,
    Option<"tile", "tile", "std::string", "\"128x128\"",
           "part of D that a block computes at a time, MxN or MxNxK">,
    Option<"stages", "stages", "int64_t", "0", "slots of the ring; 0 is as many as fit">,
    Option<"cluster", "cluster", "int64_t", "1", "blocks that share tiles of B">,
    Option<"splitK", "split-k", "int64_t", "1", "parts of K that are summed apart">,
    Option<"rasterGroup", "raster-group", "int64_t", "8", "rows of tiles walked together">,
    Option<"access", "access", "std::string", "\"auto\"",
           "auto, tma (sm_90a), async (others) or threads: how matrices are read and written">,
    Option<"epilogue", "epilogue", "std::string", "\"\"", "function that gives elements of D">,
  ];
  let dependentDialects = ["arith::ArithDialect", "gpu::GPUDialect", "LLVM::LLVMDialect",
                           "math::MathDialect", "NVVM::NVVMDialect", "scf::SCFDialect"];
}

def GenerateConvolutionPass : Pass<"amp-generate-convolution", "ModuleOp"> {
  let summary = "add a kernel for one convolution or its gradient";
  let description = [{
    Adds a `gpu.module` with a kernel for one convolution, or the gradient of one,
    as amp-generate-gemm does for a matrix product; the chips, the main loops, the
    epilogue, split K and `amp.launch` are described there.

    **Problem.** `batch` images x of `height` x `width` pixels with `channels` are
    correlated with `filters` filters f, in `groups`:

        y[n][p][q][k] = sum over (r, s, c) of f[k][r][s][c] *
            x[n][p * stride - top + r * dilation][q * stride - left + s * dilation][c]

    where c counts the channels of k's group and x is 0 outside the image. x is
    stored NHWC, y as [batch][p][q][filters], f as [filters][R][S][channels of a
    group]. Sums are f32. `kind` says which of the three is computed from the other
    two, and the matrix product that this is, for each group:

    | kind | result | M | N | K |
    | --- | --- | --- | --- | --- |
    | `forward` | y | pixels of y | filters | R x S x channels |
    | `data-gradient` | x from y | pixels of x | channels | R x S x filters |
    | `weight-gradient` | f from y | filters | R x S x channels | pixels of y |

    No matrix is laid out in memory. A data gradient with strides is one product for
    each class of pixels whose row and column are the same modulo the strides, over
    the taps that reach them: nothing is multiplied with zeros between pixels, and a
    pixel that no tap reaches is 0 before the epilogue.

    1. Operands are both f16, bf16, tf32 (f32 in memory, as in amp-generate-gemm) or,
       but for sm_90a, f32; the result is f16, bf16 or f32. wgmma reads tf32 with K
       innermost only, which is `forward`: gradients in tf32 are for the chips with
       mma.sync, of which sm_90 runs on the same GPU.
    2. `groups` divides channels and filters.
    3. The filter with its dilation fits into the image with its padding.
    4. Kernels number pixels, taps and elements of K in 32 bits.
    5. Copies are asynchronous, of 16 bytes, where the channels of a group (and for
       gradients its filters) are a multiple of that (`access=auto`); `async` refuses
       others, `threads` has ordinary loads only.
    6. For sm_90a, TMA gathers the pixels where its tensor maps can say so: channels,
       filters and the channels of a group are multiples of 16 bytes; with groups, those
       that a forward convolution (a data gradient) sums over are a multiple of 128 bytes
       in each; strides, but those of a data gradient, are at most 8; taps are at most 255
       pixels apart; the box of first pixels begins and ends at most 128 pixels outside
       or inside of the image. `tma` refuses others, `auto` is the rule before for them.
    7. A split K is for weight gradients, and for others without groups and, of a
       data gradient, without strides.
    8. The strides of a data gradient multiply to at most 64.
    9. A cluster of two is for sm_90a, with both operands by TMA. Each block loads half
       of the second operand for both.

    Tiles, stages and shared memory are ruled as for amp-generate-gemm.

    **Depthwise.** A convolution each of whose several groups is one channel has
    kernels of its own, on every chip and in each type but tf32. They use plain arithmetic;
    `tile`, `stages`, `split-k`, `raster-group` and `access` do not matter. A thread has
    16 bytes of channels where there is one filter for each channel and channels are a
    multiple of that, else one or two, of some neighbouring pixels. A weight gradient is
    summed in parts, which a second kernel `<name>_reduce` adds in their order. How many
    parts there are does not depend on the device, and so neither does a bit of the
    result.

    10. The filters of a thread's channels take at most 48 KiB, but for a weight gradient.
    11. The stride width of a depthwise data gradient is at most 32.

    **Epilogue.** A "column" is a filter of y, a channel of x, or a tap and channel
    of f; a "row" is a pixel, or a filter of f (not in groups); a "matrix" is stored
    like the result.

    **Kernel.** Names in `amp.launch` are `x`, `f`, `y`, `workspace`, `operand0`...
    `batch`, the only size that another launch may change, and `run`, the channels
    (filters) of a group; with a split K the second kernel has `m`, `n`, `batch` and
    `ldd` of the product. `amp.problem` has
    the `family` "convolution", the `direction` (the kind), the `format` "nhwc", `n`,
    `h`, `w`, `c`, `k`, `r`, `s` and `groups`, `stride`, `dilation` and `padding` as
    [height, width] (padding of four different sides as [top, left, bottom, right]),
    the types `x`, `f` and `y`, `tile` and `epilogue`.

    ```mlir
    func.func @bias(%sum: f32, %bias: f32) -> bf16
        attributes {amp.epilogue = ["column"]} {
      %biased = arith.addf %sum, %bias : f32
      %result = arith.truncf %biased : f32 to bf16
      return %result : bf16
    }
    ```

        amp-opt bias.mlir --amp-generate-convolution="chip=sm_80 batch=32 height=56 width=56 \
          channels=64 filters=128 filter=3x3 stride=2x2 padding=1x1 epilogue=bias" \
          --amp-kernels-to-cubin=chip=sm_80
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90a\"", "what the kernel is for">,
    Option<"name", "name", "std::string", "\"convolution\"",
           "name of the kernel and of its module">,
    Option<"kind", "kind", "std::string", "\"forward\"",
           "forward, data-gradient or weight-gradient">,
    Option<"batch", "batch", "int64_t", "1", "images">,
    Option<"height", "height", "int64_t", "1", "rows of x">,
    Option<"width", "width", "int64_t", "1", "columns of x">,
    Option<"channels", "channels", "int64_t", "1", "channels of x, of all groups">,
    Option<"filters", "filters", "int64_t", "1", "channels of y, of all groups">,
    Option<"filter", "filter", "std::string", "\"1x1\"", "rows and columns of a filter, RxS">,
    Option<"stride", "stride", "std::string", "\"1x1\"", "pixels of x between two of y, HxW">,
    Option<"dilation", "dilation", "std::string", "\"1x1\"", "pixels of x between two taps, HxW">,
    Option<"padding", "padding", "std::string", "\"0x0\"",
           "zeros around x, on both sides HxW, or top,bottom,left,right">,
    Option<"groups", "groups", "int64_t", "1", "into which channels and filters are divided">,
    Option<"aType", "a-type", "std::string", "\"bf16\"", "elements of both operands">,
    Option<"dType", "d-type", "std::string", "\"bf16\"", "elements of the result">,
    Option<"tile", "tile", "std::string", "\"128x128\"",
           "part of the result that a block computes at a time, MxN or MxNxK">,
    Option<"stages", "stages", "int64_t", "0", "slots of the ring; 0 is as many as fit">,
    Option<"cluster", "cluster", "int64_t", "1", "blocks that share tiles of the second operand">,
    Option<"splitK", "split-k", "int64_t", "1", "parts of K that are summed apart">,
    Option<"rasterGroup", "raster-group", "int64_t", "8", "rows of tiles walked together">,
    Option<"access", "access", "std::string", "\"auto\"",
           "auto, tma (sm_90a), async or threads: how tensors are read">,
    Option<"epilogue", "epilogue", "std::string", "\"\"", "function that gives elements of the result">,
  ];
  let dependentDialects = ["arith::ArithDialect", "gpu::GPUDialect", "LLVM::LLVMDialect",
                           "math::MathDialect", "NVVM::NVVMDialect", "scf::SCFDialect"];
}

def GenerateAttentionPass : Pass<"amp-generate-attention", "ModuleOp"> {
  let summary = "add Tensor Core kernels for one attention or its gradients";
  let description = [{
    Adds a `gpu.module` with kernels for O = softmax(scale * Q K^T + mask) V, for each
    head of a batch, or for the gradients of Q, K and V, as amp-generate-gemm does for a
    matrix product; `amp.launch` is described there. Scores and probabilities
    never reach memory: the forward pass keeps the greatest score and the sum of
    exponentials of each row while it walks over the keys, and the backward pass computes
    them again. Kernels use mma.sync and asynchronous copies, for sm_80 and all later
    chips.

    1. Q, K, V, O and their gradients are all f16 or all bf16. Sums are f32.
       Probabilities are rounded to the type for the product with V, before they are
       divided by their sum.
    2. `depth`, the length of a row, is 16, 32, 64 or 128.
    3. Sizes are at least 1, otherwise any: there may be more queries (`rows`) than keys
       (`columns`) or fewer.
    4. The scale is above 0.
    5. `mask` is `none`, `causal` (a query sees the keys up to its own number; tiles that
       no query sees are skipped), or the type of numbers that are added to scores, f16,
       bf16 or f32: [heads][rows][columns] of them, the same for the whole batch. A query
       whose scores are all -inf has NaNs, with `empty-rows` zeros.
    6. Rows begin at multiples of 16 bytes, and lie within their tensors.

    `layout` says how tensors lie: `heads` is [batch][head][row][depth], and with `rows`
    Q, K and V are parts of the rows of one tensor [batch][row][3][head][depth], of which
    each of `q`, `k` and `v` is all, and the others are [batch][row][head][depth]; but if
    there are as many keys as queries, gradients are parts of one tensor `dqkv` like that
    of Q, K and V. A step has any strides.

    Names are `q`, `k`, `v`, `o`, `mask`, the gradients `do`, `dq`, `dk`, `dv`, and, f32
    for each row of each head of each batch, `exponents`, `inverses` and `delta`.
    `exponents` are those of 2 for a row's greatest score, or with a mask of memory that
    score itself, and `inverses` are 1 over the sum of the row's exponentials, relative to
    the greatest one. They are two numbers because beside a mask of -1e9 the logarithm of a
    sum is lost. A forward pass writes them with `sums` and a backward pass reads them;
    `delta` is the backward pass's own. Gradients of K and V are summed by a kernel of
    their own, over the queries in their order, so that there are no atomics and the bits
    are the same in each run.

    Example:

        amp-opt empty.mlir --amp-generate-attention="heads=8 rows=256 columns=256 depth=64 mask=causal"
  }];
  let options = [
    Option<"name", "name", "std::string", "\"attention\"", "name of the module, with which those of its kernels begin">,
    Option<"kind", "kind", "std::string", "\"forward\"", "forward or backward">,
    Option<"batch", "batch", "int64_t", "1", "independent groups of heads">,
    Option<"heads", "heads", "int64_t", "1", "heads of each">,
    Option<"rows", "rows", "int64_t", "0", "queries">,
    Option<"columns", "columns", "int64_t", "0", "keys and values">,
    Option<"depth", "depth", "int64_t", "64", "elements of a query, a key or a value">,
    Option<"type", "type", "std::string", "\"bf16\"", "elements of all tensors">,
    Option<"scale", "scale", "double", "1.0", "factor of the scores">,
    Option<"mask", "mask", "std::string", "\"none\"", "none, causal, or the type of an additive mask">,
    Option<"layout", "layout", "std::string", "\"heads\"", "heads or rows: how tensors lie">,
    Option<"emptyRows", "empty-rows", "bool", "false", "zeros for queries without keys">,
    Option<"sums", "sums", "bool", "false", "leave what a backward pass reads">,
  ];
  let dependentDialects = ["arith::ArithDialect", "gpu::GPUDialect", "LLVM::LLVMDialect",
                           "math::MathDialect", "NVVM::NVVMDialect", "scf::SCFDialect"];
}

def ConvertKernelsToNVVMPass : Pass<"amp-convert-kernels-to-nvvm", "gpu::GPUModuleOp"> {
  let summary = "lower what is left of arith, cf and math in device code";
  let description = [{
    Last step from a generated kernel to the LLVM and NVVM dialects, after
    `convert-scf-to-cf`: branches, arithmetic and functions become LLVM's.
    Operations of other dialects stay as they are, and so does code outside the
    `gpu.module`.

    Functions of the math dialect that have no instruction become arithmetic without
    branches. Of f32, `acos`, `acosh`, `asin`, `asinh`, `atan`, `atan2`, `atanh`, `cbrt`, `cos`, `cosh`, `erfc`, `expm1`,
    `fpowi`, `log`, `log10`, `log1p`, `log2`, `powf`, `sin`, `sinh` and `tan` are computed in f64 and rounded
    once: at most 0.501 units in the last place from the true result, special values as in
    C99. `fpowi` with a constant exponent is the host's sequence of multiplications. Of f16
    and bf16 they are computed as of f32, and rounded.

    Of f64, these and `erf`, `exp`, `exp2` and `tanh` are computed with 106 bits where that counts: at most 0.54 units in
    the last place from the true result (`erfc`, `expm1`, `sinh` and `tanh` 0.65), of a subnormal one 0.77.

    `exp`, `tanh` and `erf` are made of the hardware's 2^x and 1/x, and are at most 3.4,
    3.9 and 1.8 units in the last place from the true result; of halves they are right to
    2^-11 of a unit more than rounding costs. A quotient of f32 that is only rounded to f16
    or bf16 is the hardware's too, with 2 units of f32. A result of `exp` below the least
    normal number is 0. With `functions=portable` these functions are the host's
    polynomials instead, with up to 5.3, 4.8 and 4.7 units, and quotients are rounded right.
    That costs several times the instructions, and gives the same bits on the host, the
    emulator and a GPU.

    Instructions there are for `absf`, `absi`, `ceil`,
    `copysign`, `ctlz`, `ctpop`, `cttz`, `exp2` (not of f64), `floor`, `fma`, `round`,
    `roundeven`, `rsqrt`, `sqrt` and `trunc`. Any other function is an error.

    ```mlir
    gpu.module @kernels {
      llvm.func @twice(%x: f32) -> f32 {
        %sum = arith.addf %x, %x : f32
        llvm.return %sum : f32
      }
    }
    ```

    becomes

    ```
    %sum = llvm.fadd %x, %x : f32
    ```
  }];
  let options = [
    Option<"functions", "functions", "::mlir::amp::KernelFunctions",
           /*default=*/"::mlir::amp::KernelFunctions::Hardware",
           "how exp, tanh, erf and quotients for halves are computed",
           [{::llvm::cl::values(
             clEnumValN(::mlir::amp::KernelFunctions::Hardware, "hardware",
                        "by the hardware's approximations, within stated errors"),
             clEnumValN(::mlir::amp::KernelFunctions::Portable, "portable",
                        "by the host's polynomials, with the same bits everywhere"))}]>
  ];
  let dependentDialects = ["arith::ArithDialect", "cf::ControlFlowDialect",
                           "LLVM::LLVMDialect", "math::MathDialect",
                           "NVVM::NVVMDialect", "vector::VectorDialect"];
}

def CompileKernelsPass : Pass<"amp-compile-kernels", "ModuleOp"> {
  let summary = "compile modules of kernels, in parallel and each once";
  let description = [{
    Each `gpu.module` with a target becomes a `gpu.binary`, as by
    `gpu-module-to-binary`; modules are compiled at the same time on the context's
    threads.

    With `cache`, a folder, code is looked up there first and kept there
    afterwards. An entry's name is a hash of the module's text, its target, the
    format, and the versions of ptxas and LLVM. Processes may share the folder. An
    entry that is damaged is compiled again and replaced, with a warning; a folder
    that cannot be written is a warning, too.

    Refused: a toolkit that is missing or older than CUDA 12.0 where a cubin is
    wanted, and a module without a target.

    ```
    gpu.module @gemm [#nvvm.target<chip = "sm_90a", features = "+ptx80">] {...}
    ```

    becomes

    ```
    gpu.binary @gemm [#gpu.object<#nvvm.target<...>, kernels = ..., bin = "...">]
    ```
  }];
  let options = [
    Option<"format", "format", "std::string", "\"bin\"",
           "bin for a cubin (needs ptxas), isa for PTX, llvm for LLVM bitcode">,
    Option<"toolkit", "toolkit", "std::string", "\"\"",
           "CUDA toolkit; without it, ptxas from PATH">,
    Option<"cache", "cache", "std::string", "\"\"", "folder of compiled kernels">,
  ];
  let statistics = [
    Statistic<"numCompiled", "modules compiled", "Modules that were compiled here">,
    Statistic<"numFound", "modules found", "Modules whose code was in the cache">,
    Statistic<"numDamaged", "entries damaged", "Entries of the cache that were replaced">
  ];
  let dependentDialects = ["gpu::GPUDialect"];
}

def RecordLaunchesPass : Pass<"amp-record-launches", "ModuleOp"> {
  let summary = "keep the launch attributes of kernels on the module";
  let description = [{
    Compiling a `gpu.module` leaves a `gpu.binary` without functions. Before that,
    this pass copies each kernel's `amp.launch` (see amp-generate-gemm) into
    `amp.launches` of the module, a dictionary of gpu.modules, each of which is a
    dictionary of kernels, and each gpu.module's `amp.problem` into `amp.problems`.

    ```
    gpu.module @gemm attributes {amp.problem = {family = "gemm", ...}} {
      llvm.func @gemm(...) attributes {amp.launch = {order = 0, ...}}
    }
    ```

    gives

    ```
    module attributes {amp.launches = {gemm = {gemm = {order = 0, ...}}},
                       amp.problems = {gemm = {family = "gemm", ...}}}
    ```
  }];
}

#endif // AMP_KERNELS_PASSES
