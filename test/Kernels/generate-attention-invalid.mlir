// DEFINE: %{bad} = not amp-opt %s -o /dev/null --amp-generate-attention=
// DEFINE: %{good} = amp-opt %s -o /dev/null --amp-generate-attention=
// Next to a refusal, under "good", is what only just is not refused.

// RUN: %{bad}"kind=sideways rows=1 columns=1" 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: expected 'kind' to be forward or backward, but got 'sideways'
// RUN: %{bad}"layout=columns rows=1 columns=1" 2>&1 | FileCheck %s --check-prefix=LAYOUT
// LAYOUT: expected 'layout' to be heads or rows, but got 'columns'
// RUN: %{bad}"type=half rows=1 columns=1" 2>&1 | FileCheck %s --check-prefix=NOTYPE
// NOTYPE: expected 'type' to be the name of a number's type, but got 'half'
// RUN: %{bad}"mask=diagonal rows=1 columns=1" 2>&1 | FileCheck %s --check-prefix=NOMASK
// NOMASK: expected 'mask' to be the name of a number's type, but got 'diagonal'

// RUN: %{bad}"type=f32 rows=1 columns=1" 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: expected tensors of f16 or bf16, but got 'f32'
// RUN: %{bad}"depth=48 rows=1 columns=1" 2>&1 | FileCheck %s --check-prefix=DEPTH
// DEPTH: expected heads of 16, 32, 64 or 128 elements, but got 48
// RUN: %{good}"depth=128 rows=1 columns=1"
// RUN: %{bad}"rows=1" 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: expected sizes of at least 1, but got 0
// RUN: %{bad}"batch=-1 rows=1 columns=1" 2>&1 | FileCheck %s --check-prefix=BATCH
// BATCH: expected sizes of at least 1, but got -1
// RUN: %{bad}"batch=2000000000 heads=2 rows=1 columns=1" 2>&1 | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: expected less than 2^31 blocks, but got 4000000000
// RUN: %{bad}"scale=0 rows=1 columns=1" 2>&1 | FileCheck %s --check-prefix=SCALE
// SCALE: expected a scale above 0, but got 0
// RUN: %{bad}"scale=-1 rows=1 columns=1" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: expected a scale above 0, but got -1
// RUN: %{bad}"mask=i32 rows=1 columns=1" 2>&1 | FileCheck %s --check-prefix=MASK
// MASK: expected a mask of f16, bf16 or f32, but got 'i32'
// RUN: %{good}"mask=f32 rows=1 columns=1"
// RUN: %{bad}"heads=1048576 rows=64 columns=1 depth=128" 2>&1 | FileCheck %s --check-prefix=ELEMENTS
// ELEMENTS: expected rows that begin at multiples of 8 elements, inside of their tensors
// RUN: %{good}"heads=1048576 rows=16 columns=1 depth=64"
func.func private @attention_of_others()
// RUN: %{bad}"name=attention_of_others rows=1 columns=1" 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: expected a new name for the kernel, but 'attention_of_others' is in use; set 'name'
