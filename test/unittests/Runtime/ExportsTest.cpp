//===-- ExportsTest.cpp - What leaves the shared library ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Version.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <dlfcn.h>
#include <string>

// Nothing but ampRt* and what compiled code calls by MLIR's names: no
// compiler-rt names, no C++. Asked of `nm`, because the process may have
// symbols of these names from elsewhere.
TEST(Exports, OnlyTheCInterface) {
  Dl_info info;
  ASSERT_NE(dladdr(reinterpret_cast<void *>(&ampRtVersionGet), &info), 0);
  std::string library = info.dli_fname;
  ASSERT_NE(library.find("libamp-rt.so"), std::string::npos) << library;
  std::string command = "nm -D --defined-only '" + library + "' 2>/dev/null";
  FILE *nm = popen(command.c_str(), "r");
  ASSERT_NE(nm, nullptr);
  char line[512];
  int count = 0, allocators = 0;
  while (std::fgets(line, sizeof(line), nm)) {
    std::string text = line;
    if (text.find(" A AMP_RT_") != std::string::npos)
      continue; // the name of a version, as GNU's linker writes it
    ++count;
    bool isOurs = text.find(" T ampRt") != std::string::npos;
    bool isMlirs = text.find(" T _mlir_memref_to_llvm_") != std::string::npos;
    EXPECT_TRUE(isOurs || isMlirs) << text;
    allocators += isMlirs;
  }
  if (pclose(nm) != 0)
    GTEST_SKIP() << "there is no 'nm' here";
  EXPECT_EQ(allocators, 3);
  EXPECT_GT(count, 50);
}
