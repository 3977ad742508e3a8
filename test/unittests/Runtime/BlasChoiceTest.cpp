//===-- BlasChoiceTest.cpp - Which BLAS is taken on which CPU -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This executable has the choice in it, and a dlopen of its own, which decides
// what the sonames stand for: nothing depends on this machine's CPU, nor on
// what is installed.
//
//===----------------------------------------------------------------------===//

#include "Library/BlasLibrary.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <map>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

using namespace amp::rt;

/// What is installed: a soname and its file.
static std::map<std::string, std::string> installed;
/// What was opened by its soname.
static std::vector<std::string> opened;

extern "C" __attribute__((visibility("default"))) void *
dlopen(const char *path, int flags) noexcept {
  static auto real = reinterpret_cast<void *(*)(const char *, int)>(
      dlsym(RTLD_NEXT, "dlopen"));
  if (!path)
    return real(path, flags);
  std::string name = path;
  if (name == "libopenblas.so.0" || name == "libblas.so.3" ||
      name == "libdnnl.so.2" || name == "libdnnl.so.3") {
    opened.push_back(name);
    auto file = installed.find(name);
    return file == installed.end() ? nullptr
                                   : real(file->second.c_str(), flags);
  }
  return real(path, flags);
}

namespace {
class BlasChoiceTest : public testing::Test {
protected:
  void SetUp() override {
    installed.clear();
    opened.clear();
    for (const char *name : {"AMP_BLAS", "FAKE_BLAS_CORE", "FAKE_ONEDNN_FAIL",
                             "FAKE_ONEDNN_VERSION", "FAKE_ONEDNN_RUNTIME"})
      unsetenv(name);
    for (const char *name :
         {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS"})
      unsetenv(name);
  }
  /// Chooses on a machine of class `cpu` where OpenBLAS, which is installed,
  /// says `core`.
  const BlasChoice &choose(const char *core, CpuClass cpu,
                           const char *path = nullptr) {
    installed["libopenblas.so.0"] = FAKE_OPENBLAS_FILE;
    setenv("FAKE_BLAS_CORE", core, 1);
    chooseBlas(path, "AmpRtBlasOptions.path", cpu, noRatios, choice);
    return choice;
  }
  /// The same with oneDNN beside it, and what was measured.
  template <size_t count>
  const BlasChoice &choose(const OneDnnRatio (&rows)[count],
                           CpuClass cpu = CpuClass::Avx2) {
    installed["libopenblas.so.0"] = FAKE_OPENBLAS_FILE;
    setenv("FAKE_BLAS_CORE", "Zen", 1);
    chooseBlas(nullptr, nullptr, cpu, {rows, count}, choice);
    return choice;
  }
  static constexpr OneDnnRatios noRatios = {nullptr, 0};
  BlasChoice choice;
};

/// Leaves the process so many MiB of addresses while it lives.
class Room {
public:
  explicit Room(rlim_t mebibytes) {
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    getrlimit(RLIMIT_AS, &before);
    rlimit limit = before;
    limit.rlim_cur = pages * sysconf(_SC_PAGESIZE) + (mebibytes << 20);
    set = pages && setrlimit(RLIMIT_AS, &limit) == 0;
  }
  ~Room() { setrlimit(RLIMIT_AS, &before); }
  bool set;

private:
  rlimit before;
};
} // namespace

TEST_F(BlasChoiceTest, AnOldCoreOnANewCpuIsLeftAlone) {
  choose("Prescott", CpuClass::Avx512);
  EXPECT_EQ(choice.status, AMP_RT_UNAVAILABLE);
  EXPECT_FALSE(choice.wasNamed);
  EXPECT_EQ(choice.library.sgemm, nullptr);
  EXPECT_STREQ(
      choice.reason,
      "library 'libopenblas.so.0' takes this CPU (AVX-512) for 'Prescott', and "
      "would be slow; install one that knows it, set OPENBLAS_CORETYPE to "
      "'SkylakeX', 'Cooperlake' or 'SapphireRapids', or set "
      "AMP_BLAS=libopenblas.so.0 to use it as it is");
  EXPECT_EQ(choose("Prescott", CpuClass::Avx2).status, AMP_RT_UNAVAILABLE);
  EXPECT_EQ(choose("Unknown", CpuClass::Avx2).status, AMP_RT_UNAVAILABLE);
}

TEST_F(BlasChoiceTest, ACoreThatFitsIsTaken) {
  choose("Zen", CpuClass::Avx2);
  ASSERT_EQ(choice.status, AMP_RT_OK);
  EXPECT_STREQ(choice.reason, "its core 'Zen' fits this CPU (AVX2)");
  EXPECT_STREQ(choice.library.core, "Zen");
  EXPECT_STREQ(choice.library.path, FAKE_OPENBLAS_FILE);
  ASSERT_NE(choice.library.sgemm, nullptr);
  ASSERT_NE(choice.library.getThreads, nullptr);
  EXPECT_EQ(choice.library.getThreads(), 16) << "choosing changes nothing";
  choose("SkylakeX", CpuClass::Avx512);
  EXPECT_EQ(choice.status, AMP_RT_OK);
  EXPECT_STREQ(choice.reason, "its core 'SkylakeX' fits this CPU (AVX-512)");
}

// Each core on each class of CPUs. Builds for one CPU alone write theirs in
// capitals.
TEST_F(BlasChoiceTest, TheTableOfCores) {
  constexpr CpuClass kClasses[] = {CpuClass::Sse, CpuClass::Avx, CpuClass::Avx2,
                                   CpuClass::Avx512InHalves, CpuClass::Avx512};
  const struct {
    const char *core;
    /// A letter for each class: y fits, n does not.
    const char *fits;
  } rows[] = {
      {"Prescott", "nnnnn"},      {"Nehalem", "ynnnn"},
      {"Barcelona", "ynnnn"},     {"Sandybridge", "nynnn"},
      {"Excavator", "nynnn"},     {"Haswell", "nnyyn"},
      {"Zen", "nnyyn"},           {"ZEN", "nnyyn"},
      {"SkylakeX", "nnnyy"},      {"SKYLAKEX", "nnnyy"},
      {"Cooperlake", "nnnyy"},    {"SapphireRapids", "nnnyy"},
      {"Unknown", "nnnnn"},       {"", "nnnnn"},
      {"Zen4Something", "nnnnn"},
  };
  for (const auto &row : rows)
    for (size_t i = 0; i < std::size(kClasses); ++i)
      EXPECT_EQ(doesCoreFit(row.core, kClasses[i]), row.fits[i] == 'y')
          << row.core << " on " << getCpuClassName(kClasses[i]);
  EXPECT_TRUE(doesCoreFit("NEOVERSEN1", CpuClass::Other));
  char text[128];
  listFittingCores(CpuClass::Avx2, text, sizeof(text));
  EXPECT_STREQ(text, "'Haswell' or 'Zen'");
  char small[12];
  listFittingCores(CpuClass::Avx512, small, sizeof(small));
  EXPECT_STREQ(small, "'SkylakeX',");
}

// The reference BLAS: never by itself, but when it is named.
TEST_F(BlasChoiceTest, ALibraryThatSaysNothingIsNotSearchedFor) {
  installed["libblas.so.3"] = FAKE_REFERENCE_BLAS_FILE;
  chooseBlas(nullptr, nullptr, CpuClass::Avx2, noRatios, choice);
  EXPECT_EQ(choice.status, AMP_RT_UNAVAILABLE);
  EXPECT_STREQ(choice.reason,
               "library 'libblas.so.3' does not say for which CPU its kernels "
               "are; install OpenBLAS, or set AMP_BLAS=libblas.so.3 to use it "
               "as it is");
  setenv("AMP_BLAS", "libblas.so.3", 1);
  chooseBlas(nullptr, nullptr, CpuClass::Avx2, noRatios, choice);
  EXPECT_EQ(choice.status, AMP_RT_OK);
  EXPECT_STREQ(choice.reason,
               "named by AMP_BLAS; it does not say for which CPU "
               "its kernels are");
  EXPECT_STREQ(choice.library.path, FAKE_REFERENCE_BLAS_FILE);
  EXPECT_EQ(choice.library.core, nullptr);
}

TEST_F(BlasChoiceTest, TheSecondCandidateMayBeAnOpenBlas) {
  setenv("FAKE_BLAS_CORE", "Haswell", 1);
  installed["libblas.so.3"] = FAKE_OPENBLAS_FILE;
  chooseBlas(nullptr, nullptr, CpuClass::Avx2, noRatios, choice);
  EXPECT_EQ(choice.status, AMP_RT_OK);
  EXPECT_STREQ(choice.library.core, "Haswell");
}

TEST_F(BlasChoiceTest, OfTwoThatDoNotFitTheFirstIsReported) {
  installed["libblas.so.3"] = FAKE_REFERENCE_BLAS_FILE;
  choose("Nehalem", CpuClass::Avx2);
  EXPECT_EQ(choice.status, AMP_RT_UNAVAILABLE);
  EXPECT_NE(std::string(choice.reason).find("for 'Nehalem'"), std::string::npos)
      << choice.reason;
}

TEST_F(BlasChoiceTest, NothingInstalled) {
  chooseBlas(nullptr, nullptr, CpuClass::Avx2, noRatios, choice);
  EXPECT_EQ(choice.status, AMP_RT_NOT_FOUND);
  EXPECT_FALSE(choice.wasNamed);
}

// What the user names is taken, with a word about it.
TEST_F(BlasChoiceTest, NamedLibrariesAreTakenAsTheyAre) {
  setenv("AMP_BLAS", FAKE_OPENBLAS_FILE, 1);
  choose("Prescott", CpuClass::Avx512);
  EXPECT_EQ(choice.status, AMP_RT_OK);
  EXPECT_TRUE(choice.wasNamed);
  EXPECT_STREQ(
      choice.reason,
      "named by AMP_BLAS, though its core 'Prescott' does not fit this "
      "CPU (AVX-512), which needs 'SkylakeX', 'Cooperlake' or "
      "'SapphireRapids'");
  choose("Cooperlake", CpuClass::Avx512);
  EXPECT_STREQ(choice.reason, "named by AMP_BLAS; its core 'Cooperlake' fits "
                              "this CPU (AVX-512)");
  setenv("AMP_BLAS", "/nonexistent/other.so", 1);
  choose("Zen", CpuClass::Avx2, FAKE_OPENBLAS_FILE);
  EXPECT_EQ(choice.status, AMP_RT_OK) << "the caller's path comes first";
  EXPECT_STREQ(choice.reason, "named by AmpRtBlasOptions.path; its core 'Zen' "
                              "fits this CPU (AVX2)");
}

// No other is tried in place of one that was named.
TEST_F(BlasChoiceTest, ANameOfNothingIsAnError) {
  setenv("AMP_BLAS", "/nonexistent/mine.so", 1);
  choose("Zen", CpuClass::Avx2);
  EXPECT_EQ(choice.status, AMP_RT_NOT_FOUND);
  EXPECT_TRUE(choice.wasNamed);
  EXPECT_EQ(std::string(choice.reason)
                .rfind("library '/nonexistent/mine.so' of AMP_BLAS cannot be "
                       "opened (",
                       0),
            0u)
      << choice.reason;
  setenv("AMP_BLAS", "libm.so.6", 1);
  choose("Zen", CpuClass::Avx2);
  EXPECT_EQ(choice.status, AMP_RT_NOT_FOUND);
  EXPECT_STREQ(choice.reason,
               "library 'libm.so.6' of AMP_BLAS has no symbol 'cblas_sgemm'; "
               "name a library with the CBLAS interface, e.g. "
               "libopenblas.so.0");
}

TEST_F(BlasChoiceTest, OffAndAuto) {
  setenv("AMP_BLAS", "off", 1);
  choose("Zen", CpuClass::Avx2);
  EXPECT_EQ(choice.status, AMP_RT_UNAVAILABLE);
  EXPECT_FALSE(choice.wasNamed);
  EXPECT_STREQ(choice.reason,
               "BLAS is switched off by AMP_BLAS=off; unset it, or set it to "
               "'auto', to let one be searched for");
  for (const char *search : {"auto", ""}) {
    setenv("AMP_BLAS", search, 1);
    EXPECT_EQ(choose("Zen", CpuClass::Avx2).status, AMP_RT_OK) << search;
    EXPECT_FALSE(choice.wasNamed);
    EXPECT_EQ(choose("Nehalem", CpuClass::Avx2).status, AMP_RT_UNAVAILABLE);
  }
  // The same words where a program says which, whatever AMP_BLAS is.
  EXPECT_EQ(choose("Zen", CpuClass::Avx2, "off").status, AMP_RT_UNAVAILABLE);
  EXPECT_FALSE(choice.wasNamed);
  EXPECT_STREQ(
      choice.reason,
      "BLAS is switched off by AmpRtBlasOptions.path=off; unset it, or "
      "set it to 'auto', to let one be searched for");
  setenv("AMP_BLAS", "off", 1);
  EXPECT_EQ(choose("Zen", CpuClass::Avx2, "auto").status, AMP_RT_OK);
  EXPECT_FALSE(choice.wasNamed);
}

// 256 MiB for each thread, before anything is opened.
TEST_F(BlasChoiceTest, NothingIsOpenedWithoutRoom) {
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  const std::string rest =
      "OpenBLAS may take 256 MiB for 1 thread, which the limits of the process "
      "do not leave; raise them (ulimit -v, ulimit -d), set "
      "OPENBLAS_NUM_THREADS to fewer threads, or set AMP_BLAS=off";
  {
    Room room(200);
    if (!room.set)
      GTEST_SKIP() << "no limits of address space";
    choose("Zen", CpuClass::Avx2);
    EXPECT_EQ(choice.status, AMP_RT_UNAVAILABLE);
    EXPECT_FALSE(choice.wasNamed);
    EXPECT_EQ(choice.reason, rest);
    // Not even what is named, and that is an error.
    setenv("AMP_BLAS", "/nonexistent/mine.so", 1);
    choose("Zen", CpuClass::Avx2);
    EXPECT_EQ(choice.status, AMP_RT_UNAVAILABLE);
    EXPECT_TRUE(choice.wasNamed);
    EXPECT_EQ(choice.reason, "library '/nonexistent/mine.so' of AMP_BLAS is "
                             "not opened: " +
                                 rest);
    choose("Zen", CpuClass::Avx2, FAKE_OPENBLAS_FILE);
    EXPECT_EQ(choice.reason, "library '" FAKE_OPENBLAS_FILE
                             "' of AmpRtBlasOptions.path is not opened: " +
                                 rest);
  }
  setenv("AMP_BLAS", FAKE_OPENBLAS_FILE, 1);
  {
    Room room(320);
    EXPECT_EQ(choose("Zen", CpuClass::Avx2).status, AMP_RT_OK) << choice.reason;
  }
  EXPECT_EQ(choose("Zen", CpuClass::Avx2).status, AMP_RT_OK) << "no limit";
}

// Of OpenBLAS's three variables the first with a number counts, up to a thread
// for each CPU.
TEST_F(BlasChoiceTest, VariablesOfOpenBlasSayHowManyThreads) {
  const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  auto expectThreads = [&](long threads) {
    Room room(200);
    choose("Zen", CpuClass::Avx2);
    const std::string text = "OpenBLAS may take " +
                             std::to_string(256 * threads) + " MiB for " +
                             std::to_string(threads) + " thread";
    EXPECT_EQ(std::string(choice.reason).rfind(text, 0), 0u) << choice.reason;
  };
  expectThreads(cpus);
  setenv("OMP_NUM_THREADS", "1", 1);
  expectThreads(1);
  setenv("GOTO_NUM_THREADS", "1000000", 1);
  expectThreads(cpus);
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  expectThreads(1);
  setenv("OPENBLAS_NUM_THREADS", "none", 1);
  expectThreads(cpus);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

TEST_F(BlasChoiceTest, OpenBlasByItsName) {
  setenv("AMP_BLAS", "openblas", 1);
  choose("Prescott", CpuClass::Avx2);
  EXPECT_EQ(choice.status, AMP_RT_OK);
  EXPECT_TRUE(choice.wasNamed);
  EXPECT_STREQ(choice.library.path, FAKE_OPENBLAS_FILE);
  EXPECT_EQ(choice.f32MinWork, 0);
  EXPECT_EQ(choice.bf16MinWork, AMP_RT_BLAS_NEVER);
}

TEST_F(BlasChoiceTest, OneDnnByItsNameIsTheNewest) {
  setenv("AMP_BLAS", "onednn", 1);
  installed["libdnnl.so.2"] = FAKE_ONEDNN2_FILE;
  choose("Zen", CpuClass::Avx2);
  ASSERT_EQ(choice.status, AMP_RT_OK) << choice.reason;
  EXPECT_TRUE(choice.wasNamed);
  EXPECT_EQ(choice.library.sgemm, nullptr);
  EXPECT_STREQ(choice.library.oneDnn->getName(), "oneDNN 2.6.3 (OpenMP)");
  EXPECT_STREQ(choice.library.path, FAKE_ONEDNN2_FILE);
  EXPECT_STREQ(choice.reason, "named by AMP_BLAS; oneDNN 2.6.3 (OpenMP), not "
                              "measured on this CPU (AVX2)");
  installed["libdnnl.so.3"] = FAKE_ONEDNN3_FILE;
  choose("Zen", CpuClass::Avx2);
  ASSERT_EQ(choice.status, AMP_RT_OK) << choice.reason;
  EXPECT_EQ(choice.library.oneDnn->getMajor(), 3);
}

// The newest is the one that is named: an older one does not take its place.
TEST_F(BlasChoiceTest, OneDnnThatCannotBeUsed) {
  setenv("AMP_BLAS", "onednn", 1);
  installed["libdnnl.so.2"] = FAKE_ONEDNN2_FILE;
  installed["libdnnl.so.3"] = FAKE_ONEDNN3_FILE;
  setenv("FAKE_ONEDNN_VERSION", "4.0.0", 1);
  choose("Zen", CpuClass::Avx2);
  EXPECT_EQ(choice.status, AMP_RT_NOT_FOUND);
  EXPECT_TRUE(choice.wasNamed);
  EXPECT_STREQ(choice.reason, "library 'onednn' of AMP_BLAS is oneDNN 4.0.0; "
                              "name one of version 2 or 3");
  installed.clear();
  choose("Zen", CpuClass::Avx2);
  EXPECT_EQ(choice.status, AMP_RT_NOT_FOUND);
  EXPECT_EQ(std::string(choice.reason)
                .rfind("library 'onednn' of AMP_BLAS cannot be opened (", 0),
            0u)
      << choice.reason;
  EXPECT_NE(std::string(choice.reason)
                .find("); install oneDNN (Debian and Ubuntu: libdnnl2 or "
                      "libdnnl3), or leave it unset"),
            std::string::npos)
      << choice.reason;
}

TEST_F(BlasChoiceTest, OtherNamesAreRefused) {
  for (const char *name : {"mkl", "OpenBLAS", "oneDNN", "of"}) {
    setenv("AMP_BLAS", name, 1);
    choose("Zen", CpuClass::Avx2);
    EXPECT_EQ(choice.status, AMP_RT_NOT_FOUND);
    EXPECT_TRUE(choice.wasNamed);
    EXPECT_EQ(choice.reason,
              std::string("expected AMP_BLAS to be 'auto', 'off', 'openblas', "
                          "'onednn' or the file of a library, but got '") +
                  name + "'");
  }
  EXPECT_TRUE(opened.empty());
}

//===----------------------------------------------------------------------===//
// Measurements
//===----------------------------------------------------------------------===//

// It is taken for the products that it wins, of one type or of both.
TEST_F(BlasChoiceTest, OneDnnIsTakenWhereItWins) {
  const OneDnnRatio rows[] = {
      {CpuClass::Avx2, 2, ProductType::F32, 100, 0.90, 0.02},
      {CpuClass::Avx2, 2, ProductType::F32, 1000, 1.20, 0.02},
      {CpuClass::Avx2, 2, ProductType::F32, 5000, 1.11, 0.02},
      {CpuClass::Avx2, 2, ProductType::Bf16, 100, 1.15, 0.16},
  };
  installed["libdnnl.so.2"] = FAKE_ONEDNN2_FILE;
  choose(rows);
  ASSERT_EQ(choice.status, AMP_RT_OK) << choice.reason;
  EXPECT_FALSE(choice.wasNamed);
  ASSERT_NE(choice.library.oneDnn, nullptr);
  EXPECT_EQ(choice.f32MinWork, 1000);
  EXPECT_EQ(choice.bf16MinWork, AMP_RT_BLAS_NEVER) << "not by more than noise";
  EXPECT_STREQ(
      choice.reason,
      "oneDNN 2.6.3 (OpenMP), measured at 0.90 to 1.20 in f32 and 1.15 "
      "to 1.15 in bf16 of what computes otherwise on this CPU (AVX2)");
}

// The same rows for another CPU, and for another version.
TEST_F(BlasChoiceTest, OneDnnIsNotOpenedWhereItDoesNotWin) {
  const OneDnnRatio elsewhere[] = {
      {CpuClass::Avx512, 2, ProductType::F32, 100, 1.5, 0.02}};
  installed["libdnnl.so.2"] = FAKE_ONEDNN2_FILE;
  choose(elsewhere);
  EXPECT_EQ(choice.library.oneDnn, nullptr);
  EXPECT_STREQ(choice.library.path, FAKE_OPENBLAS_FILE);
  EXPECT_EQ(opened, std::vector<std::string>{"libopenblas.so.0"});
  const OneDnnRatio later[] = {
      {CpuClass::Avx2, 3, ProductType::F32, 100, 1.5, 0.02}};
  choose(later);
  EXPECT_STREQ(choice.library.path, FAKE_OPENBLAS_FILE);
  EXPECT_STREQ(choice.reason, "its core 'Zen' fits this CPU (AVX2)");
  // Above its noise, and too little to change anything.
  const OneDnnRatio little[] = {
      {CpuClass::Avx2, 2, ProductType::F32, 100, 1.10, 0.01}};
  choose(little);
  EXPECT_STREQ(choice.library.path, FAKE_OPENBLAS_FILE);
  // Lost where products are largest: one threshold cannot say that.
  const OneDnnRatio smallOnly[] = {
      {CpuClass::Avx2, 2, ProductType::F32, 100, 1.5, 0.02},
      {CpuClass::Avx2, 2, ProductType::F32, 1000, 0.9, 0.02}};
  choose(smallOnly);
  EXPECT_STREQ(choice.library.path, FAKE_OPENBLAS_FILE);
}

// A library of that name which is another.
TEST_F(BlasChoiceTest, WhatIsNoOneDnnIsRefused) {
  installed["libdnnl.so.3"] = FAKE_OPENBLAS_FILE;
  choose("Zen", CpuClass::Avx2, "onednn");
  EXPECT_EQ(choice.status, AMP_RT_NOT_FOUND);
  EXPECT_TRUE(choice.wasNamed);
  EXPECT_NE(
      std::string(choice.reason)
          .find("has no symbol 'dnnl_version'; name a oneDNN of version 2 "
                "or 3"),
      std::string::npos)
      << choice.reason;
}

// One that wins and cannot be used leaves a word behind.
TEST_F(BlasChoiceTest, AnUnusableOneDnnIsToldOf) {
  const OneDnnRatio rows[] = {
      {CpuClass::Avx2, 2, ProductType::Bf16, 100, 1.5, 0.02}};
  installed["libdnnl.so.2"] = FAKE_ONEDNN_INCOMPLETE_FILE;
  choose(rows);
  EXPECT_STREQ(choice.library.path, FAKE_OPENBLAS_FILE);
  EXPECT_STREQ(
      choice.reason,
      "its core 'Zen' fits this CPU (AVX2); library 'libdnnl.so.2' is "
      "oneDNN 2.6.3, but has no symbol 'dnnl_sgemm'; name a whole one");
  // It has no bf16 here, which is what it would win.
  installed["libdnnl.so.2"] = FAKE_ONEDNN2_FILE;
  setenv("FAKE_ONEDNN_FAIL", "dnnl_primitive_desc_create=3", 1);
  choose(rows);
  EXPECT_STREQ(choice.library.path, FAKE_OPENBLAS_FILE);
}

// What is in the repository: each class of a CPU, a version and a type once,
// and numbers that can be ratios.
TEST_F(BlasChoiceTest, TheStoredRatios) {
  const OneDnnRatios stored = getStoredRatios();
  ASSERT_GT(stored.count, 0u);
  for (size_t i = 0; i < stored.count; ++i) {
    const OneDnnRatio &row = stored.rows[i];
    EXPECT_GT(row.ratio, 0.1);
    EXPECT_LT(row.ratio, 10);
    EXPECT_GT(row.noise, 0);
    EXPECT_LT(row.noise, 0.5);
    EXPECT_GT(row.fromWork, 0);
    for (size_t j = 0; j < i; ++j)
      EXPECT_FALSE(row.cpu == stored.rows[j].cpu &&
                   row.major == stored.rows[j].major &&
                   row.type == stored.rows[j].type &&
                   row.fromWork == stored.rows[j].fromWork)
          << "rows " << j << " and " << i;
  }
}

// What the kernel says of this machine's CPU.
TEST(CpuClassTest, AgreesWithTheKernel) {
#ifndef __x86_64__
  EXPECT_EQ(detectCpuClass(), CpuClass::Other);
#else
  std::ifstream file("/proc/cpuinfo");
  std::string line, flags;
  while (flags.empty() && std::getline(file, line))
    if (line.rfind("flags", 0) == 0)
      flags = line + " ";
  if (flags.empty())
    GTEST_SKIP() << "no /proc/cpuinfo";
  auto has = [&](const char *flag) {
    return flags.find(" " + std::string(flag) + " ") != std::string::npos;
  };
  CpuClass cpu = detectCpuClass();
  EXPECT_EQ(cpu >= CpuClass::Avx, has("avx"));
  EXPECT_EQ(cpu >= CpuClass::Avx2, has("avx2") && has("fma"));
  EXPECT_EQ(cpu >= CpuClass::Avx512InHalves,
            has("avx512f") && has("avx512bw") && has("avx512dq") &&
                has("avx512vl") && has("avx512cd"));
#endif
}
