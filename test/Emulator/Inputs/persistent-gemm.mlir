module attributes {gpu.container_module} {
  gpu.module @gemm {
    llvm.mlir.global external @gemm_memory() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
    llvm.func @gemm(%arg0: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<16 x i64>, nvvm.grid_constant}, %arg1: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<16 x i64>, nvvm.grid_constant}, %arg2: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<16 x i64>, nvvm.grid_constant}, %arg3: i32, %arg4: i32, %arg5: i32) attributes {nvvm.cluster_dim = array<i32: 2, 1, 1>, nvvm.kernel, nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 384, 1, 1>} {
      %0 = llvm.mlir.poison : vector<2xf32>
      %1 = llvm.mlir.constant(16 : i32) : i32
      %2 = llvm.mlir.constant(32 : i32) : i32
      %3 = llvm.mlir.constant(6 : i64) : i64
      %4 = llvm.mlir.constant(2 : i64) : i64
      %5 = llvm.mlir.constant(4611686293305360384 : i64) : i64
      %6 = llvm.mlir.constant(16383 : i64) : i64
      %7 = llvm.mlir.constant(4 : i64) : i64
      %8 = llvm.mlir.zero : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %9 = llvm.mlir.constant(8192 : i32) : i32
      %10 = llvm.mlir.constant(3 : i16) : i16
      %11 = llvm.mlir.constant(32768 : i32) : i32
      %12 = llvm.mlir.constant(16384 : i32) : i32
      %13 = llvm.mlir.constant(true) : i1
      %14 = llvm.mlir.constant(10000000 : i32) : i32
      %15 = llvm.mlir.constant(64 : i32) : i32
      %16 = llvm.mlir.constant(63 : i32) : i32
      %17 = llvm.mlir.constant(2 : i32) : i32
      %18 = llvm.mlir.constant(127 : i32) : i32
      %19 = llvm.mlir.constant(256 : i32) : i32
      %20 = llvm.mlir.constant(255 : i32) : i32
      %21 = llvm.mlir.constant(4 : i32) : i32
      %22 = llvm.mlir.constant(48 : i32) : i32
      %23 = llvm.mlir.constant(8 : i32) : i32
      %24 = llvm.mlir.constant(6 : i32) : i32
      %25 = llvm.mlir.constant(0 : i32) : i32
      %26 = llvm.mlir.addressof @gemm_memory : !llvm.ptr<3>
      %27 = llvm.mlir.constant(128 : i32) : i32
      %28 = llvm.mlir.constant(1 : i32) : i32
      %29 = nvvm.read.ptx.sreg.cluster.ctarank : i32
      %30 = nvvm.read.ptx.sreg.tid.x : i32
      %31 = llvm.urem %30, %27 : i32
      %32 = llvm.udiv %30, %27 : i32
      %33 = llvm.getelementptr %26[98304] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %34 = llvm.getelementptr %26[196608] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %35 = llvm.getelementptr %26[229376] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %36 = llvm.icmp "eq" %30, %25 : i32
      llvm.cond_br %36, ^bb1, ^bb5
    ^bb1:  // pred: ^bb0
      llvm.br ^bb2(%25 : i32)
    ^bb2(%37: i32):  // 2 preds: ^bb1, ^bb3
      %38 = llvm.icmp "slt" %37, %24 : i32
      llvm.cond_br %38, ^bb3, ^bb4
    ^bb3:  // pred: ^bb2
      %39 = llvm.mul %37, %23 : i32
      %40 = llvm.getelementptr %35[%39] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.mbarrier.init %40, %28 : !llvm.ptr<3>, i32
      %41 = llvm.add %39, %22 : i32
      %42 = llvm.getelementptr %35[%41] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      nvvm.mbarrier.init %42, %21 : !llvm.ptr<3>, i32
      %43 = llvm.add %37, %28 : i32
      llvm.br ^bb2(%43 : i32)
    ^bb4:  // pred: ^bb2
      nvvm.fence.mbarrier.init
      llvm.br ^bb5
    ^bb5:  // 2 preds: ^bb0, ^bb4
      nvvm.cluster.arrive {aligned}
      nvvm.cluster.wait {aligned}
      %44 = llvm.icmp "eq" %32, %25 : i32
      llvm.cond_br %44, ^bb6, ^bb17
    ^bb6:  // pred: ^bb5
      nvvm.setmaxregister  decrease 40
      %45 = llvm.icmp "eq" %31, %25 : i32
      llvm.cond_br %45, ^bb7, ^bb16
    ^bb7:  // pred: ^bb6
      %46 = llvm.add %arg3, %20 : i32
      %47 = llvm.udiv %46, %19 : i32
      %48 = llvm.add %arg4, %18 : i32
      %49 = llvm.udiv %48, %27 : i32
      %50 = nvvm.read.ptx.sreg.ctaid.x : i32
      %51 = llvm.udiv %50, %17 : i32
      %52 = nvvm.read.ptx.sreg.nctaid.x : i32
      %53 = llvm.udiv %52, %17 : i32
      %54 = llvm.mul %47, %49 : i32
      %55 = llvm.mul %49, %23 : i32
      %56 = llvm.add %arg5, %16 : i32
      %57 = llvm.udiv %56, %15 : i32
      %58 = llvm.mul %29, %27 : i32
      %59 = llvm.mul %29, %15 : i32
      %60 = llvm.mul %29, %9 : i32
      llvm.br ^bb8(%51, %25, %28 : i32, i32, i32)
    ^bb8(%61: i32, %62: i32, %63: i32):  // 2 preds: ^bb7, ^bb14
      %64 = llvm.icmp "slt" %61, %54 : i32
      llvm.cond_br %64, ^bb9, ^bb15
    ^bb9:  // pred: ^bb8
      %65 = llvm.urem %61, %54 : i32
      %66 = llvm.udiv %65, %55 : i32
      %67 = llvm.mul %66, %23 : i32
      %68 = llvm.sub %47, %67 : i32
      %69 = llvm.intr.umin(%68, %23) : (i32, i32) -> i32
      %70 = llvm.urem %65, %55 : i32
      %71 = llvm.urem %70, %69 : i32
      %72 = llvm.add %67, %71 : i32
      %73 = llvm.udiv %70, %69 : i32
      %74 = llvm.mul %72, %19 : i32
      %75 = llvm.add %74, %58 : i32
      %76 = llvm.mul %73, %27 : i32
      %77 = llvm.add %76, %59 : i32
      llvm.br ^bb10(%25, %62, %63 : i32, i32, i32)
    ^bb10(%78: i32, %79: i32, %80: i32):  // 2 preds: ^bb9, ^bb13
      %81 = llvm.icmp "slt" %78, %57 : i32
      llvm.cond_br %81, ^bb11, ^bb14
    ^bb11:  // pred: ^bb10
      %82 = llvm.mul %79, %23 : i32
      %83 = llvm.add %82, %22 : i32
      %84 = llvm.getelementptr %35[%83] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      llvm.br ^bb12
    ^bb12:  // 2 preds: ^bb11, ^bb12
      %85 = nvvm.mbarrier.try_wait %84, %80, %14 {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32, i32 -> i1
      %86 = llvm.xor %85, %13 : i1
      llvm.cond_br %86, ^bb12, ^bb13
    ^bb13:  // pred: ^bb12
      %87 = llvm.getelementptr %35[%82] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %88 = llvm.mul %79, %12 : i32
      %89 = llvm.getelementptr %26[%88] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %90 = llvm.getelementptr %33[%88] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %91 = llvm.mul %78, %15 : i32
      nvvm.mbarrier.arrive.expect_tx %87, %11 : !llvm.ptr<3>, i32
      %92 = llvm.addrspacecast %89 : !llvm.ptr<3> to !llvm.ptr<7>
      nvvm.cp.async.bulk.tensor.shared.cluster.global %92, %arg0, %87, box[%91, %75] : !llvm.ptr<7>, !llvm.ptr
      %93 = llvm.getelementptr %90[%60] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %94 = llvm.addrspacecast %93 : !llvm.ptr<3> to !llvm.ptr<7>
      nvvm.cp.async.bulk.tensor.shared.cluster.global %94, %arg1, %87, box[%91, %77] multicast_mask = %10 : !llvm.ptr<7>, !llvm.ptr
      %95 = llvm.add %79, %28 : i32
      %96 = llvm.icmp "eq" %95, %24 : i32
      %97 = llvm.select %96, %25, %95 : i1, i32
      %98 = llvm.xor %80, %28 : i32
      %99 = llvm.select %96, %98, %80 : i1, i32
      %100 = llvm.add %78, %28 : i32
      llvm.br ^bb10(%100, %97, %99 : i32, i32, i32)
    ^bb14:  // pred: ^bb10
      %101 = llvm.add %61, %53 : i32
      llvm.br ^bb8(%101, %79, %80 : i32, i32, i32)
    ^bb15:  // pred: ^bb8
      llvm.br ^bb16
    ^bb16:  // 4 preds: ^bb6, ^bb15, ^bb45, ^bb46
      llvm.br ^bb47
    ^bb17:  // pred: ^bb5
      nvvm.setmaxregister  increase 232
      %102 = llvm.add %arg3, %20 : i32
      %103 = llvm.udiv %102, %19 : i32
      %104 = llvm.add %arg4, %18 : i32
      %105 = llvm.udiv %104, %27 : i32
      %106 = nvvm.read.ptx.sreg.ctaid.x : i32
      %107 = llvm.udiv %106, %17 : i32
      %108 = nvvm.read.ptx.sreg.nctaid.x : i32
      %109 = llvm.udiv %108, %17 : i32
      %110 = llvm.mul %103, %105 : i32
      %111 = llvm.mul %105, %23 : i32
      %112 = llvm.add %arg5, %16 : i32
      %113 = llvm.udiv %112, %15 : i32
      %114 = llvm.sub %32, %28 : i32
      %115 = llvm.icmp "ult" %31, %17 : i32
      %116 = llvm.mul %114, %9 : i32
      %117 = llvm.icmp "ugt" %113, %25 : i32
      %118 = llvm.and %117, %115 : i1
      %119 = llvm.mul %29, %27 : i32
      %120 = llvm.mul %114, %15 : i32
      %121 = llvm.urem %31, %2 : i32
      %122 = llvm.mul %114, %12 : i32
      %123 = llvm.getelementptr %34[%122] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %124 = llvm.icmp "eq" %31, %25 : i32
      %125 = llvm.icmp "eq" %114, %25 : i32
      %126 = llvm.urem %121, %23 : i32
      %127 = llvm.udiv %121, %23 : i32
      %128 = llvm.udiv %31, %2 : i32
      %129 = llvm.mul %128, %1 : i32
      %130 = llvm.urem %127, %17 : i32
      %131 = llvm.mul %130, %23 : i32
      %132 = llvm.add %129, %131 : i32
      %133 = llvm.add %132, %126 : i32
      %134 = llvm.mul %133, %27 : i32
      %135 = llvm.getelementptr %123[%134] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %136 = llvm.udiv %127, %17 : i32
      %137 = llvm.xor %136, %126 : i32
      %138 = llvm.mul %137, %1 : i32
      %139 = llvm.getelementptr %135[%138] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %140 = llvm.add %136, %17 : i32
      %141 = llvm.xor %140, %126 : i32
      %142 = llvm.mul %141, %1 : i32
      %143 = llvm.getelementptr %135[%142] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %144 = llvm.add %136, %21 : i32
      %145 = llvm.xor %144, %126 : i32
      %146 = llvm.mul %145, %1 : i32
      %147 = llvm.getelementptr %135[%146] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %148 = llvm.add %136, %24 : i32
      %149 = llvm.xor %148, %126 : i32
      %150 = llvm.mul %149, %1 : i32
      %151 = llvm.getelementptr %135[%150] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %152 = llvm.getelementptr %123[8192] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %153 = llvm.getelementptr %152[%134] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %154 = llvm.getelementptr %153[%138] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %155 = llvm.getelementptr %153[%142] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %156 = llvm.getelementptr %153[%146] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %157 = llvm.getelementptr %153[%150] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      llvm.br ^bb18(%107, %25, %25 : i32, i32, i32)
    ^bb18(%158: i32, %159: i32, %160: i32):  // 2 preds: ^bb17, ^bb44
      %161 = llvm.icmp "slt" %158, %110 : i32
      llvm.cond_br %161, ^bb19, ^bb45
    ^bb19:  // pred: ^bb18
      %162 = llvm.urem %158, %110 : i32
      %163 = llvm.udiv %162, %111 : i32
      %164 = llvm.mul %163, %23 : i32
      %165 = llvm.sub %103, %164 : i32
      %166 = llvm.intr.umin(%165, %23) : (i32, i32) -> i32
      %167 = llvm.urem %162, %111 : i32
      %168 = llvm.urem %167, %166 : i32
      %169 = llvm.add %164, %168 : i32
      %170 = llvm.udiv %167, %166 : i32
      llvm.br ^bb20(%25, %159, %160, %8, %25 : i32, i32, i32, !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>, i32)
    ^bb20(%171: i32, %172: i32, %173: i32, %174: !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>, %175: i32):  // 2 preds: ^bb19, ^bb25
      %176 = llvm.icmp "slt" %171, %113 : i32
      llvm.cond_br %176, ^bb21, ^bb26
    ^bb21:  // pred: ^bb20
      %177 = llvm.mul %172, %23 : i32
      %178 = llvm.getelementptr %35[%177] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      llvm.br ^bb22
    ^bb22:  // 2 preds: ^bb21, ^bb22
      %179 = nvvm.mbarrier.try_wait %178, %173, %14 {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32, i32 -> i1
      %180 = llvm.xor %179, %13 : i1
      llvm.cond_br %180, ^bb22, ^bb23
    ^bb23:  // pred: ^bb22
      %181 = llvm.mul %172, %12 : i32
      %182 = llvm.add %181, %116 : i32
      %183 = llvm.getelementptr %26[%182] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %184 = llvm.getelementptr %33[%181] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %185 = llvm.ptrtoint %183 : !llvm.ptr<3> to i64
      %186 = llvm.lshr %185, %7 : i64
      %187 = llvm.and %186, %6 : i64
      %188 = llvm.or %187, %5 : i64
      %189 = llvm.ptrtoint %184 : !llvm.ptr<3> to i64
      %190 = llvm.lshr %189, %7 : i64
      %191 = llvm.and %190, %6 : i64
      %192 = llvm.or %191, %5 : i64
      nvvm.wgmma.fence.aligned
      %193 = nvvm.wgmma.mma_async %188, %192, %174, <m = 64, n = 128, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %194 = llvm.add %188, %4 : i64
      %195 = llvm.add %192, %4 : i64
      %196 = nvvm.wgmma.mma_async %194, %195, %193, <m = 64, n = 128, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %197 = llvm.add %188, %7 : i64
      %198 = llvm.add %192, %7 : i64
      %199 = nvvm.wgmma.mma_async %197, %198, %196, <m = 64, n = 128, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %200 = llvm.add %188, %3 : i64
      %201 = llvm.add %192, %3 : i64
      %202 = nvvm.wgmma.mma_async %200, %201, %199, <m = 64, n = 128, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      nvvm.wgmma.commit.group.sync.aligned
      nvvm.wgmma.wait.group.sync.aligned 1
      %203 = llvm.icmp "ugt" %171, %25 : i32
      %204 = llvm.and %203, %115 : i1
      llvm.cond_br %204, ^bb24, ^bb25
    ^bb24:  // pred: ^bb23
      %205 = llvm.mul %175, %23 : i32
      %206 = llvm.add %205, %22 : i32
      %207 = llvm.getelementptr %35[%206] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %208 = nvvm.mapa %207, %31 : !llvm.ptr<3> -> !llvm.ptr<7>
      nvvm.mbarrier.arrive %208 {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
      llvm.br ^bb25
    ^bb25:  // 2 preds: ^bb23, ^bb24
      %209 = llvm.add %172, %28 : i32
      %210 = llvm.icmp "eq" %209, %24 : i32
      %211 = llvm.select %210, %25, %209 : i1, i32
      %212 = llvm.xor %173, %28 : i32
      %213 = llvm.select %210, %212, %173 : i1, i32
      %214 = llvm.add %171, %28 : i32
      llvm.br ^bb20(%214, %211, %213, %202, %172 : i32, i32, i32, !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>, i32)
    ^bb26:  // pred: ^bb20
      nvvm.wgmma.wait.group.sync.aligned 0
      llvm.cond_br %118, ^bb27, ^bb28
    ^bb27:  // pred: ^bb26
      %215 = llvm.mul %175, %23 : i32
      %216 = llvm.add %215, %22 : i32
      %217 = llvm.getelementptr %35[%216] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %218 = nvvm.mapa %217, %31 : !llvm.ptr<3> -> !llvm.ptr<7>
      nvvm.mbarrier.arrive %218 {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
      llvm.br ^bb28
    ^bb28:  // 2 preds: ^bb26, ^bb27
      %219 = llvm.mul %169, %19 : i32
      %220 = llvm.add %219, %119 : i32
      %221 = llvm.add %220, %120 : i32
      %222 = llvm.mul %170, %27 : i32
      llvm.cond_br %124, ^bb29, ^bb30
    ^bb29:  // pred: ^bb28
      nvvm.cp.async.bulk.wait_group 1 {read}
      llvm.br ^bb30
    ^bb30:  // 2 preds: ^bb28, ^bb29
      llvm.cond_br %125, ^bb31(%28 : i32), ^bb31(%17 : i32)
    ^bb31(%223: i32):  // 2 preds: ^bb30, ^bb30
      nvvm.barrier id = %223 number_of_threads = %27
      llvm.br ^bb32
    ^bb32:  // pred: ^bb31
      %224 = llvm.extractvalue %174[0] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %225 = llvm.extractvalue %174[1] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %226 = llvm.insertelement %224, %0[%25 : i32] : vector<2xf32>
      %227 = llvm.insertelement %225, %226[%28 : i32] : vector<2xf32>
      %228 = llvm.fptrunc %227 : vector<2xf32> to vector<2xbf16>
      %229 = llvm.bitcast %228 : vector<2xbf16> to i32
      %230 = llvm.extractvalue %174[2] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %231 = llvm.extractvalue %174[3] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %232 = llvm.insertelement %230, %0[%25 : i32] : vector<2xf32>
      %233 = llvm.insertelement %231, %232[%28 : i32] : vector<2xf32>
      %234 = llvm.fptrunc %233 : vector<2xf32> to vector<2xbf16>
      %235 = llvm.bitcast %234 : vector<2xbf16> to i32
      %236 = llvm.extractvalue %174[4] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %237 = llvm.extractvalue %174[5] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %238 = llvm.insertelement %236, %0[%25 : i32] : vector<2xf32>
      %239 = llvm.insertelement %237, %238[%28 : i32] : vector<2xf32>
      %240 = llvm.fptrunc %239 : vector<2xf32> to vector<2xbf16>
      %241 = llvm.bitcast %240 : vector<2xbf16> to i32
      %242 = llvm.extractvalue %174[6] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %243 = llvm.extractvalue %174[7] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %244 = llvm.insertelement %242, %0[%25 : i32] : vector<2xf32>
      %245 = llvm.insertelement %243, %244[%28 : i32] : vector<2xf32>
      %246 = llvm.fptrunc %245 : vector<2xf32> to vector<2xbf16>
      %247 = llvm.bitcast %246 : vector<2xbf16> to i32
      nvvm.stmatrix %139, %229, %235, %241, %247 {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32, i32, i32, i32
      %248 = llvm.extractvalue %174[8] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %249 = llvm.extractvalue %174[9] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %250 = llvm.insertelement %248, %0[%25 : i32] : vector<2xf32>
      %251 = llvm.insertelement %249, %250[%28 : i32] : vector<2xf32>
      %252 = llvm.fptrunc %251 : vector<2xf32> to vector<2xbf16>
      %253 = llvm.bitcast %252 : vector<2xbf16> to i32
      %254 = llvm.extractvalue %174[10] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %255 = llvm.extractvalue %174[11] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %256 = llvm.insertelement %254, %0[%25 : i32] : vector<2xf32>
      %257 = llvm.insertelement %255, %256[%28 : i32] : vector<2xf32>
      %258 = llvm.fptrunc %257 : vector<2xf32> to vector<2xbf16>
      %259 = llvm.bitcast %258 : vector<2xbf16> to i32
      %260 = llvm.extractvalue %174[12] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %261 = llvm.extractvalue %174[13] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %262 = llvm.insertelement %260, %0[%25 : i32] : vector<2xf32>
      %263 = llvm.insertelement %261, %262[%28 : i32] : vector<2xf32>
      %264 = llvm.fptrunc %263 : vector<2xf32> to vector<2xbf16>
      %265 = llvm.bitcast %264 : vector<2xbf16> to i32
      %266 = llvm.extractvalue %174[14] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %267 = llvm.extractvalue %174[15] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %268 = llvm.insertelement %266, %0[%25 : i32] : vector<2xf32>
      %269 = llvm.insertelement %267, %268[%28 : i32] : vector<2xf32>
      %270 = llvm.fptrunc %269 : vector<2xf32> to vector<2xbf16>
      %271 = llvm.bitcast %270 : vector<2xbf16> to i32
      nvvm.stmatrix %143, %253, %259, %265, %271 {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32, i32, i32, i32
      %272 = llvm.extractvalue %174[16] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %273 = llvm.extractvalue %174[17] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %274 = llvm.insertelement %272, %0[%25 : i32] : vector<2xf32>
      %275 = llvm.insertelement %273, %274[%28 : i32] : vector<2xf32>
      %276 = llvm.fptrunc %275 : vector<2xf32> to vector<2xbf16>
      %277 = llvm.bitcast %276 : vector<2xbf16> to i32
      %278 = llvm.extractvalue %174[18] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %279 = llvm.extractvalue %174[19] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %280 = llvm.insertelement %278, %0[%25 : i32] : vector<2xf32>
      %281 = llvm.insertelement %279, %280[%28 : i32] : vector<2xf32>
      %282 = llvm.fptrunc %281 : vector<2xf32> to vector<2xbf16>
      %283 = llvm.bitcast %282 : vector<2xbf16> to i32
      %284 = llvm.extractvalue %174[20] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %285 = llvm.extractvalue %174[21] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %286 = llvm.insertelement %284, %0[%25 : i32] : vector<2xf32>
      %287 = llvm.insertelement %285, %286[%28 : i32] : vector<2xf32>
      %288 = llvm.fptrunc %287 : vector<2xf32> to vector<2xbf16>
      %289 = llvm.bitcast %288 : vector<2xbf16> to i32
      %290 = llvm.extractvalue %174[22] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %291 = llvm.extractvalue %174[23] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %292 = llvm.insertelement %290, %0[%25 : i32] : vector<2xf32>
      %293 = llvm.insertelement %291, %292[%28 : i32] : vector<2xf32>
      %294 = llvm.fptrunc %293 : vector<2xf32> to vector<2xbf16>
      %295 = llvm.bitcast %294 : vector<2xbf16> to i32
      nvvm.stmatrix %147, %277, %283, %289, %295 {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32, i32, i32, i32
      %296 = llvm.extractvalue %174[24] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %297 = llvm.extractvalue %174[25] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %298 = llvm.insertelement %296, %0[%25 : i32] : vector<2xf32>
      %299 = llvm.insertelement %297, %298[%28 : i32] : vector<2xf32>
      %300 = llvm.fptrunc %299 : vector<2xf32> to vector<2xbf16>
      %301 = llvm.bitcast %300 : vector<2xbf16> to i32
      %302 = llvm.extractvalue %174[26] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %303 = llvm.extractvalue %174[27] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %304 = llvm.insertelement %302, %0[%25 : i32] : vector<2xf32>
      %305 = llvm.insertelement %303, %304[%28 : i32] : vector<2xf32>
      %306 = llvm.fptrunc %305 : vector<2xf32> to vector<2xbf16>
      %307 = llvm.bitcast %306 : vector<2xbf16> to i32
      %308 = llvm.extractvalue %174[28] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %309 = llvm.extractvalue %174[29] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %310 = llvm.insertelement %308, %0[%25 : i32] : vector<2xf32>
      %311 = llvm.insertelement %309, %310[%28 : i32] : vector<2xf32>
      %312 = llvm.fptrunc %311 : vector<2xf32> to vector<2xbf16>
      %313 = llvm.bitcast %312 : vector<2xbf16> to i32
      %314 = llvm.extractvalue %174[30] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %315 = llvm.extractvalue %174[31] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %316 = llvm.insertelement %314, %0[%25 : i32] : vector<2xf32>
      %317 = llvm.insertelement %315, %316[%28 : i32] : vector<2xf32>
      %318 = llvm.fptrunc %317 : vector<2xf32> to vector<2xbf16>
      %319 = llvm.bitcast %318 : vector<2xbf16> to i32
      nvvm.stmatrix %151, %301, %307, %313, %319 {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32, i32, i32, i32
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      llvm.cond_br %125, ^bb33(%28 : i32), ^bb33(%17 : i32)
    ^bb33(%320: i32):  // 2 preds: ^bb32, ^bb32
      nvvm.barrier id = %320 number_of_threads = %27
      llvm.br ^bb34
    ^bb34:  // pred: ^bb33
      llvm.cond_br %124, ^bb35, ^bb36
    ^bb35:  // pred: ^bb34
      nvvm.cp.async.bulk.tensor.global.shared.cta %arg2, %123, box[%222, %221] : !llvm.ptr, <3>
      nvvm.cp.async.bulk.commit.group
      llvm.br ^bb36
    ^bb36:  // 2 preds: ^bb34, ^bb35
      llvm.cond_br %124, ^bb37, ^bb38
    ^bb37:  // pred: ^bb36
      nvvm.cp.async.bulk.wait_group 1 {read}
      llvm.br ^bb38
    ^bb38:  // 2 preds: ^bb36, ^bb37
      llvm.cond_br %125, ^bb39(%28 : i32), ^bb39(%17 : i32)
    ^bb39(%321: i32):  // 2 preds: ^bb38, ^bb38
      nvvm.barrier id = %321 number_of_threads = %27
      llvm.br ^bb40
    ^bb40:  // pred: ^bb39
      %322 = llvm.extractvalue %174[32] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %323 = llvm.extractvalue %174[33] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %324 = llvm.insertelement %322, %0[%25 : i32] : vector<2xf32>
      %325 = llvm.insertelement %323, %324[%28 : i32] : vector<2xf32>
      %326 = llvm.fptrunc %325 : vector<2xf32> to vector<2xbf16>
      %327 = llvm.bitcast %326 : vector<2xbf16> to i32
      %328 = llvm.extractvalue %174[34] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %329 = llvm.extractvalue %174[35] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %330 = llvm.insertelement %328, %0[%25 : i32] : vector<2xf32>
      %331 = llvm.insertelement %329, %330[%28 : i32] : vector<2xf32>
      %332 = llvm.fptrunc %331 : vector<2xf32> to vector<2xbf16>
      %333 = llvm.bitcast %332 : vector<2xbf16> to i32
      %334 = llvm.extractvalue %174[36] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %335 = llvm.extractvalue %174[37] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %336 = llvm.insertelement %334, %0[%25 : i32] : vector<2xf32>
      %337 = llvm.insertelement %335, %336[%28 : i32] : vector<2xf32>
      %338 = llvm.fptrunc %337 : vector<2xf32> to vector<2xbf16>
      %339 = llvm.bitcast %338 : vector<2xbf16> to i32
      %340 = llvm.extractvalue %174[38] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %341 = llvm.extractvalue %174[39] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %342 = llvm.insertelement %340, %0[%25 : i32] : vector<2xf32>
      %343 = llvm.insertelement %341, %342[%28 : i32] : vector<2xf32>
      %344 = llvm.fptrunc %343 : vector<2xf32> to vector<2xbf16>
      %345 = llvm.bitcast %344 : vector<2xbf16> to i32
      nvvm.stmatrix %154, %327, %333, %339, %345 {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32, i32, i32, i32
      %346 = llvm.extractvalue %174[40] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %347 = llvm.extractvalue %174[41] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %348 = llvm.insertelement %346, %0[%25 : i32] : vector<2xf32>
      %349 = llvm.insertelement %347, %348[%28 : i32] : vector<2xf32>
      %350 = llvm.fptrunc %349 : vector<2xf32> to vector<2xbf16>
      %351 = llvm.bitcast %350 : vector<2xbf16> to i32
      %352 = llvm.extractvalue %174[42] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %353 = llvm.extractvalue %174[43] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %354 = llvm.insertelement %352, %0[%25 : i32] : vector<2xf32>
      %355 = llvm.insertelement %353, %354[%28 : i32] : vector<2xf32>
      %356 = llvm.fptrunc %355 : vector<2xf32> to vector<2xbf16>
      %357 = llvm.bitcast %356 : vector<2xbf16> to i32
      %358 = llvm.extractvalue %174[44] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %359 = llvm.extractvalue %174[45] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %360 = llvm.insertelement %358, %0[%25 : i32] : vector<2xf32>
      %361 = llvm.insertelement %359, %360[%28 : i32] : vector<2xf32>
      %362 = llvm.fptrunc %361 : vector<2xf32> to vector<2xbf16>
      %363 = llvm.bitcast %362 : vector<2xbf16> to i32
      %364 = llvm.extractvalue %174[46] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %365 = llvm.extractvalue %174[47] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %366 = llvm.insertelement %364, %0[%25 : i32] : vector<2xf32>
      %367 = llvm.insertelement %365, %366[%28 : i32] : vector<2xf32>
      %368 = llvm.fptrunc %367 : vector<2xf32> to vector<2xbf16>
      %369 = llvm.bitcast %368 : vector<2xbf16> to i32
      nvvm.stmatrix %155, %351, %357, %363, %369 {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32, i32, i32, i32
      %370 = llvm.extractvalue %174[48] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %371 = llvm.extractvalue %174[49] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %372 = llvm.insertelement %370, %0[%25 : i32] : vector<2xf32>
      %373 = llvm.insertelement %371, %372[%28 : i32] : vector<2xf32>
      %374 = llvm.fptrunc %373 : vector<2xf32> to vector<2xbf16>
      %375 = llvm.bitcast %374 : vector<2xbf16> to i32
      %376 = llvm.extractvalue %174[50] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %377 = llvm.extractvalue %174[51] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %378 = llvm.insertelement %376, %0[%25 : i32] : vector<2xf32>
      %379 = llvm.insertelement %377, %378[%28 : i32] : vector<2xf32>
      %380 = llvm.fptrunc %379 : vector<2xf32> to vector<2xbf16>
      %381 = llvm.bitcast %380 : vector<2xbf16> to i32
      %382 = llvm.extractvalue %174[52] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %383 = llvm.extractvalue %174[53] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %384 = llvm.insertelement %382, %0[%25 : i32] : vector<2xf32>
      %385 = llvm.insertelement %383, %384[%28 : i32] : vector<2xf32>
      %386 = llvm.fptrunc %385 : vector<2xf32> to vector<2xbf16>
      %387 = llvm.bitcast %386 : vector<2xbf16> to i32
      %388 = llvm.extractvalue %174[54] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %389 = llvm.extractvalue %174[55] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %390 = llvm.insertelement %388, %0[%25 : i32] : vector<2xf32>
      %391 = llvm.insertelement %389, %390[%28 : i32] : vector<2xf32>
      %392 = llvm.fptrunc %391 : vector<2xf32> to vector<2xbf16>
      %393 = llvm.bitcast %392 : vector<2xbf16> to i32
      nvvm.stmatrix %156, %375, %381, %387, %393 {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32, i32, i32, i32
      %394 = llvm.extractvalue %174[56] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %395 = llvm.extractvalue %174[57] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %396 = llvm.insertelement %394, %0[%25 : i32] : vector<2xf32>
      %397 = llvm.insertelement %395, %396[%28 : i32] : vector<2xf32>
      %398 = llvm.fptrunc %397 : vector<2xf32> to vector<2xbf16>
      %399 = llvm.bitcast %398 : vector<2xbf16> to i32
      %400 = llvm.extractvalue %174[58] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %401 = llvm.extractvalue %174[59] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %402 = llvm.insertelement %400, %0[%25 : i32] : vector<2xf32>
      %403 = llvm.insertelement %401, %402[%28 : i32] : vector<2xf32>
      %404 = llvm.fptrunc %403 : vector<2xf32> to vector<2xbf16>
      %405 = llvm.bitcast %404 : vector<2xbf16> to i32
      %406 = llvm.extractvalue %174[60] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %407 = llvm.extractvalue %174[61] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %408 = llvm.insertelement %406, %0[%25 : i32] : vector<2xf32>
      %409 = llvm.insertelement %407, %408[%28 : i32] : vector<2xf32>
      %410 = llvm.fptrunc %409 : vector<2xf32> to vector<2xbf16>
      %411 = llvm.bitcast %410 : vector<2xbf16> to i32
      %412 = llvm.extractvalue %174[62] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %413 = llvm.extractvalue %174[63] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> 
      %414 = llvm.insertelement %412, %0[%25 : i32] : vector<2xf32>
      %415 = llvm.insertelement %413, %414[%28 : i32] : vector<2xf32>
      %416 = llvm.fptrunc %415 : vector<2xf32> to vector<2xbf16>
      %417 = llvm.bitcast %416 : vector<2xbf16> to i32
      nvvm.stmatrix %157, %399, %405, %411, %417 {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32, i32, i32, i32
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      llvm.cond_br %125, ^bb41(%28 : i32), ^bb41(%17 : i32)
    ^bb41(%418: i32):  // 2 preds: ^bb40, ^bb40
      nvvm.barrier id = %418 number_of_threads = %27
      llvm.br ^bb42
    ^bb42:  // pred: ^bb41
      llvm.cond_br %124, ^bb43, ^bb44
    ^bb43:  // pred: ^bb42
      %419 = llvm.add %222, %15 : i32
      nvvm.cp.async.bulk.tensor.global.shared.cta %arg2, %152, box[%419, %221] : !llvm.ptr, <3>
      nvvm.cp.async.bulk.commit.group
      llvm.br ^bb44
    ^bb44:  // 2 preds: ^bb42, ^bb43
      %420 = llvm.add %158, %109 : i32
      llvm.br ^bb18(%420, %172, %173 : i32, i32, i32)
    ^bb45:  // pred: ^bb18
      llvm.cond_br %124, ^bb46, ^bb16
    ^bb46:  // pred: ^bb45
      nvvm.cp.async.bulk.wait_group 0
      llvm.br ^bb16
    ^bb47:  // pred: ^bb16
      nvvm.cluster.arrive
      nvvm.cluster.wait
      llvm.return
    }
  }
}

