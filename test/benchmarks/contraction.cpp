//===- contraction.cpp - How fast are compiled matrix products? -----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Question: what part of cblas_sgemm's speed (OpenBLAS, one thread, same run)
// do contractions reach that were compiled by
// convert-linalg-to-host-contraction for this CPU, with storage in f32, f16 and
// bf16, with and without BLAS? Conversion, packing, and allocation of scratch
// memory are part of each call.
//
//   contraction-bench [--quick] [--median] [--vector-bits=N] [--cpu=NAME]
//                     [--filter=TEXT]
//                     [--mode=auto|blas|generated|again|library]...
//                     [--library=NAME] [--type=f32|f16|bf16]...
//                     [--rounds=N] [--cases]
//
// One line per product: GFLOP/s and time of a call, the best of many, the ratio
// to cblas_sgemm on f32 matrices of the same m, n and k (for convolutions: of
// the matrix product that they amount to, without laying out windows), and the
// part of what this machine can do at most (amp/Execution/Roofline.h). A ratio
// says as much as its baseline: OpenBLAS's core, which need not fit the CPU, is
// in the first line.
//
// `library` is what the runtime opens by a name (amp-rt/Blas.h; onednn), in f32
// and in bf16; `again` is `generated` once more, beside which a difference can
// be seen to be one. Both are measured when they are asked for.
//
// With --cases, the products are those that come on standard input, a line of
// JSON for each, and a line of JSON answers each when it is measured: who asks
// can measure something else in between (products.py). A case has the fields of
// Case below. The answer has its name and `seconds` of a call, the best or the
// median, of "openblas" and of "TYPE MODE"; `peak` and `triad` of this machine
// in operations and bytes a second; and `sum`, by which the result can be
// compared: of what one call adds to C, each element times 1 to 7 in turn.
// Operands are integers from -4 to 4, so that sums of less than 2^20 products
// have no rounding.
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Blas.h"
#include "amp/Conversion/Host/Passes.h"
#include "amp/Execution/Roofline.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/TargetSelect.h"

#include <cblas.h>
#include <cstdio>
#include <cstdlib>
#include <ctime>

using namespace mlir;

/// The entry point of the runtime, without the runtime.
static int32_t sgemm(int64_t, int32_t transposeA, int32_t transposeB, int64_t m,
                     int64_t n, int64_t k, float alpha, const float *a,
                     int64_t lda, const float *b, int64_t ldb, float beta,
                     float *c, int64_t ldc) {
  cblas_sgemm(CblasRowMajor, transposeA ? CblasTrans : CblasNoTrans,
              transposeB ? CblasTrans : CblasNoTrans, m, n, k, alpha, a, lda, b,
              ldb, beta, c, ldc);
  return 0;
}

/// The library of --library, once it is open.
static AmpRtBlas *library = nullptr;

/// Ends the benchmark if the library did not compute a product: generated code
/// would take its place.
static int32_t check(AmpRtStatus status) {
  if (status == AMP_RT_OK)
    return 0;
  llvm::errs() << "contraction-bench: " << ampRtStatusText() << "\n";
  std::exit(1);
}

static int32_t librarySgemm(int64_t, int32_t transposeA, int32_t transposeB,
                            int64_t m, int64_t n, int64_t k, float alpha,
                            const float *a, int64_t lda, const float *b,
                            int64_t ldb, float beta, float *c, int64_t ldc) {
  return check(ampRtBlasSgemm(library, transposeA, transposeB, m, n, k, alpha,
                              a, lda, b, ldb, beta, c, ldc));
}

static int32_t librarySbgemm(int64_t, int32_t transposeA, int32_t transposeB,
                             int64_t m, int64_t n, int64_t k, float alpha,
                             const uint16_t *a, int64_t lda, const uint16_t *b,
                             int64_t ldb, float beta, float *c, int64_t ldc) {
  return check(ampRtBlasSbgemm(library, transposeA, transposeB, m, n, k, alpha,
                               a, lda, b, ldb, beta, c, ldc));
}

/// A product to measure.
struct Case {
  std::string name;
  /// Sides of the matrix product, and how many of them.
  int64_t m, n, k, batch;
  /// Shapes without element type.
  std::string a, b, c;
  /// On %a, %b and %c of the types $A, $B and $C; the elements of the first two
  /// are $T. $BODY is a region that multiplies and adds.
  std::string operation;
};

static const char *kMatmul = "linalg.matmul ins(%a, %b : $A, $B) outs(%c : $C)";
static const char *kBatchMatmul =
    "linalg.batch_matmul ins(%a, %b : $A, $B) outs(%c : $C)";
static const char *kMatmulTransposeB =
    "linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, "
    "affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] "
    "ins(%a, %b : $A, $B) outs(%c : $C)";
static const char *kConvNchw =
    "linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = "
    "dense<1> : tensor<2xi64>} ins(%a, %b : $A, $B) outs(%c : $C)";
static const char *kConvNhwc =
    "linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = "
    "dense<1> : tensor<2xi64>} ins(%a, %b : $A, $B) outs(%c : $C)";

static const Case kCases[] = {
    {"matmul 512^3", 512, 512, 512, 1, "512x512x", "512x512x", "512x512x",
     kMatmul},
    {"matmul 1024^3", 1024, 1024, 1024, 1, "1024x1024x", "1024x1024x",
     "1024x1024x", kMatmul},
    {"matmul 2048^3", 2048, 2048, 2048, 1, "2048x2048x", "2048x2048x",
     "2048x2048x", kMatmul},
    {"matmul^T 512^3", 512, 512, 512, 1, "512x512x", "512x512x", "512x512x",
     kMatmulTransposeB},
    {"matmul 256^3", 256, 256, 256, 1, "256x256x", "256x256x", "256x256x",
     kMatmul},
    {"matmul 128^3", 128, 128, 128, 1, "128x128x", "128x128x", "128x128x",
     kMatmul},
    {"matmul 64^3", 64, 64, 64, 1, "64x64x", "64x64x", "64x64x", kMatmul},
    {"matmul 32^3", 32, 32, 32, 1, "32x32x", "32x32x", "32x32x", kMatmul},
    // The products of the samples.
    {"mlp 32x128x64", 32, 128, 64, 1, "32x64x", "64x128x", "32x128x", kMatmul},
    {"mlp 32x64x128", 32, 64, 128, 1, "32x128x", "128x64x", "32x64x", kMatmul},
    {"mlp 32x10x64", 32, 10, 64, 1, "32x64x", "64x10x", "32x10x", kMatmul},
    {"mlp 10x64x32", 10, 64, 32, 1, "10x32x", "32x64x", "10x64x", kMatmul},
    {"mlp 128x64x32", 128, 64, 32, 1, "128x32x", "32x64x", "128x64x", kMatmul},
    {"gpt 128x256x64", 128, 256, 64, 1, "128x64x", "64x256x", "128x256x",
     kMatmul},
    {"gpt 128x64x256", 128, 64, 256, 1, "128x256x", "256x64x", "128x64x",
     kMatmul},
    {"gpt 16x(32x16x32)", 32, 16, 32, 16, "16x32x32x", "16x32x16x", "16x32x16x",
     kBatchMatmul},
    {"gpt 16x(32x32x16)", 32, 32, 16, 16, "16x32x16x", "16x16x32x", "16x32x32x",
     kBatchMatmul},
    {"conv 16x8x6x6 16x8x3x3", 16, 256, 72, 1, "16x8x6x6x", "16x8x3x3x",
     "16x16x4x4x", kConvNchw},
    {"conv 16x1x10x10 8x1x3x3", 8, 1024, 9, 1, "16x1x10x10x", "8x1x3x3x",
     "16x8x8x8x", kConvNchw},
    {"conv 8x16x6x6 16x16x4x4", 16, 72, 256, 1, "8x16x6x6x", "16x16x4x4x",
     "8x16x3x3x", kConvNchw},
    {"conv 8x8x10x10 8x8x3x3", 8, 512, 72, 1, "8x8x10x10x", "8x8x3x3x",
     "8x8x8x8x", kConvNchw},
    {"conv 8x32x4x4 32x32x3x3", 32, 32, 288, 1, "8x32x4x4x", "32x32x3x3x",
     "8x32x2x2x", kConvNchw},
    {"conv nhwc 16x6x6x8 3x3x8x16", 256, 16, 72, 1, "16x6x6x8x", "3x3x8x16x",
     "16x4x4x16x", kConvNhwc},
    {"conv 4x64x58x58 64x64x3x3", 64, 12544, 576, 1, "4x64x58x58x",
     "64x64x3x3x", "4x64x56x56x", kConvNchw},
    {"conv 4x256x16x16 256x256x3x3", 256, 784, 2304, 1, "4x256x16x16x",
     "256x256x3x3x", "4x256x14x14x", kConvNchw},
};

static std::string replaceAll(std::string text, StringRef from, StringRef to) {
  for (size_t at = 0; (at = text.find(from.str(), at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to.str());
  return text;
}

static std::string makeModule(const Case &c, StringRef type) {
  auto memref = [](StringRef shape, StringRef element) {
    return ("memref<" + shape + element + ">").str();
  };
  const std::string a = memref(c.a, type), b = memref(c.b, type),
                    out = memref(c.c, "f32");
  const std::string extended = type == "f32"
                                   ? "%l = arith.mulf %x, %y : f32\n"
                                   : ("%u = arith.extf %x : " + type +
                                      " to f32\n%v = arith.extf %y : " + type +
                                      " to f32\n%l = arith.mulf %u, %v : f32\n")
                                         .str();
  const std::string body =
      ("{\n^bb0(%x: " + type + ", %y: " + type + ", %z: f32):\n" + extended +
       "%s = arith.addf %z, %l : f32\n"
       "linalg.yield %s : f32\n}")
          .str();
  std::string operation = replaceAll(c.operation, "$BODY", body);
  operation = replaceAll(operation, "$A", a);
  operation = replaceAll(operation, "$B", b);
  operation = replaceAll(operation, "$C", out);
  operation = replaceAll(operation, "$T", type);
  return "func.func @run(%a: " + a + ", %b: " + b + ", %c: " + out +
         ") attributes {llvm.emit_c_interface} {\n  " + operation +
         "\n  return\n}\n";
}

static int64_t countElements(StringRef shape) {
  int64_t count = 1;
  SmallVector<StringRef> sizes;
  shape.split(sizes, 'x', -1, /*KeepEmpty=*/false);
  for (StringRef size : sizes)
    count *= std::stoll(size.str());
  return count;
}

/// A memref descriptor over `elements` bytes of small integers' bit patterns.
struct Buffer {
  std::vector<int64_t> descriptor;
  void *data;

  Buffer(StringRef shape, StringRef type) {
    SmallVector<StringRef> sizes;
    shape.split(sizes, 'x', -1, /*KeepEmpty=*/false);
    int64_t count = countElements(shape);
    data = std::aligned_alloc(64, (count * 4 + 63) / 64 * 64);
    for (int64_t i = 0; i < count; ++i) {
      float number = static_cast<float>((i * 7 + i / 13) % 9 - 4);
      if (type == "f32") {
        static_cast<float *>(data)[i] = number;
      } else {
        llvm::APFloat value(number);
        bool losesInfo;
        value.convert(type == "f16" ? llvm::APFloat::IEEEhalf()
                                    : llvm::APFloat::BFloat(),
                      llvm::APFloat::rmNearestTiesToEven, &losesInfo);
        static_cast<uint16_t *>(data)[i] =
            static_cast<uint16_t>(value.bitcastToAPInt().getZExtValue());
      }
    }
    descriptor = {reinterpret_cast<int64_t>(data),
                  reinterpret_cast<int64_t>(data), 0};
    SmallVector<int64_t> extents, strides(sizes.size(), 1);
    for (StringRef size : sizes)
      extents.push_back(std::stoll(size.str()));
    for (size_t i = sizes.size() - 1; i-- > 0;)
      strides[i] = strides[i + 1] * extents[i + 1];
    descriptor.insert(descriptor.end(), extents.begin(), extents.end());
    descriptor.insert(descriptor.end(), strides.begin(), strides.end());
  }
  ~Buffer() { std::free(data); }
};

/// Seconds that this thread has computed: other processes count for less than
/// they would with wall time.
static double now() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) +
         1e-9 * static_cast<double>(time.tv_nsec);
}

namespace {
/// How long a case is measured, and what counts.
struct Timing {
  double budget = 0.3;
  bool isMedian = false;

  /// Seconds of one call, of several rounds of at least 2 ms each.
  double measure(function_ref<void()> call) const;
};
} // namespace

double Timing::measure(function_ref<void()> call) const {
  double start = now();
  call();
  call();
  const double once = (now() - start) / 2;
  const int64_t repeat =
      std::max<int64_t>(1, static_cast<int64_t>(2e-3 / once));
  SmallVector<double> times;
  for (double end = now() + std::max(budget, 5 * once); now() < end;) {
    start = now();
    for (int64_t i = 0; i < repeat; ++i)
      call();
    times.push_back((now() - start) / static_cast<double>(repeat));
  }
  llvm::sort(times);
  return isMedian ? times[times.size() / 2] : std::min(times.front(), once);
}

/// How a product is compiled: as by default, with BLAS whatever its size,
/// without, once more, and with the library.
static const std::pair<StringRef, StringRef> kModes[] = {
    {"auto", "blas=auto"},
    {"blas", "blas-min-work=0 blas-min-copied-work=0"},
    {"generated", "blas=off"},
    {"again", "blas=off"},
    {"library", "blas-min-work=0 blas-min-bf16-work=0"}};

/// What follows the conversion in this benchmark, down to the LLVM dialect.
static constexpr StringLiteral kToLLVM =
    "canonicalize,cse,convert-linalg-to-loops,lower-affine,convert-scf-to-cf,"
    "convert-vector-to-llvm{enable-x86vector=true},expand-strided-metadata,lower-affine,"
    "finalize-memref-to-llvm,convert-func-to-llvm,convert-arith-to-llvm,"
    "convert-to-llvm{filter-dialects=amx,cf},reconcile-unrealized-casts";

namespace {
/// What the command line asks for.
struct Settings {
  Timing timing;
  unsigned vectorBits = 0;
  SmallVector<StringRef> modes, types;
  StringRef filter, cpu, library = "onednn";
  bool readsCases = false;
  /// 0: each mode by itself.
  unsigned rounds = 0;

  bool hasMode(StringRef mode) const {
    if (modes.empty())
      return mode != "again" && mode != "library";
    return llvm::is_contained(modes, mode);
  }
};

/// Rates of one thread of this machine.
struct Limits {
  double peak, bf16Peak, triad;
};

/// A case, compiled.
struct CompiledCase {
  std::unique_ptr<ExecutionEngine> engine;
  void (*run)(void *, void *, void *);
  /// Processor time of the compilation.
  double seconds;
};

/// One line of the table.
struct Measurement {
  StringRef type, mode;
  double seconds, compileSeconds;
  /// Of what one call adds to C.
  double sum;
  /// Seconds of each round.
  std::vector<double> rounds;
};
} // namespace

/// Reads the command line; false, and a message, for what is none.
static bool readSettings(ArrayRef<char *> arguments, Settings &settings) {
  for (StringRef argument : arguments) {
    if (argument == "--quick")
      settings.timing.budget = 0.05;
    else if (argument == "--median")
      settings.timing.isMedian = true;
    else if (argument == "--cases")
      settings.readsCases = true;
    else if (argument.consume_front("--filter="))
      settings.filter = argument;
    else if (argument.consume_front("--cpu="))
      settings.cpu = argument;
    else if (argument.consume_front("--mode="))
      settings.modes.push_back(argument);
    else if (argument.consume_front("--type="))
      settings.types.push_back(argument);
    else if (argument.consume_front("--library="))
      settings.library = argument;
    else if (argument.consume_front("--rounds=")
                 ? argument.getAsInteger(10, settings.rounds)
                 : !argument.consume_front("--vector-bits=") ||
                       argument.getAsInteger(10, settings.vectorBits)) {
      llvm::errs()
          << "expected --quick, --median, --cases, --vector-bits=N, "
             "--cpu=NAME, --filter=TEXT, --library=NAME, --rounds=N, "
             "--type=f32|f16|bf16 or --mode=auto|blas|generated|again|library, but got '"
          << argument << "'\n";
      return false;
    }
  }
  return true;
}

static llvm::Error makeError(const Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

static llvm::Expected<CompiledCase> compile(MLIRContext &context, const Case &c,
                                            StringRef type, StringRef mode,
                                            StringRef options,
                                            const Settings &settings) {
  const double start = now();
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(makeModule(c, type), &context);
  PassManager passes(&context);
  const std::string pipeline =
      ("convert-linalg-to-host-contraction{" + options +
       " cpu=" + (settings.cpu.empty() ? "native" : settings.cpu) +
       " vector-bits=" + Twine(settings.vectorBits) + "}," + kToLLVM)
          .str();
  if (!module || failed(parsePassPipeline(pipeline, passes)) ||
      failed(passes.run(*module)))
    return makeError("'" + c.name + "' cannot be compiled");
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  if (!settings.cpu.empty()) {
    builder->setCPU(settings.cpu.str());
    builder->getFeatures() = llvm::SubtargetFeatures();
  }
  auto machine = builder->createTargetMachine();
  if (!machine)
    return machine.takeError();
  auto transformer = makeOptimizingTransformer(3, 0, machine->get());
  ExecutionEngineOptions engineOptions;
  engineOptions.transformer = transformer;
  engineOptions.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Aggressive;
  auto engine =
      ExecutionEngine::create(*module, engineOptions, std::move(*machine));
  if (!engine)
    return engine.takeError();
  (*engine)->registerSymbols([&](llvm::orc::MangleAndInterner mangle) {
    llvm::orc::SymbolMap symbols;
    symbols[mangle("ampRtBlasSgemm")] = {
        llvm::orc::ExecutorAddr::fromPtr(mode == "library" ? &librarySgemm
                                                           : &sgemm),
        llvm::JITSymbolFlags::Exported};
    symbols[mangle("ampRtBlasSbgemm")] = {
        llvm::orc::ExecutorAddr::fromPtr(&librarySbgemm),
        llvm::JITSymbolFlags::Exported};
    return symbols;
  });
  auto run = (*engine)->lookup("_mlir_ciface_run");
  if (!run)
    return run.takeError();
  return CompiledCase{std::move(*engine),
                      reinterpret_cast<void (*)(void *, void *, void *)>(*run),
                      now() - start};
}

/// The sum of elements, each times 1 to 7 in turn.
static double addUp(const float *values, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += double(i % 7 + 1) * double(values[i]);
  return sum;
}

namespace {
/// A case, compiled in one way, on operands of its own.
class Subject {
public:
  Subject(CompiledCase compiled, const Case &c, StringRef type)
      : compiled(std::move(compiled)), a(c.a, type), b(c.b, type),
        out(c.c, "f32") {
    const int64_t count = countElements(c.c);
    const double before = addUp(static_cast<float *>(out.data), count);
    call();
    sum = addUp(static_cast<float *>(out.data), count) - before;
  }
  Subject(const Subject &) = delete;

  void call() {
    compiled.run(a.descriptor.data(), b.descriptor.data(),
                 out.descriptor.data());
  }

  const CompiledCase compiled;
  /// Of what one call adds to C.
  double sum;

private:
  Buffer a, b, out;
};
} // namespace

/// Seconds of cblas_sgemm on matrices of the case's sides.
static double measureBlas(const Case &c, const Timing &timing) {
  Buffer a("1x" + std::to_string(c.m * c.k) + "x", "f32");
  Buffer b("1x" + std::to_string(c.k * c.n) + "x", "f32");
  Buffer out("1x" + std::to_string(c.m * c.n) + "x", "f32");
  return timing.measure([&] {
    for (int64_t i = 0; i < c.batch; ++i)
      sgemm(0, 0, 0, c.m, c.n, c.k, 1, static_cast<float *>(a.data), c.k,
            static_cast<float *>(b.data), c.n, 1,
            static_cast<float *>(out.data), c.n);
  });
}

using Observer = function_ref<void(const Measurement &)>;

/// Measures what is asked for of a case in one type.
static llvm::Error measureType(MLIRContext &context, const Case &c,
                               StringRef type, const Settings &settings,
                               Observer observe) {
  SmallVector<std::pair<StringRef, std::unique_ptr<Subject>>> subjects;
  for (auto [mode, options] : kModes) {
    // No library multiplies f16.
    if (!settings.hasMode(mode) || (mode == "library" && type == "f16"))
      continue;
    llvm::Expected<CompiledCase> compiled =
        compile(context, c, type, mode, options, settings);
    if (!compiled)
      return compiled.takeError();
    subjects.emplace_back(
        mode, std::make_unique<Subject>(std::move(*compiled), c, type));
  }
  SmallVector<std::vector<double>> rounds(subjects.size());
  Timing timing = settings.timing;
  const unsigned count = std::max(settings.rounds, 1u);
  timing.budget /= count;
  for (unsigned round = 0; round < count; ++round)
    for (auto &&[subject, seconds] : llvm::zip_equal(subjects, rounds)) {
      Subject &measured = *subject.second;
      seconds.push_back(timing.measure([&] { measured.call(); }));
    }
  for (auto &&[subject, seconds] : llvm::zip_equal(subjects, rounds)) {
    std::vector<double> sorted = seconds;
    llvm::sort(sorted);
    observe({type, subject.first, sorted[sorted.size() / 2],
             subject.second->compiled.seconds, subject.second->sum, seconds});
  }
  return llvm::Error::success();
}

/// Measures all that is asked for of a case.
static llvm::Error measureAll(MLIRContext &context, const Case &c,
                              const Settings &settings, Observer observe) {
  for (StringRef type : {"f32", "f16", "bf16"}) {
    if (!settings.types.empty() && !llvm::is_contained(settings.types, type))
      continue;
    if (llvm::Error error = measureType(context, c, type, settings, observe))
      return error;
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static llvm::Error printTable(MLIRContext &context, const Settings &settings,
                              const Limits &limits) {
  llvm::outs() << llvm::format(
      "this machine: %.1f GFLOP/s of f32 in registers, %.1f of bf16, "
      "%.1f GB/s of a triad in memory\n\n",
      limits.peak * 1e-9, limits.bf16Peak * 1e-9, limits.triad * 1e-9);
  auto measureOnce = [&](function_ref<void()> call) {
    return settings.timing.measure(call);
  };
  bool hasAny = false;
  for (const Case &c : kCases) {
    if (!StringRef(c.name).contains(settings.filter))
      continue;
    hasAny = true;
    const double flops = 2.0 * c.m * c.n * c.k * c.batch;
    // Seconds below which no code gets.
    auto getRoofline = [&](int64_t inputBytes, double most) {
      int64_t bytes = (countElements(c.a) + countElements(c.b)) * inputBytes +
                      2 * countElements(c.c) * int64_t(sizeof(float));
      return std::max(most > 0 ? flops / most : 0,
                      bytes / mlir::amp::measureTriad(bytes, measureOnce));
    };
    const double floor32 = getRoofline(4, limits.peak),
                 floorF16 = getRoofline(2, limits.peak),
                 floorBf16 = getRoofline(2, limits.bf16Peak);
    const double blasTime = measureBlas(c, settings.timing);
    llvm::outs() << llvm::format(
        "%-30s cblas_sgemm      %7.1f GFLOP/s %10.2f us             roofline "
        "%.2f\n",
        c.name.c_str(), flops / blasTime * 1e-9, blasTime * 1e6,
        floor32 / blasTime);
    auto print = [&](const Measurement &measured) {
      const double floor = measured.type == "f32"   ? floor32
                           : measured.type == "f16" ? floorF16
                                                    : floorBf16;
      llvm::outs() << llvm::format(
          "%-30s %-4s %-11s %7.1f GFLOP/s %10.2f us  ratio %.2f roofline %.2f  "
          "(compiled in %.2f s)\n",
          "", measured.type.str().c_str(), measured.mode.str().c_str(),
          flops / measured.seconds * 1e-9, measured.seconds * 1e6,
          blasTime / measured.seconds, floor / measured.seconds,
          measured.compileSeconds);
    };
    if (llvm::Error error = measureAll(context, c, settings, print))
      return error;
  }
  return hasAny ? llvm::Error::success()
                : makeError("expected --filter to be part of a product's name, "
                            "but none has '" +
                            settings.filter + "'");
}

//===----------------------------------------------------------------------===//
// Cases of others
//===----------------------------------------------------------------------===//

static bool fromJSON(const llvm::json::Value &value, Case &c,
                     llvm::json::Path path) {
  llvm::json::ObjectMapper fields(value, path);
  return fields && fields.map("name", c.name) && fields.map("m", c.m) &&
         fields.map("n", c.n) && fields.map("k", c.k) &&
         fields.map("batch", c.batch) && fields.map("a", c.a) &&
         fields.map("b", c.b) && fields.map("c", c.c) &&
         fields.map("operation", c.operation);
}

static llvm::Error answerCases(MLIRContext &context, const Settings &settings,
                               const Limits &limits) {
  char *line = nullptr;
  size_t size = 0;
  while (::getline(&line, &size, stdin) > 0) {
    llvm::Expected<Case> c = llvm::json::parse<Case>(line, "case");
    if (!c)
      return c.takeError();
    llvm::json::Object seconds, sums, rounds;
    seconds["openblas"] = measureBlas(*c, settings.timing);
    llvm::Error error =
        measureAll(context, *c, settings, [&](const Measurement &measured) {
          const std::string key = (measured.type + " " + measured.mode).str();
          seconds[key] = measured.seconds;
          sums[key] = measured.sum;
          rounds[key] = llvm::json::Array(measured.rounds);
        });
    if (error)
      return error;
    llvm::json::Object answer{
        {"name", c->name},
        {"seconds", std::move(seconds)},
        {"sum", std::move(sums)},
        {"peak",
         llvm::json::Object{{"f32", limits.peak}, {"bf16", limits.bf16Peak}}},
        {"triad", limits.triad}};
    if (settings.rounds != 0)
      answer["rounds"] = std::move(rounds);
    llvm::outs() << llvm::json::Value(std::move(answer)) << "\n";
    llvm::outs().flush();
  }
  std::free(line);
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  Settings settings;
  if (!readSettings(ArrayRef(argv + 1, argc - 1), settings))
    return 1;
  openblas_set_num_threads(1);
  std::optional<amp::HostMachine> machine =
      amp::HostMachine::get(settings.cpu.empty() ? "native" : settings.cpu);
  if (!machine) {
    llvm::errs() << "expected --cpu to name an x86-64 CPU that LLVM knows, but "
                    "got '"
                 << settings.cpu << "'\n";
    return 1;
  }
  if (settings.vectorBits != 0)
    machine->setVectorBits(settings.vectorBits);

  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  registerAllPasses();
  amp::registerConvertLinalgToHostContractionPass();
  MLIRContext context(registry);
  context.loadAllAvailableDialects();

  auto measureOnce = [&](function_ref<void()> call) {
    return settings.timing.measure(call);
  };
  Limits limits;
  limits.peak = amp::measurePeak(measureOnce);
  limits.bf16Peak = std::max(limits.peak, amp::measureBf16Peak(measureOnce));
  if (amp::HostMachine::get("native")->hasAmxBf16)
    limits.bf16Peak =
        std::max(limits.bf16Peak, amp::measureTilePeak(measureOnce));
  limits.triad = amp::measureTriad(int64_t(256) << 20, measureOnce);
  std::string libraryName;
  if (settings.hasMode("library")) {
    AmpRtBlasOptions options;
    ampRtBlasOptionsInit(&options);
    const std::string path = settings.library.str();
    options.path = path.c_str();
    AmpRtBlasInfo info = {};
    info.structSize = sizeof(info);
    if (ampRtBlasCreate(&options, &library) != AMP_RT_OK ||
        ampRtBlasGetInfo(library, &info) != AMP_RT_OK) {
      llvm::errs() << "contraction-bench: " << ampRtStatusText() << "\n";
      return 1;
    }
    libraryName = std::string("; ") + info.config;
  }
  (settings.readsCases ? llvm::errs() : llvm::outs())
      << openblas_get_config() << ", core " << openblas_get_corename()
      << ", 1 thread; " << machine->describe() << libraryName << "\n";
  if (llvm::Error error = settings.readsCases
                              ? answerCases(context, settings, limits)
                              : printTable(context, settings, limits)) {
    llvm::errs() << "contraction-bench: " << toString(std::move(error)) << "\n";
    return 1;
  }
  return 0;
}
