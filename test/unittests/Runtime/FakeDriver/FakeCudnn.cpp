//===-- FakeCudnn.cpp - A cuDNN for machines without a GPU ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolves on the fake driver's memory: forward, bf16, nhwc, one group. The
// gradients have no algorithm. With FAKE_CUDNN=none nothing has, with
// FAKE_CUDNN=wrong the first element is wrong.
//
//===----------------------------------------------------------------------===//

#include "CudnnAbi.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>

using namespace amp::bench::cudnn;

#define API extern "C" __attribute__((visibility("default")))

namespace {

constexpr Status kBadParameter = 2000, kNotSupported = 3000;

/// Of every kind; `sizes` are n or k, c, h or r, w or s.
struct FakeDesc {
  int type = -1, format = -1, sizes[4] = {}, padding[2] = {}, stride[2] = {},
      dilation[2] = {}, groups = 1;
};

template <typename Desc> FakeDesc &of(Desc desc) {
  return *reinterpret_cast<FakeDesc *>(desc);
}
template <typename Desc> Status create(Desc *result) {
  *result = reinterpret_cast<Desc>(new FakeDesc);
  return 0;
}
template <typename Desc> Status destroy(Desc desc) {
  delete &of(desc);
  return 0;
}
Status set(FakeDesc &desc, int type, int format, int n, int c, int h, int w) {
  desc.type = type;
  desc.format = format;
  const int sizes[] = {n, c, h, w};
  std::memcpy(desc.sizes, sizes, sizeof(sizes));
  return 0;
}

bool isSetting(const char *value) {
  const char *setting = std::getenv("FAKE_CUDNN");
  return setting && std::strcmp(setting, value) == 0;
}

float toFloat(uint16_t half) {
  uint32_t bits = static_cast<uint32_t>(half) << 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

uint16_t toBf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  bits += 0x7fff + (bits >> 16 & 1);
  return static_cast<uint16_t>(bits >> 16);
}

} // namespace

API Status cudnnCreate(Handle *handle) {
  *handle = reinterpret_cast<Handle>(new FakeDesc);
  return 0;
}
API Status cudnnDestroy(Handle handle) { return destroy(handle); }
API Status cudnnSetStream(Handle, void *stream) {
  return stream ? 0 : kBadParameter;
}
API Status cudnnCreateTensorDescriptor(TensorDesc *desc) {
  return create(desc);
}
API Status cudnnDestroyTensorDescriptor(TensorDesc desc) {
  return destroy(desc);
}
API Status cudnnSetTensor4dDescriptor(TensorDesc desc, int format, int type,
                                      int n, int c, int h, int w) {
  return set(of(desc), type, format, n, c, h, w);
}
API Status cudnnCreateFilterDescriptor(FilterDesc *desc) {
  return create(desc);
}
API Status cudnnDestroyFilterDescriptor(FilterDesc desc) {
  return destroy(desc);
}
API Status cudnnSetFilter4dDescriptor(FilterDesc desc, int type, int format,
                                      int k, int c, int r, int s) {
  return set(of(desc), type, format, k, c, r, s);
}
API Status cudnnCreateConvolutionDescriptor(ConvolutionDesc *desc) {
  return create(desc);
}
API Status cudnnDestroyConvolutionDescriptor(ConvolutionDesc desc) {
  return destroy(desc);
}
API Status cudnnSetConvolutionNdDescriptor(ConvolutionDesc desc, int dimensions,
                                           const int *padding,
                                           const int *stride,
                                           const int *dilation, int mode,
                                           int computeType) {
  if (dimensions != 2 || mode != kCrossCorrelation || computeType != kFloat)
    return kBadParameter;
  std::memcpy(of(desc).padding, padding, 8);
  std::memcpy(of(desc).stride, stride, 8);
  std::memcpy(of(desc).dilation, dilation, 8);
  return 0;
}
API Status cudnnSetConvolutionMathType(ConvolutionDesc, int mathType) {
  return mathType == kTensorOpMath || mathType == kFmaMath ? 0 : kBadParameter;
}
API Status cudnnSetConvolutionGroupCount(ConvolutionDesc desc, int groups) {
  of(desc).groups = groups;
  return 0;
}
API Status cudnnFindConvolutionForwardAlgorithm(
    Handle, TensorDesc x, FilterDesc f, ConvolutionDesc convolution,
    TensorDesc y, int requested, int *found, Performance *results) {
  const FakeDesc &c = of(convolution);
  *found = 0;
  if (of(x).type != kBFloat16 || of(f).type != kBFloat16 ||
      of(y).type != kBFloat16 || of(x).format != kNhwc ||
      of(f).format != kNhwc || c.groups != 1 || isSetting("none"))
    return kNotSupported;
  for (int i = 0; i < 2; ++i) {
    int extent = c.dilation[i] * (of(f).sizes[i + 2] - 1) + 1;
    int size =
        (of(x).sizes[i + 2] + 2 * c.padding[i] - extent) / c.stride[i] + 1;
    if (of(y).sizes[i + 2] != size)
      return kBadParameter;
  }
  if (requested < 1 || of(x).sizes[1] != of(f).sizes[1] ||
      of(y).sizes[1] != of(f).sizes[0] || of(y).sizes[0] != of(x).sizes[0])
    return kBadParameter;
  *found = 1;
  results[0] = {};
  results[0].algorithm = 1;
  results[0].memory = 4096;
  return 0;
}
API Status cudnnFindConvolutionBackwardDataAlgorithm(
    Handle, FilterDesc, TensorDesc, ConvolutionDesc, TensorDesc, int,
    int *found, Performance *) {
  *found = 0;
  return kNotSupported;
}
API Status cudnnFindConvolutionBackwardFilterAlgorithm(
    Handle, TensorDesc, TensorDesc, ConvolutionDesc, FilterDesc, int,
    int *found, Performance *) {
  *found = 0;
  return kNotSupported;
}
API Status cudnnConvolutionForward(Handle, const void *alpha, TensorDesc descX,
                                   const void *x, FilterDesc descF,
                                   const void *f, ConvolutionDesc convolution,
                                   int algorithm, void *workspace,
                                   size_t workspaceBytes, const void *beta,
                                   TensorDesc descY, void *y) {
  if (*static_cast<const float *>(alpha) != 1 ||
      *static_cast<const float *>(beta) != 0 || algorithm != 1 || !workspace ||
      workspaceBytes != 4096)
    return kBadParameter;
  const FakeDesc &c = of(convolution);
  const int *in = of(descX).sizes, *filter = of(descF).sizes,
            *out = of(descY).sizes;
  auto *inputs = static_cast<const uint16_t *>(x);
  auto *weights = static_cast<const uint16_t *>(f);
  for (int n = 0; n < out[0]; ++n)
    for (int k = 0; k < out[1]; ++k)
      for (int i = 0; i < out[2] * out[3]; ++i) {
        float sum = isSetting("wrong") && n + k + i == 0 ? 64 : 0;
        for (int t = 0; t < filter[2] * filter[3]; ++t) {
          int row = i / out[3] * c.stride[0] - c.padding[0] +
                    t / filter[3] * c.dilation[0];
          int column = i % out[3] * c.stride[1] - c.padding[1] +
                       t % filter[3] * c.dilation[1];
          if (row < 0 || row >= in[2] || column < 0 || column >= in[3])
            continue;
          for (int l = 0; l < in[1]; ++l)
            sum +=
                toFloat(
                    inputs[((n * in[2] + row) * in[3] + column) * in[1] + l]) *
                toFloat(weights[(k * filter[2] * filter[3] + t) * in[1] + l]);
        }
        static_cast<uint16_t *>(y)[(n * out[2] * out[3] + i) * out[1] + k] =
            toBf16(sum);
      }
  return 0;
}
API Status cudnnConvolutionBackwardData(Handle, const void *, FilterDesc,
                                        const void *, TensorDesc, const void *,
                                        ConvolutionDesc, int, void *, size_t,
                                        const void *, TensorDesc, void *) {
  return kNotSupported;
}
API Status cudnnConvolutionBackwardFilter(Handle, const void *, TensorDesc,
                                          const void *, TensorDesc,
                                          const void *, ConvolutionDesc, int,
                                          void *, size_t, const void *,
                                          FilterDesc, void *) {
  return kNotSupported;
}
