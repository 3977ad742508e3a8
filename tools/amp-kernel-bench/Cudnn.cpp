//===-- Cudnn.cpp - Convolutions of cuDNN ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The algorithm is the fastest that cuDNN's own search measures for the
// problem: the strongest opponent that its convolution functions offer.
//
//===----------------------------------------------------------------------===//

#include "Baseline.h"
#include "CudnnAbi.h"

#include <dlfcn.h>

using namespace amp::bench;
using namespace amp::bench::cudnn;

namespace {

class Cudnn final : public Baseline {
public:
  explicit Cudnn(AmpRtDevice *device) : device(device), workspace(device) {}
  ~Cudnn() override;
  std::string open();

  const char *name() const override { return "cuDNN"; }
  std::string prepare(const Problem &problem) override;
  std::string run(const TensorSet &set) override;

private:
  std::string describe(const ConvolutionProblem &problem);
  std::string search();

// NOLINTBEGIN(bugprone-macro-parentheses): a list of parameters has its own
#define MEMBER(name, parameters) Status(*name##_) parameters = nullptr;
  AMP_CUDNN_FUNCTIONS(MEMBER)
#undef MEMBER
  // NOLINTEND(bugprone-macro-parentheses)

  AmpRtDevice *device;
  Workspace workspace;
  Handle handle = nullptr;
  TensorDesc x = nullptr, y = nullptr;
  FilterDesc f = nullptr;
  ConvolutionDesc convolution = nullptr;
  ConvolutionProblem::Direction direction =
      ConvolutionProblem::Direction::Forward;
  Performance chosen = {};
};

std::string failed(const char *function, Status status) {
  return std::string(function) + " returned " + std::to_string(status);
}

/// -1 for types that these functions do not take.
int typeNumber(Type type) {
  const int numbers[] = {kHalf, kBFloat16, kFloat, -1, -1, kFloat};
  return numbers[static_cast<int>(type)];
}

} // namespace

std::string Cudnn::open() {
  std::string reason;
  void *library = openVendorLibrary("AMP_CUDNN", {"libcudnn.so.9"}, {"cudnn"},
                                    "nvidia-cudnn-cu13", reason);
  if (!library)
    return reason;
// NOLINTBEGIN(bugprone-macro-parentheses): a list of parameters has its own
#define RESOLVE(name, parameters)                                              \
  name##_ =                                                                    \
      reinterpret_cast<Status(*) parameters>(dlsym(library, "cudnn" #name));   \
  if (!name##_)                                                                \
    return "the library has no symbol 'cudnn" #name "'";
  AMP_CUDNN_FUNCTIONS(RESOLVE)
#undef RESOLVE
  // NOLINTEND(bugprone-macro-parentheses)
  void *stream = nullptr;
  if (ampRtDeviceNativeStream(device, &stream) != AMP_RT_OK)
    return ampRtStatusText();
  Status status = Create_(&handle);
  if (status)
    return failed("cudnnCreate", status);
  status = SetStream_(handle, stream);
  if (!status)
    status = CreateTensorDescriptor_(&x);
  if (!status)
    status = CreateTensorDescriptor_(&y);
  if (!status)
    status = CreateFilterDescriptor_(&f);
  if (!status)
    status = CreateConvolutionDescriptor_(&convolution);
  return status ? failed("creating cuDNN's descriptors", status) : "";
}

Cudnn::~Cudnn() {
  if (convolution)
    DestroyConvolutionDescriptor_(convolution);
  if (f)
    DestroyFilterDescriptor_(f);
  for (TensorDesc tensor : {x, y})
    if (tensor)
      DestroyTensorDescriptor_(tensor);
  if (handle)
    Destroy_(handle);
}

std::string Cudnn::describe(const ConvolutionProblem &p) {
  auto number = [](int64_t value) { return static_cast<int>(value); };
  int format = p.isNhwc ? kNhwc : kNchw;
  Status status =
      SetTensor4dDescriptor_(x, format, typeNumber(p.x), number(p.n),
                             number(p.c), number(p.h), number(p.w));
  if (!status)
    status = SetTensor4dDescriptor_(y, format, typeNumber(p.y), number(p.n),
                                    number(p.k), number(p.p), number(p.q));
  if (!status)
    status = SetFilter4dDescriptor_(f, typeNumber(p.f), format, number(p.k),
                                    number(p.c / p.groups), number(p.r),
                                    number(p.s));
  int padding[2], stride[2], dilation[2];
  for (size_t i = 0; i < 2; ++i) {
    padding[i] = number(p.padding[i]);
    stride[i] = number(p.stride[i]);
    dilation[i] = number(p.dilation[i]);
  }
  if (!status)
    status = SetConvolutionNdDescriptor_(convolution, 2, padding, stride,
                                         dilation, kCrossCorrelation, kFloat);
  if (!status)
    status = SetConvolutionGroupCount_(convolution, number(p.groups));
  // Without it f32 convolutions would be computed in tf32.
  Type operand =
      p.direction == ConvolutionProblem::Direction::DataGradient ? p.y : p.x;
  if (!status)
    status = SetConvolutionMathType_(
        convolution, operand == Type::F32 ? kFmaMath : kTensorOpMath);
  return status ? failed("describing the convolution to cuDNN", status) : "";
}

std::string Cudnn::search() {
  int found = 0;
  Status status = 0;
  switch (direction) {
  case ConvolutionProblem::Direction::Forward:
    status = FindConvolutionForwardAlgorithm_(handle, x, f, convolution, y, 1,
                                              &found, &chosen);
    break;
  case ConvolutionProblem::Direction::DataGradient:
    status = FindConvolutionBackwardDataAlgorithm_(handle, f, y, convolution, x,
                                                   1, &found, &chosen);
    break;
  case ConvolutionProblem::Direction::WeightGradient:
    status = FindConvolutionBackwardFilterAlgorithm_(handle, x, y, convolution,
                                                     f, 1, &found, &chosen);
    break;
  }
  if (status || found == 0 || chosen.status)
    return "cuDNN has no algorithm for these types and layouts (" +
           std::to_string(status ? status : chosen.status) + ")";
  return workspace.reserve(static_cast<int64_t>(chosen.memory));
}

std::string Cudnn::prepare(const Problem &problem) {
  auto &p = static_cast<const ConvolutionProblem &>(problem);
  if (typeNumber(p.x) < 0 || p.x != p.f || p.x != p.y)
    return "cuDNN's convolutions take tensors of one type: f16, bf16 or f32";
  if (p.padding[0] != p.padding[2] || p.padding[1] != p.padding[3])
    return "cuDNN pads an image alike on opposite sides";
  direction = p.direction;
  std::string failure = describe(p);
  return failure.empty() ? search() : failure;
}

std::string Cudnn::run(const TensorSet &set) {
  const float one = 1, zero = 0;
  void *memory = workspace.get();
  size_t bytes = chosen.memory;
  Status status = 0;
  switch (direction) {
  case ConvolutionProblem::Direction::Forward:
    status = ConvolutionForward_(handle, &one, x, set.at("x"), f, set.at("f"),
                                 convolution, chosen.algorithm, memory, bytes,
                                 &zero, y, set.at("y"));
    break;
  case ConvolutionProblem::Direction::DataGradient:
    status = ConvolutionBackwardData_(
        handle, &one, f, set.at("f"), y, set.at("y"), convolution,
        chosen.algorithm, memory, bytes, &zero, x, set.at("x"));
    break;
  case ConvolutionProblem::Direction::WeightGradient:
    status = ConvolutionBackwardFilter_(
        handle, &one, x, set.at("x"), y, set.at("y"), convolution,
        chosen.algorithm, memory, bytes, &zero, f, set.at("f"));
    break;
  }
  return status ? failed("cuDNN's convolution", status) : "";
}

std::unique_ptr<Baseline> amp::bench::createCudnn(AmpRtDevice *device,
                                                  std::string &reason) {
  auto library = std::make_unique<Cudnn>(device);
  reason = library->open();
  return reason.empty() ? std::move(library) : nullptr;
}
