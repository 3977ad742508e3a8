//===-- CublasLt.cpp - Matrix products of cuBLASLt ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuBLASLt's matrices are stored by columns, so a row-major D[M][N] is its N x
// M matrix and D = A * B is computed as D' = B' * A': our B is its first
// operand. A stored [K][N] is its N x K matrix as it is, one stored [N][K] has
// to be transposed.
//
//===----------------------------------------------------------------------===//

#include "Baseline.h"
#include "CublasLtAbi.h"

#include <dlfcn.h>

using namespace amp::bench;
using namespace amp::bench::cublaslt;

namespace {

/// What NVIDIA recommends for Hopper.
constexpr int64_t kWorkspaceBytes = 64 << 20;

class CublasLt final : public Baseline {
public:
  explicit CublasLt(AmpRtDevice *device) : device(device), workspace(device) {}
  ~CublasLt() override;
  std::string open();

  const char *name() const override { return "cuBLASLt"; }
  std::string prepare(const Problem &problem) override;
  std::string run(const TensorSet &set) override;

private:
  void clear();
  std::string describe(const GemmProblem &problem);
  std::string layout(Layout &result, Type type, int64_t rows, int64_t columns,
                     int64_t stride, int64_t batch);
  std::string choose();

// NOLINTBEGIN(bugprone-macro-parentheses): a list of parameters has its own
#define MEMBER(name, parameters) Status(*name##_) parameters = nullptr;
  AMP_CUBLASLT_FUNCTIONS(MEMBER)
#undef MEMBER
  // NOLINTEND(bugprone-macro-parentheses)

  AmpRtDevice *device;
  Workspace workspace;
  void *stream = nullptr;
  Handle handle = nullptr;
  MatmulDesc product = nullptr;
  /// Its A (our B), its B (our A) and D.
  Layout first = nullptr, second = nullptr, result = nullptr;
  HeuristicResult chosen = {};
};

std::string failed(const char *function, Status status) {
  return std::string(function) + " returned " + std::to_string(status);
}

int typeNumber(Type type) {
  const int numbers[] = {kRealF16,  kRealBF16, kRealF32,
                         kRealE4M3, kRealE5M2, kRealF32};
  return numbers[static_cast<int>(type)];
}

} // namespace

std::string CublasLt::open() {
  std::string reason;
  void *library = openVendorLibrary(
      "AMP_CUBLASLT", {"libcublasLt.so.13", "libcublasLt.so.12"},
      {"cu13", "cublas"}, "nvidia-cublas", reason);
  if (!library)
    return reason;
// NOLINTBEGIN(bugprone-macro-parentheses): a list of parameters has its own
#define RESOLVE(name, parameters)                                              \
  name##_ = reinterpret_cast<Status(*) parameters>(                            \
      dlsym(library, "cublasLt" #name));                                       \
  if (!name##_)                                                                \
    return "the library has no symbol 'cublasLt" #name "'";
  AMP_CUBLASLT_FUNCTIONS(RESOLVE)
#undef RESOLVE
  // NOLINTEND(bugprone-macro-parentheses)
  if (ampRtDeviceNativeStream(device, &stream) != AMP_RT_OK)
    return ampRtStatusText();
  if (Status status = Create_(&handle))
    return failed("cublasLtCreate", status);
  return workspace.reserve(kWorkspaceBytes);
}

void CublasLt::clear() {
  for (Layout *layout : {&first, &second, &result}) {
    if (*layout)
      MatrixLayoutDestroy_(*layout);
    *layout = nullptr;
  }
  if (product)
    MatmulDescDestroy_(product);
  product = nullptr;
}

CublasLt::~CublasLt() {
  clear();
  if (handle)
    Destroy_(handle);
}

std::string CublasLt::layout(Layout &result, Type type, int64_t rows,
                             int64_t columns, int64_t stride, int64_t batch) {
  if (Status status = MatrixLayoutCreate_(
          &result, typeNumber(type), static_cast<uint64_t>(rows),
          static_cast<uint64_t>(columns), stride))
    return failed("cublasLtMatrixLayoutCreate", status);
  if (batch == 1)
    return "";
  int32_t count = static_cast<int32_t>(batch);
  int64_t offset = columns * stride;
  Status status =
      MatrixLayoutSetAttribute_(result, kBatchCount, &count, sizeof(count));
  if (!status)
    status = MatrixLayoutSetAttribute_(result, kStridedBatchOffset, &offset,
                                       sizeof(offset));
  return status ? failed("cublasLtMatrixLayoutSetAttribute", status) : "";
}

std::string CublasLt::describe(const GemmProblem &problem) {
  int compute = problem.a == Type::TF32 ? kComputeTF32 : kCompute32F;
  if (Status status = MatmulDescCreate_(&product, compute, kRealF32))
    return failed("cublasLtMatmulDescCreate", status);
  const std::pair<int, bool> operations[] = {
      {kTransposeA, problem.isTransposedB},
      {kTransposeB, problem.isTransposedA}};
  for (auto [attribute, isTransposed] : operations) {
    int32_t operation = isTransposed ? kOperationT : kOperationN;
    if (Status status = MatmulDescSetAttribute_(product, attribute, &operation,
                                                sizeof(operation)))
      return failed("cublasLtMatmulDescSetAttribute", status);
  }
  // By default it adds up parts of K apart, for more bits of the sum. Our
  // kernels do not, so without this it would be measured doing more.
  int8_t isFast = 1;
  if (isByte(problem.a))
    if (Status status = MatmulDescSetAttribute_(product, kFastAccumulation,
                                                &isFast, sizeof(isFast)))
      return failed("cublasLtMatmulDescSetAttribute", status);
  const GemmProblem &p = problem;
  std::string failure = layout(first, p.b, p.isTransposedB ? p.k : p.n,
                               p.isTransposedB ? p.n : p.k, p.ldb, p.batch);
  if (failure.empty())
    failure = layout(second, p.a, p.isTransposedA ? p.m : p.k,
                     p.isTransposedA ? p.k : p.m, p.lda, p.batch);
  if (failure.empty())
    failure = layout(result, p.d, p.n, p.m, p.ldd, p.batch);
  return failure;
}

std::string CublasLt::choose() {
  Preference preference = nullptr;
  if (Status status = MatmulPreferenceCreate_(&preference))
    return failed("cublasLtMatmulPreferenceCreate", status);
  uint64_t bytes = static_cast<uint64_t>(workspace.size());
  int found = 0;
  Status status = MatmulPreferenceSetAttribute_(preference, kMaxWorkspaceBytes,
                                                &bytes, sizeof(bytes));
  if (!status)
    status = MatmulAlgoGetHeuristic_(handle, product, first, second, result,
                                     result, preference, 1, &chosen, &found);
  MatmulPreferenceDestroy_(preference);
  if (status || found == 0 || chosen.state)
    return "cuBLASLt has no algorithm for these types and layouts (" +
           std::to_string(status ? status : chosen.state) + ")";
  return "";
}

std::string CublasLt::prepare(const Problem &problem) {
  clear();
  auto &gemm = static_cast<const GemmProblem &>(problem);
  if (gemm.m == 0 || gemm.n == 0 || gemm.k == 0)
    return "cuBLASLt has no empty products";
  std::string failure = describe(gemm);
  return failure.empty() ? choose() : failure;
}

std::string CublasLt::run(const TensorSet &set) {
  const float one = 1, zero = 0;
  void *d = set.at("d");
  Status status =
      Matmul_(handle, product, &one, set.at("b"), first, set.at("a"), second,
              &zero, d, result, d, result, &chosen.algorithm, workspace.get(),
              static_cast<size_t>(workspace.size()), stream);
  return status ? failed("cublasLtMatmul", status) : "";
}

std::unique_ptr<Baseline> amp::bench::createCublasLt(AmpRtDevice *device,
                                                     std::string &reason) {
  auto library = std::make_unique<CublasLt>(device);
  reason = library->open();
  return reason.empty() ? std::move(library) : nullptr;
}
