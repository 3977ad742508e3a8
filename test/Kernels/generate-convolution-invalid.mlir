// DEFINE: %{bad} = not amp-opt %s -o /dev/null --amp-generate-convolution=
// DEFINE: %{good} = amp-opt %s -o /dev/null --amp-generate-convolution=
// Next to a refusal, under "good", is what only just is not refused.

// RUN: %{bad}"kind=backward" 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: expected 'kind' to be forward, data-gradient or weight-gradient, but got 'backward'

// RUN: %{bad}"chip=sm_75" 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: expected 'chip' to be one of sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, but got 'sm_75'

// RUN: %{bad}"a-type=half" 2>&1 | FileCheck %s --check-prefix=NOTYPE
// NOTYPE: expected 'a-type' to be the name of a number's type, but got 'half'

// RUN: %{bad}"a-type=f8E5M2" 2>&1 | FileCheck %s --check-prefix=TYPES
// TYPES: expected operands of a convolution both of type f16, bf16, f32 or tf32, but got 'f8E5M2' and 'f8E5M2'; cast one of them

// RUN: %{bad}"d-type=f64" 2>&1 | FileCheck %s --check-prefix=RESULT
// RESULT: expected a result of type f16, bf16 or f32, but got 'f64'; cast it after the convolution

// RUN: %{bad}"a-type=f32" 2>&1 | FileCheck %s --check-prefix=PLAIN
// PLAIN: expected operands of type f16, bf16 or tf32 for sm_90a, but got 'f32'; cast them, or use 'chip=sm_90'
// RUN: %{good}"a-type=f32 chip=sm_90"
// RUN: %{bad}"d-type=tf32" 2>&1 | FileCheck %s --check-prefix=TFRESULT
// TFRESULT: expected a result of type f16, bf16 or f32, but got 'tf32'; cast it after the convolution
// RUN: %{bad}"a-type=tf32 kind=data-gradient" 2>&1 | FileCheck %s --check-prefix=TFIMAGE
// TFIMAGE: expected a forward convolution for operands of type tf32, because wgmma reads 32 bits with K innermost only, but got a data-gradient; use 'chip=sm_90'
// RUN: %{bad}"a-type=tf32 kind=weight-gradient" 2>&1 | FileCheck %s --check-prefix=TFWEIGHT
// TFWEIGHT: expected a forward convolution for operands of type tf32, because wgmma reads 32 bits with K innermost only, but got a weight-gradient; use 'chip=sm_90'
// RUN: %{good}"a-type=tf32"
// RUN: %{good}"a-type=tf32 kind=data-gradient chip=sm_90"
// RUN: %{good}"a-type=tf32 kind=weight-gradient chip=sm_90"
// RUN: %{bad}"a-type=tf32 channels=8 filters=8 groups=8" 2>&1 | FileCheck %s --check-prefix=TFDEPTHWISE
// TFDEPTHWISE: expected operands of type f16, bf16 or f32 for a depthwise convolution, which Tensor Cores do not compute, but got 'tf32'; use 'a-type=f32'
// RUN: %{good}"a-type=tf32 channels=8 filters=8 groups=4"

// RUN: %{bad}"filter=3" 2>&1 | FileCheck %s --check-prefix=FILTER
// FILTER: expected 'filter' to be RxS, but got '3'
// RUN: %{bad}"stride=2x2x2" 2>&1 | FileCheck %s --check-prefix=STRIDE
// STRIDE: expected 'stride' to be HxW, but got '2x2x2'
// RUN: %{bad}"dilation=axb" 2>&1 | FileCheck %s --check-prefix=DILATION
// DILATION: expected 'dilation' to be HxW, but got 'axb'
// RUN: %{bad}"padding=1" 2>&1 | FileCheck %s --check-prefix=PADDING
// PADDING: expected 'padding' to be HxW or top,bottom,left,right, but got '1'
// RUN: %{bad}"padding=1,1,1" 2>&1 | FileCheck %s --check-prefix=SIDES
// SIDES: expected 'padding' to be HxW or top,bottom,left,right, but got '1,1,1'

// RUN: %{bad}"batch=-1" 2>&1 | FileCheck %s --check-prefix=BATCH
// BATCH: expected 'batch' from 0 to 2147482623, but got -1
// RUN: %{good}"batch=0"
// RUN: %{bad}"height=0" 2>&1 | FileCheck %s --check-prefix=HEIGHT
// HEIGHT: expected 'height' from 1 to 2147482623, but got 0
// RUN: %{bad}"filter=3x0" 2>&1 | FileCheck %s --check-prefix=TAPS
// TAPS: expected 'filter width' from 1 to 2147482623, but got 0
// RUN: %{bad}"stride=0x1" 2>&1 | FileCheck %s --check-prefix=STAND
// STAND: expected 'stride height' from 1 to 2147482623, but got 0
// RUN: %{bad}"dilation=1x0" 2>&1 | FileCheck %s --check-prefix=DENSE
// DENSE: expected 'dilation width' from 1 to 2147482623, but got 0
// RUN: %{bad}"padding=0,-1,0,0" 2>&1 | FileCheck %s --check-prefix=CROP
// CROP: expected 'bottom padding' from 0 to 2147482623, but got -1
// RUN: %{bad}"groups=0" 2>&1 | FileCheck %s --check-prefix=NOGROUP
// NOGROUP: expected 'groups' from 1 to 2147482623, but got 0

// RUN: %{bad}"channels=6 filters=8 groups=4" 2>&1 | FileCheck %s --check-prefix=CHANNELS
// CHANNELS: expected groups that divide the channels, but got 6 channels in 4 groups
// RUN: %{bad}"channels=8 filters=6 groups=4" 2>&1 | FileCheck %s --check-prefix=FILTERS
// FILTERS: expected groups that divide the filters, but got 6 filters in 4 groups
// RUN: %{good}"channels=8 filters=8 groups=4"

// RUN: %{bad}"height=3 width=9 filter=3x3 dilation=2x2 padding=0,1,0,0" 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: expected a filter that fits into the image, but its height with dilation is 5 and the image's with padding 4; add padding
// RUN: %{bad}"height=9 width=2 filter=3x3" 2>&1 | FileCheck %s --check-prefix=NARROW
// NARROW: expected a filter that fits into the image, but its width with dilation is 3 and the image's with padding 2; add padding
// RUN: %{good}"height=3 width=9 filter=3x3 dilation=2x2 padding=1,1,0,0"

// RUN: %{bad}"height=268435456 padding=1,0,0,0" 2>&1 | FileCheck %s --check-prefix=EXTENT
// EXTENT: expected at most 268435456 for the height with its padding, but got 268435457
// RUN: %{good}"height=268435455 padding=1,0,0,0"

// RUN: %{bad}"batch=32 height=8192 width=8192 stride=2x2" 2>&1 | FileCheck %s --check-prefix=PIXELS
// PIXELS: expected at most 2147482623 pixels of x, which kernels number in 32 bits, but got 2147483648; divide the convolution
// RUN: %{bad}"batch=31 height=8192 width=8192 padding=999x999" 2>&1 | FileCheck %s --check-prefix=OUTPUTS
// OUTPUTS: expected at most 2147482623 pixels of y, which kernels number in 32 bits, but got 3218919100; divide the convolution
// RUN: %{bad}"height=64 width=64 channels=1048576 filter=64x64" 2>&1 | FileCheck %s --check-prefix=DEPTH
// DEPTH: expected at most 2147482623 taps times channels or filters of a group, which kernels number in 32 bits, but got 4294967296; divide the convolution
// RUN: %{bad}"height=64 width=64 channels=65536 filters=1048576 groups=65536 filter=64x64" 2>&1 | FileCheck %s --check-prefix=MANYTAPS
// MANYTAPS: expected at most 2147482623 taps of all filters, which kernels number in 32 bits, but got 4294967296; divide the convolution

// RUN: %{bad}"kind=data-gradient height=9 width=9 stride=13x5" 2>&1 | FileCheck %s --check-prefix=CLASSES
// CLASSES: expected strides of a data gradient whose product is at most 64, but got 13x5
// RUN: %{good}"height=9 width=9 stride=13x5"
// RUN: %{good}"kind=data-gradient height=9 width=9 stride=16x4"

// RUN: %{bad}"chip=sm_80 channels=12 filters=16 access=async" 2>&1 | FileCheck %s --check-prefix=RUNA
// RUNA: expected runs of channels or filters of a group in A to be multiples of 16 bytes for asynchronous copies, but got 24 bytes; pad them, or use 'access=auto'
// RUN: %{bad}"chip=sm_80 kind=data-gradient channels=12 filters=16 access=async" 2>&1 | FileCheck %s --check-prefix=RUNB
// RUNB: expected runs of channels or filters of a group in B to be multiples of 16 bytes for asynchronous copies, but got 24 bytes; pad them, or use 'access=auto'
// RUN: %{good}"chip=sm_80 channels=12 filters=16"
// RUN: %{good}"chip=sm_80 channels=16 filters=12 access=async"

// RUN: %{bad}"access=dma" 2>&1 | FileCheck %s --check-prefix=ACCESS
// ACCESS: expected 'access' to be auto, tma, async or threads, but got 'dma'
// RUN: %{bad}"chip=sm_80 access=tma" 2>&1 | FileCheck %s --check-prefix=OLDACCESS
// OLDACCESS: expected 'access' to be auto, async or threads, but got 'tma'

// RUN: %{bad}"channels=4 filters=4 groups=2 split-k=2" 2>&1 | FileCheck %s --check-prefix=SPLIT
// SPLIT: expected 'split-k' to be 1 for a convolution in groups and for a data gradient with strides, but got 2
// RUN: %{bad}"kind=data-gradient stride=1x2 split-k=2" 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: %{good}"kind=weight-gradient channels=4 filters=4 groups=2 stride=1x2 split-k=2"
// RUN: %{good}"stride=1x2 split-k=2"

// RUN: %{bad}"tile=128" 2>&1 | FileCheck %s --check-prefix=NOTILE
// NOTILE: expected 'tile' to be MxN or MxNxK, but got '128'
// RUN: %{bad}"tile=64x32" 2>&1 | FileCheck %s --check-prefix=TILE
// TILE: expected tile 128x256, 128x128, 64x128 or 64x64, but got 64x32
// RUN: %{good}"channels=8 filters=8 cluster=2"
// RUN: %{bad}"channels=8 filters=8 cluster=2 access=async" 2>&1 | FileCheck %s --check-prefix=CLUSTER
// CLUSTER: expected TMA for A and B in a cluster, because nothing else reaches the other block; pad rows to multiples of 16 bytes, or use 'cluster=1'

// RUN: %{bad}"name=used" 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: expected a new name for the kernel, but 'used' is in use; set 'name'
func.func private @used()

// RUN: %{bad}"epilogue=absent" 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: expected 'epilogue' to be a function of the module, but got 'absent'

// RUN: %{bad}"kind=weight-gradient channels=4 filters=4 groups=2 epilogue=scale" 2>&1 | FileCheck %s --check-prefix=ROW
// ROW: expected an epilogue without an operand of kind "row" for a weight gradient in groups; use one of kind "matrix"
// RUN: %{good}"kind=weight-gradient channels=4 filters=4 epilogue=scale"
// RUN: %{good}"channels=4 filters=4 groups=2 epilogue=scale"
func.func @scale(%sum: f32, %factor: f32) -> bf16 attributes {amp.epilogue = ["row"]} {
  %scaled = arith.mulf %sum, %factor : f32
  %result = arith.truncf %scaled : f32 to bf16
  return %result : bf16
}

// What TMA cannot gather. Next to each, under 'access=tma', what it can.
// DEFINE: %{tma} = access=tma height=20 width=20 channels=64 filters=64
// RUN: %{bad}"%{tma} channels=12" 2>&1 | FileCheck %s --check-prefix=TMA-CHANNELS
// TMA-CHANNELS: expected a convolution that TMA can gather, but 12 channels are not a multiple of 16 bytes; use 'access=auto'
// RUN: %{good}"%{tma} channels=16"
// RUN: %{good}"%{tma} channels=12 access=auto"
// RUN: %{bad}"%{tma} filters=20" 2>&1 | FileCheck %s --check-prefix=TMA-FILTERS
// TMA-FILTERS: but 20 filters are not a multiple of 16 bytes
// RUN: %{bad}"%{tma} channels=24 filters=24 groups=6" 2>&1 | FileCheck %s --check-prefix=TMA-EACH
// TMA-EACH: but 4 channels of a group are not a multiple of 16 bytes
// RUN: %{bad}"%{tma} channels=192 groups=2" 2>&1 | FileCheck %s --check-prefix=TMA-GROUP
// TMA-GROUP: but 96 channels of a group are not a multiple of 64
// RUN: %{good}"%{tma} a-type=tf32 channels=192 groups=2"
// RUN: %{good}"%{tma} channels=128 groups=2"
// RUN: %{bad}"%{tma} kind=data-gradient channels=128 groups=2" 2>&1 | FileCheck %s --check-prefix=TMA-GRADIENT
// TMA-GRADIENT: but 32 filters of a group are not a multiple of 64
// RUN: %{good}"%{tma} kind=weight-gradient groups=2"
// RUN: %{bad}"%{tma} stride=9x1" 2>&1 | FileCheck %s --check-prefix=TMA-STRIDE
// TMA-STRIDE: but a stride of 9 is more than 8
// RUN: %{good}"%{tma} stride=8x1"
// RUN: %{good}"%{tma} kind=data-gradient stride=9x1"
// RUN: %{bad}"%{tma} height=300 filter=3x1 dilation=128x1" 2>&1 | FileCheck %s --check-prefix=TMA-REACH
// TMA-REACH: but taps are 256 pixels apart, more than 255
// RUN: %{good}"%{tma} height=300 filter=3x1 dilation=127x1 padding=127x0"
// RUN: %{bad}"%{tma} padding=0,0,129,0" 2>&1 | FileCheck %s --check-prefix=TMA-CORNER
// TMA-CORNER: but a corner of its box at -129 is not from -128 to 127
// RUN: %{good}"%{tma} padding=0,0,128,0"
// RUN: %{bad}"%{tma} height=16384 width=16384 channels=2048" 2>&1 | FileCheck %s --check-prefix=TMA-IMAGE
// TMA-IMAGE: but an image takes more than 1099511627775 bytes
// RUN: %{good}"%{tma} height=16384 width=16384 channels=2040"

// Depthwise convolutions, each channel a group, have rules of their own.
// RUN: %{bad}"kind=data-gradient width=40 channels=2 filters=2 groups=2 stride=1x33" 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: expected a stride width of at most 32 for a depthwise data gradient, but got 33
// RUN: %{good}"kind=data-gradient width=40 channels=2 filters=2 groups=2 stride=1x32"
// RUN: %{good}"width=40 channels=2 filters=2 groups=2 stride=1x33"
// RUN: %{bad}"height=56 width=56 channels=8 filters=8 groups=8 filter=56x56" 2>&1 | FileCheck %s --check-prefix=LONG
// LONG: expected depthwise filters that take at most 49152 bytes of shared memory, but those of 8 channels, 56x56, take 50176; divide the filter
// RUN: %{good}"height=56 width=56 channels=8 filters=8 groups=8 filter=54x56"
// RUN: %{good}"kind=weight-gradient height=56 width=56 channels=8 filters=8 groups=8 filter=56x56"
// RUN: %{good}"a-type=f32 channels=2 filters=2 groups=2"
