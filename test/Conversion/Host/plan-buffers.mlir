// RUN: amp-opt %s --amp-plan-buffers --split-input-file --allow-unregistered-dialect | FileCheck %s

func.func private @use(memref<16xf32>)
func.func private @use_two(memref<16xf32>, memref<16xf32>)

// Lives that do not meet share their bytes.
// CHECK-LABEL: func.func @one_after_the_other
// CHECK:         %[[ARENA:.*]] = memref.alloc() {alignment = 64 : i64} : memref<64xi8>
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : index
// CHECK:         memref.view %[[ARENA]][%[[ZERO]]][] : memref<64xi8> to memref<16xf32>
// CHECK:         %[[AGAIN:.*]] = arith.constant 0 : index
// CHECK:         memref.view %[[ARENA]][%[[AGAIN]]][] : memref<64xi8> to memref<16xf32>
func.func @one_after_the_other() {
  %a = memref.alloc() : memref<16xf32>
  call @use(%a) : (memref<16xf32>) -> ()
  %b = memref.alloc() : memref<16xf32>
  call @use(%b) : (memref<16xf32>) -> ()
  return
}

// -----

func.func private @use_two(memref<16xf32>, memref<16xf32>)
func.func private @use(memref<4x4xf32>)

// The last use of one is the first of the other: one operation reads and writes.
// CHECK-LABEL: func.func @meeting
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<128xi8>
func.func @meeting() {
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  call @use_two(%a, %b) : (memref<16xf32>, memref<16xf32>) -> ()
  return
}

// A view keeps its buffer alive.
// CHECK-LABEL: func.func @view
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<192xi8>
func.func @view() {
  %a = memref.alloc() : memref<16xf32>
  %v = memref.expand_shape %a [[0, 1]] output_shape [4, 4]
    : memref<16xf32> into memref<4x4xf32>
  %b = memref.alloc() : memref<16xf32>
  %c = memref.alloc() : memref<16xf32>
  call @use_two(%b, %c) : (memref<16xf32>, memref<16xf32>) -> ()
  call @use(%v) : (memref<4x4xf32>) -> ()
  return
}

// -----

func.func private @use(memref<16xf32>)

// What is used in a loop lives until its end, although the text of `%b` comes later.
// CHECK-LABEL: func.func @loop
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<128xi8>
func.func @loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<16xf32>
  scf.for %i = %c0 to %n step %c1 {
    func.call @use(%a) : (memref<16xf32>) -> ()
    %b = memref.alloc() : memref<16xf32>
    func.call @use(%b) : (memref<16xf32>) -> ()
  }
  return
}

// -----

func.func private @use(memref<16xf32>)

// Carried to the next iteration: two of them are alive at a time.
// CHECK-LABEL: func.func @carried
// CHECK:         scf.for
// CHECK:           memref.alloc() : memref<16xf32>
func.func @carried(%n: index, %first: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%x = %first) -> (memref<16xf32>) {
    func.call @use(%x) : (memref<16xf32>) -> ()
    %a = memref.alloc() : memref<16xf32>
    scf.yield %a : memref<16xf32>
  }
  call @use(%last) : (memref<16xf32>) -> ()
  return
}

// Results, and buffers of unknown size, stay.
// CHECK-LABEL: func.func @left_alone
// CHECK-NOT:     memref.view
// CHECK:         return
func.func @left_alone(%n: index) -> memref<16xf32> {
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  return %a : memref<16xf32>
}

// -----

// What 63 bits do not count stays for amp-measure-workspace to refuse, beside
// buffers that are placed.
// CHECK-LABEL: func.func @uncountable
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<64xi8>
// CHECK:         memref.alloc() : memref<4611686018427387904x4611686018427387904xf32>
// CHECK:         memref.alloc() : memref<9223372036854775807xi8>
func.func @uncountable() {
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<4611686018427387904x4611686018427387904xf32>
  %c = memref.alloc() : memref<9223372036854775807xi8>
  memref.copy %a, %a : memref<16xf32> to memref<16xf32>
  return
}

// -----

// Each can be counted, their sum cannot: nothing is placed.
// CHECK-LABEL: func.func @uncountable_together
// CHECK-NEXT:    memref.alloc() : memref<4611686018427387904xi8>
// CHECK-NEXT:    memref.alloc() : memref<4611686018427387904xi8>
// CHECK-NEXT:    return
func.func @uncountable_together() {
  %a = memref.alloc() : memref<4611686018427387904xi8>
  %b = memref.alloc() : memref<4611686018427387904xi8>
  return
}

// -----

// Near miss: 64 bytes less.
// CHECK-LABEL: func.func @largest
// CHECK-NEXT:    memref.alloc() {alignment = 64 : i64} : memref<{{.*}}xi8>
func.func @largest() {
  %a = memref.alloc() : memref<4611686018427387904xi8>
  %b = memref.alloc() : memref<4611686018427387840xi8>
  return
}

// -----

func.func private @use(memref<48xf32>)
func.func private @use_four(memref<64xf32>, memref<32xf32>, memref<32xf32>, memref<32xf32>)

// %q goes where %p was; between it and %r 64 bytes are left, which do not hold %w.
// CHECK-LABEL: func.func @gap_too_small
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<704xi8>
func.func @gap_too_small() {
  %x = memref.alloc() : memref<64xf32>
  %p = memref.alloc() : memref<48xf32>
  %r = memref.alloc() : memref<32xf32>
  call @use(%p) : (memref<48xf32>) -> ()
  %q = memref.alloc() : memref<32xf32>
  %w = memref.alloc() : memref<32xf32>
  call @use_four(%x, %r, %q, %w) : (memref<64xf32>, memref<32xf32>, memref<32xf32>, memref<32xf32>) -> ()
  return
}

// -----

func.func private @use(memref<16xf32>)
func.func private @use_other(memref<16xf32, 1>)

// So do buffers that the program frees itself and those in another memory.
// CHECK-LABEL: func.func @freed
// CHECK-NOT:     memref.view
// CHECK:         return
func.func @freed() {
  %a = memref.alloc() : memref<16xf32>
  call @use(%a) : (memref<16xf32>) -> ()
  memref.dealloc %a : memref<16xf32>
  return
}

// CHECK-LABEL: func.func @other_memory
// CHECK-NOT:     memref.view
// CHECK:         return
func.func @other_memory() {
  %a = memref.alloc() : memref<16xf32, 1>
  call @use_other(%a) : (memref<16xf32, 1>) -> ()
  return
}

// Where blocks branch, the text is not the order of the program.
// CHECK-LABEL: func.func @branches
// CHECK-NOT:     memref.view
// CHECK:         return
func.func @branches(%c: i1) {
  %a = memref.alloc() : memref<16xf32>
  cf.br ^body
^body:
  call @use(%a) : (memref<16xf32>) -> ()
  cf.cond_br %c, ^body, ^end
^end:
  return
}

// -----

func.func private @use(memref<16xf32>)
func.func private @use_two(memref<16xf32>, memref<16xf32>)

// A choice between two buffers keeps both.
// CHECK-LABEL: func.func @choice
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<192xi8>
func.func @choice(%c: i1) {
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  %chosen = arith.select %c, %a, %b : memref<16xf32>
  %other = memref.alloc() : memref<16xf32>
  call @use(%other) : (memref<16xf32>) -> ()
  call @use(%chosen) : (memref<16xf32>) -> ()
  return
}

// -----

func.func private @use(memref<16xf32>)
func.func private @pick(memref<16xf32>) -> memref<16xf32>

// What a callee returns may be what it was given.
// CHECK-LABEL: func.func @handed_back
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<128xi8>
func.func @handed_back() {
  %a = memref.alloc() : memref<16xf32>
  %r = call @pick(%a) : (memref<16xf32>) -> memref<16xf32>
  %other = memref.alloc() : memref<16xf32>
  call @use(%other) : (memref<16xf32>) -> ()
  call @use(%r) : (memref<16xf32>) -> ()
  return
}

// -----

func.func private @use(memref<16xf32>)

// Of an operation that says nothing of its results one may be a view: the buffer stays.
// CHECK-LABEL: func.func @foreign
// CHECK-DAG:     memref.alloc() : memref<16xf32>
// CHECK-DAG:     memref.alloc() {alignment = 64 : i64} : memref<64xi8>
func.func @foreign() {
  %a = memref.alloc() : memref<16xf32>
  %r = "foreign.view"(%a) : (memref<16xf32>) -> memref<16xf32>
  %other = memref.alloc() : memref<16xf32>
  call @use(%other) : (memref<16xf32>) -> ()
  call @use(%r) : (memref<16xf32>) -> ()
  return
}

// -----

// A buffer whose address was taken lives as long as whoever has the address: the third finds no
// place where the first one lies.
func.func private @fill(memref<16xf32>)
func.func private @take(!llvm.ptr)
// CHECK-LABEL: func.func @pointer
// CHECK:       memref.alloc() {{.*}}: memref<128xi8>
// CHECK-DAG:   memref.view {{.*}}[%c0][]
// CHECK-DAG:   memref.view {{.*}}[%c64][]
func.func @pointer() {
  %a = memref.alloc() : memref<16xf32>
  call @fill(%a) : (memref<16xf32>) -> ()
  %i = memref.extract_aligned_pointer_as_index %a : memref<16xf32> -> index
  %n = arith.index_cast %i : index to i64
  %p = llvm.inttoptr %n : i64 to !llvm.ptr
  %b = memref.alloc() : memref<16xf32>
  call @fill(%b) : (memref<16xf32>) -> ()
  call @take(%p) : (!llvm.ptr) -> ()
  return
}

// Near miss: the address was used before.
// CHECK-LABEL: func.func @pointer_before
// CHECK:       memref.alloc() {{.*}}: memref<64xi8>
func.func @pointer_before() {
  %a = memref.alloc() : memref<16xf32>
  call @fill(%a) : (memref<16xf32>) -> ()
  %i = memref.extract_aligned_pointer_as_index %a : memref<16xf32> -> index
  %n = arith.index_cast %i : index to i64
  %p = llvm.inttoptr %n : i64 to !llvm.ptr
  call @take(%p) : (!llvm.ptr) -> ()
  %b = memref.alloc() : memref<16xf32>
  call @fill(%b) : (memref<16xf32>) -> ()
  return
}

// What stands in a loop that threads share, each of them needs for itself.
// CHECK-LABEL: func.func @threads
// CHECK-NOT:   memref.alloc
// CHECK:       scf.parallel
// CHECK:         memref.alloc() : memref<16xf32>
func.func @threads() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    %a = memref.alloc() : memref<16xf32>
    func.call @fill(%a) : (memref<16xf32>) -> ()
  }
  return
}

// Near miss: iterations that follow each other.
// CHECK-LABEL: func.func @one_after_the_other
// CHECK:       memref.alloc() {{.*}}: memref<64xi8>
// CHECK:       scf.for
// CHECK-NOT:     memref.alloc
// CHECK:       return
func.func @one_after_the_other() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %a = memref.alloc() : memref<16xf32>
    func.call @fill(%a) : (memref<16xf32>) -> ()
  }
  return
}
