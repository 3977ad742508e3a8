//===-- OneDnnAbiTest.cpp - Our declarations of oneDNN against dnnl.h -----===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles to one skipped test where oneDNN's headers are not installed.
//
//===----------------------------------------------------------------------===//

#include "Library/OneDnnAbi.h"

#include <gtest/gtest.h>

#if __has_include(<oneapi/dnnl/dnnl.h>)

#include <oneapi/dnnl/dnnl.h>

#include <type_traits>

using namespace amp::rt::onednn;

//===----------------------------------------------------------------------===//
// Functions: for each parameter of dnnl.h's type, ours has the same size and
// passes in the same way.
//===----------------------------------------------------------------------===//

template <typename Ours, typename Theirs> constexpr bool isSameArgument() {
  if constexpr (std::is_pointer_v<Theirs>)
    return std::is_pointer_v<Ours>;
  else if constexpr (std::is_floating_point_v<Theirs>)
    return std::is_same_v<Ours, Theirs>;
  else
    return std::is_integral_v<Ours> && sizeof(Ours) == sizeof(Theirs);
}

template <typename Ours, typename Theirs>
struct IsSameFunction : std::false_type {};
template <typename OurResult, typename... Ours, typename TheirResult,
          typename... Theirs>
struct IsSameFunction<OurResult (*)(Ours...), TheirResult(Theirs...)> {
  static constexpr bool value = [] {
    if constexpr (sizeof...(Ours) == sizeof...(Theirs))
      return isSameArgument<OurResult, TheirResult>() &&
             (isSameArgument<Ours, Theirs>() && ...);
    else
      return false;
  }();
};

#define AMP_ONEDNN_FUNCTION(name, parameters)                                  \
  static_assert(                                                               \
      IsSameFunction<decltype(Functions::name), decltype(::name)>::value,      \
      #name);
AMP_ONEDNN_FUNCTIONS(AMP_ONEDNN_FUNCTION)
AMP_ONEDNN_FUNCTION(dnnl_version, )
AMP_ONEDNN_FUNCTION(dnnl_primitive_desc_query_md, )
AMP_ONEDNN_FUNCTION(dnnl_memory_desc_get_size, )
#if DNNL_VERSION_MAJOR == 2
AMP_ONEDNN_FUNCTIONS_2(AMP_ONEDNN_FUNCTION)
static_assert(sizeof(dnnl_memory_desc_t) <= sizeof(MemoryDescriptor2) &&
              alignof(dnnl_memory_desc_t) <= alignof(MemoryDescriptor2));
static_assert(sizeof(dnnl_matmul_desc_t) <= sizeof(MatmulDescriptor2) &&
              alignof(dnnl_matmul_desc_t) <= alignof(MatmulDescriptor2));
#elif DNNL_VERSION_MAJOR == 3
AMP_ONEDNN_FUNCTIONS_3(AMP_ONEDNN_FUNCTION)
AMP_ONEDNN_FUNCTION(dnnl_post_ops_append_sum, )
#endif

//===----------------------------------------------------------------------===//
// Structs and numbers
//===----------------------------------------------------------------------===//

static_assert(sizeof(Version) == sizeof(dnnl_version_t) &&
              offsetof(Version, hash) == offsetof(dnnl_version_t, hash) &&
              offsetof(Version, cpuRuntime) ==
                  offsetof(dnnl_version_t, cpu_runtime));
static_assert(sizeof(Argument) == sizeof(dnnl_exec_arg_t) &&
              offsetof(Argument, memory) == offsetof(dnnl_exec_arg_t, memory));

TEST(OneDnnAbi, NumbersAreThoseOfTheHeaders) {
  EXPECT_EQ(kSuccess, dnnl_success);
  EXPECT_EQ(kOutOfMemory, dnnl_out_of_memory);
  EXPECT_EQ(kInvalidArguments, dnnl_invalid_arguments);
  EXPECT_EQ(kUnimplemented, dnnl_unimplemented);
  EXPECT_EQ(kRuntimeError, dnnl_runtime_error);
  EXPECT_EQ(kRuntimeSequential, DNNL_RUNTIME_SEQ);
  EXPECT_EQ(kRuntimeOpenMp, DNNL_RUNTIME_OMP);
  EXPECT_EQ(kRuntimeTbb, DNNL_RUNTIME_TBB);
  EXPECT_EQ(kRuntimeThreadpool, DNNL_RUNTIME_THREADPOOL);
  EXPECT_EQ(kRuntimeSycl, DNNL_RUNTIME_SYCL);
  EXPECT_EQ(kCpu, dnnl_cpu);
  EXPECT_EQ(kBf16, dnnl_bf16);
  EXPECT_EQ(kF32, dnnl_f32);
  EXPECT_EQ(kUserScratchpad, dnnl_scratchpad_mode_user);
  EXPECT_EQ(kScratchpadQuery, dnnl_query_scratchpad_md);
  EXPECT_EQ(int(kInOrder), dnnl_stream_in_order);
  EXPECT_EQ(kSource, DNNL_ARG_SRC);
  EXPECT_EQ(kDestination, DNNL_ARG_DST);
  EXPECT_EQ(kWeights, DNNL_ARG_WEIGHTS);
  EXPECT_EQ(kScratchpad, DNNL_ARG_SCRATCHPAD);
}

#else

TEST(OneDnnAbi, NumbersAreThoseOfTheHeaders) {
  GTEST_SKIP() << "oneDNN's headers are not installed (libdnnl-dev)";
}

#endif
