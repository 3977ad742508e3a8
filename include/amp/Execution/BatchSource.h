//===- BatchSource.h - Batches of a training run ----------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two kinds of files feed a step. A data set (`--data`) holds arrays x0, x1...
// of many rows, from which batches are gathered in a shuffled or a recorded
// order. A replay file (`--replay`) holds finished batches step0_x0, step0_x1,
// step1_x0... and the start values arg0, arg1..., numbered by the arguments of
// the train step as it was before compilation.
//
// A row of a data set has the shape of a row of the argument, but for extents
// of 1; or one of the two is flat: an array 1437x64 binds to 32x64 and to
// 32x1x8x8, and 1437x8x8 binds to both. Two shapes that merely have as many
// elements (8x8x3 and 3x8x8) mean different things.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_BATCHSOURCE_H
#define AMP_EXECUTION_BATCHSOURCE_H

#include "amp/Execution/ArrayArchive.h"
#include "amp/Execution/Program.h"
#include "amp/Execution/StartValues.h"

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace mlir::amp {

/// Arrays for the batch arguments, in their order.
using Batch = std::vector<HostArray>;
/// The extents of each of them.
using BatchShapes = std::vector<llvm::SmallVector<int64_t, 4>>;

/// Gives the batch of each step.
class BatchSource {
public:
  virtual ~BatchSource();
  virtual llvm::Expected<Batch> getBatch(int64_t step) = 0;
  /// The extents of what getBatch gives; no elements are read for it.
  virtual llvm::Expected<BatchShapes> getBatchShapes(int64_t step) = 0;
  /// How many steps there are, or none for as many as wanted.
  virtual std::optional<int64_t> getNumSteps() const = 0;
  /// Bytes of each array of a batch, in the order of the arguments; of the
  /// largest, where batches differ.
  virtual std::vector<int64_t> getBatchBytes() = 0;
  /// What errors call it: "'mlp_digits.npz'".
  virtual std::string describe() const = 0;
};

/// The specs with the role "batch", in order.
std::vector<ValueSpec> getBatchSpecs(llvm::ArrayRef<ValueSpec> arguments);

//===----------------------------------------------------------------------===//
// Data sets
//===----------------------------------------------------------------------===//

/// Named arrays, each with a row per sample.
class Dataset {
public:
  using Arrays = std::map<std::string, std::shared_ptr<const HostArray>>;

  /// Opens an .npz file. Arrays are read when they are first asked for, and
  /// kept; one that nobody wants may be of any kind and size.
  static llvm::Expected<Dataset> open(llvm::StringRef path);
  /// `origin` is what errors call the set: "'digits.npz'".
  Dataset(std::string origin, Arrays arrays);

  llvm::StringRef getOrigin() const { return origin; }
  bool contains(llvm::StringRef name) const;
  /// "array 'x0' in 'digits.npz'", as errors name an array.
  std::string describe(llvm::StringRef name) const;
  /// The type of the array of this name, or an error that names those that are
  /// there.
  llvm::Expected<ArrayType> getType(const ValueSpec &spec) const;
  llvm::Expected<std::shared_ptr<const HostArray>>
  get(const ValueSpec &spec) const;

private:
  std::string origin;
  /// What is in memory: all, or what was read from the archive.
  mutable Arrays arrays;
  std::shared_ptr<const ArrayArchive> archive;
};

/// The arrays of a data set that arguments want, checked and converted once.
class BoundDataset {
public:
  /// Binds by name. Types are checked before anything is read. `batchSize`
  /// stands in for dynamic leading extents; 0 if the user gave none.
  static llvm::Expected<BoundDataset>
  bind(const Dataset &data, llvm::ArrayRef<ValueSpec> specs, int64_t batchSize);

  int64_t getNumRows() const { return numRows; }
  int64_t getBatchSize() const { return batchSize; }
  /// The extents of a batch of such arrays, of which nothing but types is read.
  static llvm::Expected<BatchShapes>
  fit(const Dataset &data, llvm::ArrayRef<ValueSpec> specs, int64_t batchSize);

  /// Of each array of a batch.
  std::vector<int64_t> getBatchBytes() const;
  BatchShapes getBatchShapes() const;
  /// One array per spec, of as many rows as `rows` has.
  Batch gather(llvm::ArrayRef<int64_t> rows) const;

private:
  struct Column {
    std::shared_ptr<const HostArray> array;
    /// Extents of one row of the argument.
    llvm::SmallVector<int64_t, 4> rowShape;
    int64_t rowBytes;
  };
  /// Binds types.
  static llvm::Expected<BoundDataset> bindTypes(const Dataset &data,
                                                llvm::ArrayRef<ValueSpec> specs,
                                                int64_t batchSize);

  llvm::SmallVector<Column, 2> columns;
  int64_t numRows = 0;
  int64_t batchSize = 0;
};

/// Batches in a new random order each epoch. The rows that are left over when
/// the last batch of an epoch is full are not used in that epoch. `batchSize`
/// is for arguments with a dynamic leading extent; 0 if the user gave none.
llvm::Expected<std::unique_ptr<BatchSource>>
makeShuffledSource(const Dataset &data,
                   llvm::ArrayRef<ValueSpec> trainArguments, int64_t batchSize,
                   uint64_t seed);

/// Batches in a given order: row `step` of `order` holds the indices of its
/// samples.
llvm::Expected<std::unique_ptr<BatchSource>>
makeOrderedSource(const Dataset &data, llvm::ArrayRef<ValueSpec> trainArguments,
                  const HostArray &order, llvm::StringRef orderOrigin);

//===----------------------------------------------------------------------===//
// Replay
//===----------------------------------------------------------------------===//

/// A replay file: a source of batches and of start values.
struct Replay {
  std::unique_ptr<BatchSource> batches;
  std::unique_ptr<GivenValues> startValues;
  /// The recorded losses of the steps, to compare with; empty if there are
  /// none.
  std::vector<double> losses;
};

/// Opens a replay file. `originalArguments` are those of the train step before
/// compilation, to whose positions the file's argN refer; its batches are those
/// of the compiled step. All values must be there and fit.
llvm::Expected<Replay> openReplay(llvm::StringRef path,
                                  llvm::ArrayRef<ValueSpec> originalArguments);

} // namespace mlir::amp

#endif // AMP_EXECUTION_BATCHSOURCE_H
