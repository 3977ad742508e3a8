//===-- VendorAbiTest.cpp - Our declarations against the libraries' headers
//---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the packages' headers are found (CMake: AMP_CUBLAS_INCLUDE,
// AMP_CUDNN_INCLUDE).
//
//===----------------------------------------------------------------------===//

#include "CublasLtAbi.h"
#include "CudnnAbi.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace {

/// Whether an argument of our type passes as one of theirs.
template <typename Ours, typename Theirs> constexpr bool isSameArgument() {
  if constexpr (std::is_pointer_v<Theirs> || std::is_array_v<Theirs>)
    return std::is_pointer_v<Ours>;
  else
    return std::is_integral_v<Ours> && sizeof(Ours) == sizeof(Theirs);
}

template <typename Ours, typename Theirs> struct IsSameFunction {
  static constexpr bool value = false;
};
template <typename... Ours, typename Result, typename... Theirs>
struct IsSameFunction<int(Ours...), Result(Theirs...)> {
  static constexpr bool value = [] {
    if constexpr (sizeof...(Ours) == sizeof...(Theirs))
      return (isSameArgument<Ours, Theirs>() && ...) && sizeof(Result) == 4;
    else
      return false;
  }();
};

} // namespace

#define SAME(ours, theirs)                                                     \
  static_assert(static_cast<int>(ours) == static_cast<int>(theirs),            \
                #ours " is not " #theirs)

#if defined(AMP_HAVE_CUBLASLT)

#include <cublasLt.h>

namespace amp::bench::cublaslt {
#define CHECK_FUNCTION(name, parameters)                                       \
  static_assert(                                                               \
      IsSameFunction<Status parameters, decltype(::cublasLt##name)>::value,    \
      "cublasLt" #name " has other parameters");
AMP_CUBLASLT_FUNCTIONS(CHECK_FUNCTION)
#undef CHECK_FUNCTION
SAME(kRealF32, CUDA_R_32F);
SAME(kRealF16, CUDA_R_16F);
SAME(kRealBF16, CUDA_R_16BF);
SAME(kRealE4M3, CUDA_R_8F_E4M3);
SAME(kRealE5M2, CUDA_R_8F_E5M2);
SAME(kCompute32F, CUBLAS_COMPUTE_32F);
SAME(kComputeTF32, CUBLAS_COMPUTE_32F_FAST_TF32);
SAME(kTransposeA, CUBLASLT_MATMUL_DESC_TRANSA);
SAME(kTransposeB, CUBLASLT_MATMUL_DESC_TRANSB);
SAME(kFastAccumulation, CUBLASLT_MATMUL_DESC_FAST_ACCUM);
SAME(kBatchCount, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
SAME(kStridedBatchOffset, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
SAME(kMaxWorkspaceBytes, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
SAME(kOperationN, CUBLAS_OP_N);
SAME(kOperationT, CUBLAS_OP_T);
SAME(sizeof(Algorithm), sizeof(cublasLtMatmulAlgo_t));
SAME(sizeof(HeuristicResult), sizeof(cublasLtMatmulHeuristicResult_t));
SAME(offsetof(HeuristicResult, state),
     offsetof(cublasLtMatmulHeuristicResult_t, state));
SAME(offsetof(HeuristicResult, workspaceBytes),
     offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
} // namespace amp::bench::cublaslt

TEST(VendorAbi, CublasLt) { EXPECT_GE(CUBLAS_VER_MAJOR, 12); }

#else

TEST(VendorAbi, CublasLt) { GTEST_SKIP() << "no cublasLt.h here"; }

#endif

#if defined(AMP_HAVE_CUDNN)

#include <cudnn.h>

namespace amp::bench::cudnn {
#define CHECK_FUNCTION(name, parameters)                                       \
  static_assert(                                                               \
      IsSameFunction<Status parameters, decltype(::cudnn##name)>::value,       \
      "cudnn" #name " has other parameters");
AMP_CUDNN_FUNCTIONS(CHECK_FUNCTION)
#undef CHECK_FUNCTION
SAME(kFloat, CUDNN_DATA_FLOAT);
SAME(kHalf, CUDNN_DATA_HALF);
SAME(kBFloat16, CUDNN_DATA_BFLOAT16);
SAME(kNchw, CUDNN_TENSOR_NCHW);
SAME(kNhwc, CUDNN_TENSOR_NHWC);
SAME(kCrossCorrelation, CUDNN_CROSS_CORRELATION);
SAME(kTensorOpMath, CUDNN_TENSOR_OP_MATH);
SAME(kFmaMath, CUDNN_FMA_MATH);
SAME(sizeof(Performance), sizeof(cudnnConvolutionFwdAlgoPerf_t));
SAME(sizeof(Performance), sizeof(cudnnConvolutionBwdDataAlgoPerf_t));
SAME(sizeof(Performance), sizeof(cudnnConvolutionBwdFilterAlgoPerf_t));
SAME(offsetof(Performance, memory),
     offsetof(cudnnConvolutionFwdAlgoPerf_t, memory));
SAME(offsetof(Performance, mathType),
     offsetof(cudnnConvolutionFwdAlgoPerf_t, mathType));
} // namespace amp::bench::cudnn

TEST(VendorAbi, Cudnn) { EXPECT_GE(CUDNN_MAJOR, 9); }

#else

TEST(VendorAbi, Cudnn) { GTEST_SKIP() << "no cudnn.h here"; }

#endif
