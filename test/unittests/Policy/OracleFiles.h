//===- OracleFiles.h - Recorded results of Apex, for tests ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads test/Inputs/oracles: what Apex and ROCm's fork of it did with every
// combination of arguments and every listed function, recorded from real runs.
// A file that cannot be read ends the test program: no test may pass because
// its rows were missing.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_UNITTESTS_POLICY_ORACLEFILES_H
#define AMP_UNITTESTS_POLICY_ORACLEFILES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <string>
#include <vector>

namespace amp_test {

/// One line of a table: column name to cell.
using Row = std::map<std::string, std::string>;

/// The rows of a CSV file (RFC 4180: cells may be quoted and span lines).
std::vector<Row> readTable(llvm::StringRef file);

/// The object that a JSON file holds.
llvm::json::Object readObject(llvm::StringRef file);

/// The single case of that name in special_cases.json or
/// properties_rocm_texts.json (`cases`).
const llvm::json::Object &findCase(const llvm::json::Object &file,
                                   llvm::StringRef name);

/// "a=1 b=2": the row in a failure message.
std::string describe(const Row &row);

/// Prints how many rows agree and records the number as a test property.
void reportAgreement(llvm::StringRef file, size_t agreeing, size_t rows);

} // namespace amp_test

#endif // AMP_UNITTESTS_POLICY_ORACLEFILES_H
