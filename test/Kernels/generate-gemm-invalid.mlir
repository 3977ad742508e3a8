// DEFINE: %{bad} = not amp-opt %s -o /dev/null --amp-generate-gemm=

// RUN: %{bad}"chip=sm_75" 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: expected 'chip' to be one of sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, but got 'sm_75'

// RUN: %{bad}"a-type=f16" 2>&1 | FileCheck %s --check-prefix=TYPES
// TYPES: expected operands of type f16, of type bf16, of type tf32, or each of type f8E4M3FN or f8E5M2, but got 'f16' and 'bf16'; cast one of them

// RUN: %{bad}"a-type=f8E5M2 b-type=bf16" 2>&1 | FileCheck %s --check-prefix=MIXED
// MIXED: but got 'f8E5M2' and 'bf16'; cast one of them

// RUN: %{bad}"d-type=f8E5M2" 2>&1 | FileCheck %s --check-prefix=RESULT
// RESULT: expected a result of type f16, bf16 or f32, but got 'f8E5M2'; cast it after the product

// RUN: %{bad}"d-type=half" 2>&1 | FileCheck %s --check-prefix=NOTYPE
// NOTYPE: expected 'd-type' to be the name of a number's type, but got 'half'

// RUN: %{bad}"a-type=tf32 b-type=tf32 layout=nn" 2>&1 | FileCheck %s --check-prefix=TENSORFLOAT
// TENSORFLOAT: expected layout 'nt' for operands of type tf32, because wgmma reads 32 bits with K innermost only, but got 'nn'; transpose the operands first, or use 'chip=sm_90'
// RUN: amp-opt %s -o /dev/null --amp-generate-gemm="chip=sm_90 a-type=tf32 b-type=tf32 layout=nn"

// RUN: %{bad}"groups=-1" 2>&1 | FileCheck %s --check-prefix=GROUPS
// GROUPS: expected 'groups' from 0 to 65536, but got -1

// RUN: %{bad}"groups=2 layout=tn" 2>&1 | FileCheck %s --check-prefix=GROUPSROWS
// GROUPSROWS: expected layout 'nn' or 'nt' for groups, whose rows begin anywhere, but got 'tn'; transpose A first

// RUN: %{bad}"groups=2 batch=3" 2>&1 | FileCheck %s --check-prefix=GROUPSBATCH
// GROUPSBATCH: expected 'batch', 'split-k' and 'cluster' to be 1 for groups, but got 3, 1 and 1

// RUN: %{bad}"groups=2 m=64 n=64 k=64 access=tma" 2>&1 | FileCheck %s --check-prefix=GROUPSBOX
// GROUPSBOX: expected D of groups to be stored by threads, because a box of TMA reaches into the next group; use 'access=auto'

// RUN: %{bad}"groups=2 d-type=f32 epilogue=add_up" 2>&1 | FileCheck %s --check-prefix=GROUPSSUMS
// GROUPSSUMS: expected an epilogue without sums for groups, whose rows begin anywhere; add up D
func.func @add_up(%x: f32) -> (f32, f32) attributes {amp.epilogue_outputs = ["column-sum"]} {
  return %x, %x : f32, f32
}

// RUN: %{bad}"layout=nx" 2>&1 | FileCheck %s --check-prefix=LAYOUT
// LAYOUT: expected 'layout' to be nn, nt, tn or tt, but got 'nx'

// RUN: %{bad}"tile=128" 2>&1 | FileCheck %s --check-prefix=NOTILE
// NOTILE: expected 'tile' to be MxN or MxNxK, but got '128'

// RUN: %{bad}"tile=256x128" 2>&1 | FileCheck %s --check-prefix=TILE
// TILE: expected tile 128x256, 128x128, 64x128 or 64x64, but got 256x128

// RUN: %{bad}"tile=128x128x32" 2>&1 | FileCheck %s --check-prefix=DEPTH
// DEPTH: expected a tile 64 deep, which is 128 bytes of K in 'bf16', but got 32

// RUN: %{bad}"cluster=4" 2>&1 | FileCheck %s --check-prefix=CLUSTER
// CLUSTER: expected 'cluster' to be 1 or 2, but got 4

// RUN: %{bad}"stages=1" 2>&1 | FileCheck %s --check-prefix=STAGES
// STAGES: expected 'stages' from 2 to 8, but got 1

// RUN: %{bad}"stages=6 tile=128x256" 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: expected at most 232448 bytes of shared memory, but tile 128x256 with 6 stages takes 327776; use at most 4 stages

// RUN: %{bad}"split-k=65" 2>&1 | FileCheck %s --check-prefix=SPLIT
// SPLIT: expected 'split-k' from 1 to 64, but got 65

// RUN: %{bad}"raster-group=0" 2>&1 | FileCheck %s --check-prefix=RASTER
// RASTER: expected 'raster-group' to be at least 1, but got 0

// RUN: %{bad}"m=-1" 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: expected 'm' from 0 to 2147482623, but got -1

// RUN: %{bad}"m=100000000 n=1000000" 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: expected at most 2147483647 tiles, but got 6103906250; split the product

// RUN: %{bad}"m=100000 n=100000 split-k=2" 2>&1 | FileCheck %s --check-prefix=PARTS
// PARTS: expected at most 2147483647 elements of D with a split K, but got 10000000000; use 'split-k=1'

// RUN: %{bad}"m=8 n=8 k=16 lda=8" 2>&1 | FileCheck %s --check-prefix=STRIDE
// STRIDE: expected 'lda' from the row length 16 to 2147483647, but got 8

// RUN: %{bad}"m=8 n=8 k=9 access=tma" 2>&1 | FileCheck %s --check-prefix=UNALIGNED
// UNALIGNED: expected rows of A to be multiples of 16 bytes for TMA, but got 18 bytes; pad the rows, or use 'access=auto'

// RUN: %{bad}"m=8 n=8 k=9 cluster=2" 2>&1 | FileCheck %s --check-prefix=REACH
// REACH: expected TMA for A and B in a cluster, because nothing else reaches the other block; pad rows to multiples of 16 bytes, or use 'cluster=1'

// Loops over a batch.
// RUN: %{bad}"batch=16 batch-shape=2,2,2,2 batch-strides-a=8,4,2,1 batch-strides-b=8,4,2,1 batch-strides-d=8,4,2,1" 2>&1 | FileCheck %s --check-prefix=LOOPS
// LOOPS: expected 'batch-shape' of at most 3 loops, as many as a tensor map has room for, but got 4

// RUN: %{bad}"batch=4 batch-shape=2,2 batch-strides-a=8 batch-strides-b=8,4 batch-strides-d=8,4" 2>&1 | FileCheck %s --check-prefix=LOOPSTRIDES
// LOOPSTRIDES: expected 'batch-strides-a' to have a stride for each of the 2 loops of 'batch-shape', but got 1
// RUN: %{bad}"batch=2 batch-strides-b=8" 2>&1 | FileCheck %s --check-prefix=NOLOOPS
// NOLOOPS: expected 'batch-strides-b' to have a stride for each of the 0 loops of 'batch-shape', but got 1

// RUN: %{bad}"batch=2 batch-shape=2 batch-strides-a=-8 batch-strides-b=8 batch-strides-d=8" 2>&1 | FileCheck %s --check-prefix=LOOPSTRIDE
// LOOPSTRIDE: expected strides from 0 to 2147483647 in 'batch-strides-a', but got -8
// RUN: %{bad}"batch=2 batch-shape=2 batch-strides-a=8 batch-strides-b=8 batch-strides-d=0" 2>&1 | FileCheck %s --check-prefix=SAMERESULT
// SAMERESULT: expected strides from 1 to 2147483647 in 'batch-strides-d', but got 0

// RUN: %{bad}"batch=0 batch-shape=0 batch-strides-a=8 batch-strides-b=8 batch-strides-d=8" 2>&1 | FileCheck %s --check-prefix=NOMATRICES
// NOMATRICES: expected sizes of at least 1 in 'batch-shape', but got 0
// RUN: %{bad}"batch=3 batch-shape=2,2 batch-strides-a=8,4 batch-strides-b=8,4 batch-strides-d=8,4" 2>&1 | FileCheck %s --check-prefix=MATRICES
// MATRICES: expected loops over as many matrices as 'batch', 3, but 'batch-shape' has 4

// RUN: %{bad}"a-type=f8E5M2 b-type=f8E5M2 batch=2 batch-shape=2 batch-strides-a=0 batch-strides-b=0 batch-strides-d=1" 2>&1 | FileCheck %s --check-prefix=LOOPCOPY
// LOOPCOPY: expected layout 'nt' for a batch of 8 bits with strides of its own, because other layouts are copied first; use it, or leave out 'batch-shape'

// Rows of 16 columns, 32 apart, have room for a second matrix between them, and no third.
// RUN: %{bad}"m=8 n=16 k=8 ldd=32 batch=3 batch-shape=3 batch-strides-a=0 batch-strides-b=0 batch-strides-d=16" 2>&1 | FileCheck %s --check-prefix=OVERLAP
// OVERLAP: expected matrices of D that share no element, but 'batch-strides-d' makes them overlap
// RUN: amp-opt %s -o /dev/null --amp-generate-gemm="m=8 n=16 k=8 ldd=32 batch=2 batch-shape=2 batch-strides-a=0 batch-strides-b=0 batch-strides-d=16"

// RUN: %{bad}"m=8 n=16 k=8 batch=2 batch-shape=2 batch-strides-a=68 batch-strides-b=0 batch-strides-d=128 access=tma" 2>&1 | FileCheck %s --check-prefix=LOOPSTART
// LOOPSTART: expected matrices of A to be multiples of 16 bytes apart for TMA, but got 136 bytes; pad them, or use 'access=auto'

// RUN: %{bad}"m=8 n=16 k=8 batch=2 batch-shape=2 batch-strides-a=64 batch-strides-b=0 batch-strides-d=132 access=tma" 2>&1 | FileCheck %s --check-prefix=LOOPRESULT
// LOOPRESULT: expected matrices of D to be multiples of 16 bytes apart for TMA, but got 264 bytes
// RUN: %{bad}"chip=sm_80 m=8 n=16 k=8 batch=2 batch-shape=2 batch-strides-a=64 batch-strides-b=4 batch-strides-d=128 access=async" 2>&1 | FileCheck %s --check-prefix=LOOPCOPIES
// LOOPCOPIES: expected matrices of B to be multiples of 16 bytes apart for asynchronous copies, but got 8 bytes
// RUN: %{bad}"batch=2 batch-shape=2 batch-strides-a=2147483648 batch-strides-b=0 batch-strides-d=8" 2>&1 | FileCheck %s --check-prefix=LOOPFAR
// LOOPFAR: expected strides from 0 to 2147483647 in 'batch-strides-a', but got 2147483648

// RUN: %{bad}"groups=2 batch-shape=1 batch-strides-a=0 batch-strides-b=0 batch-strides-d=1" 2>&1 | FileCheck %s --check-prefix=GROUPLOOPS
// GROUPLOOPS: expected no 'batch-shape' for groups, whose matrices follow one another

// Two blocks would write the same box; where K is innermost each has its rows.
// RUN: %{bad}"tile=64x64 layout=nn cluster=2" 2>&1 | FileCheck %s --check-prefix=SHARE
// SHARE: expected each block of a cluster to load 128 bytes of N or more, which is innermost in B, but got 32 elements; use a wider tile, or 'cluster=1'
// RUN: amp-opt %s -o /dev/null --amp-generate-gemm="tile=64x64 layout=nt cluster=2"

// RUN: %{bad}"access=dma" 2>&1 | FileCheck %s --check-prefix=ACCESS
// ACCESS: expected 'access' to be auto, tma or threads, but got 'dma'

// What mma.sync and asynchronous copies refuse.

// RUN: %{bad}"chip=sm_80 a-type=f8E5M2 b-type=f8E5M2 layout=nt" 2>&1 | FileCheck %s --check-prefix=OLDTYPES
// OLDTYPES: expected operands of type f16, bf16, f32 or tf32 for sm_80, but got 'f8E5M2'; cast them, or use 'chip=sm_90a'

// RUN: %{bad}"chip=sm_80 tile=128x256" 2>&1 | FileCheck %s --check-prefix=OLDTILE
// OLDTILE: expected tile 128x128, 128x64 or 64x64 for sm_80, but got 128x256

// RUN: %{bad}"chip=sm_80 a-type=f32 b-type=f32 tile=64x64" 2>&1 | FileCheck %s --check-prefix=PLAINTILE
// PLAINTILE: expected tile 128x128 or 128x64 for operands of type f32, but got 64x64

// RUN: %{bad}"a-type=f32 b-type=f32" 2>&1 | FileCheck %s --check-prefix=PLAINCHIP
// PLAINCHIP: but got 'f32' and 'f32'; cast one of them

// RUN: %{bad}"chip=sm_80 cluster=2" 2>&1 | FileCheck %s --check-prefix=OLDCLUSTER
// OLDCLUSTER: expected 'cluster' to be 1 for sm_80, but got 2

// RUN: %{bad}"chip=sm_80 stages=2" 2>&1 | FileCheck %s --check-prefix=OLDSTAGES
// OLDSTAGES: expected 'stages' from 3 to 8 for sm_80, so that a copy is in flight while the kernel waits for another, but got 2

// RUN: %{bad}"chip=sm_86 stages=4" 2>&1 | FileCheck %s --check-prefix=OLDSHARED
// OLDSHARED: expected at most 101376 bytes of shared memory, but tile 128x128 with 4 stages takes 131072; use at most 3 stages

// RUN: %{bad}"chip=sm_80 m=8 n=8 k=9 access=async" 2>&1 | FileCheck %s --check-prefix=OLDUNALIGNED
// OLDUNALIGNED: expected rows of A to be multiples of 16 bytes for asynchronous copies, but got 18 bytes; pad the rows, or use 'access=auto'

// RUN: %{bad}"chip=sm_80 access=tma" 2>&1 | FileCheck %s --check-prefix=OLDACCESS
// OLDACCESS: expected 'access' to be auto, async or threads, but got 'tma'

// RUN: %{bad}"name=used" 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: expected a new name for the kernel, but 'used' is in use; set 'name'

// RUN: %{bad}"epilogue=absent" 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: expected 'epilogue' to be a function of the module, but got 'absent'

// RUN: %{bad}"epilogue=used" 2>&1 | FileCheck %s --check-prefix=BODY
// BODY: expected an epilogue with a body
func.func private @used(f32) -> bf16

// RUN: %{bad}"epilogue=no_sum" 2>&1 | FileCheck %s --check-prefix=NOSUM
// NOSUM: expected the first argument of an epilogue to be the sum, f32
func.func @no_sum(%x: bf16) -> bf16 {
  return %x : bf16
}

// RUN: %{bad}"epilogue=other_result" 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: expected an epilogue to return an element of the result first, 'bf16', but got 'f32'
func.func @other_result(%x: f32) -> f32 {
  return %x : f32
}

// RUN: %{bad}"epilogue=unnamed d-type=f32" 2>&1 | FileCheck %s --check-prefix=UNNAMED
// UNNAMED: expected 'amp.epilogue' to name the kinds of the arguments after the first, 1 strings
func.func @unnamed(%x: f32, %bias: f32) -> f32 {
  return %x : f32
}

// RUN: %{bad}"epilogue=diagonal d-type=f32" 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: expected the kind of argument 1 in 'amp.epilogue' to be "column", "row", "matrix", "scalar", "row-index" or "column-index", but got "diagonal"
func.func @diagonal(%x: f32, %bias: f32) -> f32 attributes {amp.epilogue = ["diagonal"]} {
  return %x : f32
}

// RUN: %{bad}"epilogue=wide d-type=f32" 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: expected argument 1 of an epilogue to be f16, bf16, f32 or i32, but got 'f64'
func.func @wide(%x: f32, %bias: f64) -> f32 attributes {amp.epilogue = ["row"]} {
  return %x : f32
}

// RUN: %{bad}"epilogue=half_index d-type=f32" 2>&1 | FileCheck %s --check-prefix=INDEX
// INDEX: expected argument 1 of an epilogue, an index, to be i32, but got 'f16'
func.func @half_index(%x: f32, %row: f16) -> f32 attributes {amp.epilogue = ["row-index"]} {
  return %x : f32
}

// RUN: %{bad}"epilogue=nothing d-type=f32" 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: expected an epilogue to return an element of the result first, 'f32', but got
func.func @nothing(%x: f32) {
  return
}

// RUN: %{bad}"epilogue=more d-type=f32" 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: expected 'amp.epilogue_outputs' to name the outputs that the results after the first make, 1 strings
func.func @more(%x: f32) -> (f32, f32) {
  return %x, %x : f32, f32
}

// RUN: %{bad}"epilogue=mean d-type=f32" 2>&1 | FileCheck %s --check-prefix=MEAN
// MEAN: expected output 0 in 'amp.epilogue_outputs' to be "amax", "or", "matrix", "column-sum" or "row-sum", but got "column-mean"
func.func @mean(%x: f32) -> (f32, f32) attributes {amp.epilogue_outputs = ["column-mean"]} {
  return %x, %x : f32, f32
}

// RUN: %{bad}"epilogue=half_sum d-type=f32" 2>&1 | FileCheck %s --check-prefix=HALFSUM
// HALFSUM: expected result 1 of an epilogue to be f32, but got 'f16'
func.func @half_sum(%x: f32) -> (f32, f16) attributes {amp.epilogue_outputs = ["row-sum"]} {
  %y = arith.truncf %x : f32 to f16
  return %x, %y : f32, f16
}

// RUN: %{bad}"epilogue=whole_numbers d-type=f32" 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE: expected result 1 of an epilogue to be f16, bf16 or f32, but got 'i32'
func.func @whole_numbers(%x: f32) -> (f32, i32) attributes {amp.epilogue_outputs = ["matrix"]} {
  %i = arith.bitcast %x : f32 to i32
  return %x, %i : f32, i32
}

// RUN: %{bad}"epilogue=float_bits d-type=f32" 2>&1 | FileCheck %s --check-prefix=BITS
// BITS: expected result 1 of an epilogue to be i32, but got 'f32'
func.func @float_bits(%x: f32) -> (f32, f32) attributes {amp.epilogue_outputs = ["or"]} {
  return %x, %x : f32, f32
}

// RUN: %{bad}"epilogue=blocks d-type=f32" 2>&1 | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: expected an epilogue of one block, but got 2
func.func @blocks(%x: f32) -> f32 {
  cf.br ^next
^next:
  return %x : f32
}

// RUN: %{bad}"epilogue=calls d-type=f32" 2>&1 | FileCheck %s --check-prefix=CALLS
// CALLS: expected elementwise operations and constants in an epilogue, but got 'func.call'
func.func private @away(f32) -> f32
func.func @calls(%x: f32) -> f32 {
  %y = func.call @away(%x) : (f32) -> f32
  return %y : f32
}
