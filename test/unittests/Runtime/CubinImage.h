//===-- CubinImage.h - Cubins made of a few bytes ---------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_TEST_UNITTESTS_RUNTIME_CUBINIMAGE_H
#define AMP_TEST_UNITTESTS_RUNTIME_CUBINIMAGE_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// An ELF file as ptxas writes one, as far as somebody reads it: for each
/// kernel code, and what its parameters are (FakeDriver/FakeModules.cpp says
/// how).
class CubinImage {
public:
  struct Parameter {
    uint32_t bytes;
    uint16_t offset;
    /// What it points to is a multiple of; 0 if it is not said to point.
    uint32_t alignment = 0;
  };

  /// For any GPU, or for that of a number like 90.
  explicit CubinImage(uint32_t architecture = 0) : architecture(architecture) {}

  /// A kernel that says nothing about itself.
  void addKernel(const std::string &name) {
    sections.push_back({".text." + name, std::string(128, '\0')});
  }
  void addKernel(const std::string &name,
                 const std::vector<Parameter> &parameters,
                 uint32_t threadsLimit) {
    addKernel(name);
    std::string info;
    // A version, and a mark that has no bytes behind it.
    for (uint16_t half : {0x3704, 4, 0x82, 0, 0x3501, 0})
      put<uint16_t>(info, half);
    // ptxas writes the last one first.
    for (size_t i = parameters.size(); i-- > 0;) {
      const Parameter &parameter = parameters[i];
      uint32_t log = 0, space = parameter.alignment ? 4 : 0;
      while (parameter.alignment >> (log + 1))
        ++log;
      put<uint16_t>(info, 0x1704);
      put<uint16_t>(info, 12);
      put<uint32_t>(info, 0);
      put<uint16_t>(info, static_cast<uint16_t>(i));
      put<uint16_t>(info, parameter.offset);
      put<uint32_t>(info, parameter.bytes << 18 | 0x1f000 | space << 8 | log);
    }
    put<uint16_t>(info, 0x0504);
    put<uint16_t>(info, 12);
    for (uint32_t number : {threadsLimit, 1u, 1u})
      put<uint32_t>(info, number);
    sections.push_back({".nv.info." + name, info});
  }

  std::string make() const {
    std::string names(1, '\0'), contents, table(64, '\0');
    auto addSection = [&](const std::string &name, const std::string &bytes) {
      std::string header;
      put<uint32_t>(header, static_cast<uint32_t>(names.size()));
      header.resize(24);
      put<uint64_t>(header, 64 + contents.size());
      put<uint64_t>(header, bytes.size());
      header.resize(64);
      table += header;
      contents += bytes;
      names += name + '\0';
    };
    for (const auto &[name, bytes] : sections)
      addSection(name, bytes);
    addSection(".shstrtab", names + std::string(".shstrtab") + '\0');
    std::string image = "\x7f"
                        "ELF";
    image.resize(40);
    image[8] = architecture ? 8 : 0; // the ABI's version
    put<uint64_t>(image, 64 + contents.size());
    put<uint32_t>(image, architecture << 8);
    image.resize(58);
    put<uint16_t>(image, 64);
    put<uint16_t>(image, static_cast<uint16_t>(sections.size() + 2));
    put<uint16_t>(image, static_cast<uint16_t>(sections.size() + 1));
    return image + contents + table;
  }

private:
  template <typename T> static void put(std::string &to, T value) {
    to.append(reinterpret_cast<const char *>(&value), sizeof(T));
  }

  uint32_t architecture;
  std::vector<std::pair<std::string, std::string>> sections;
};

#endif // AMP_TEST_UNITTESTS_RUNTIME_CUBINIMAGE_H
