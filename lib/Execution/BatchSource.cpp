//===- BatchSource.cpp - Where a training step's batches come from --------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/BatchSource.h"
#include "amp/Execution/ArrayBinding.h"
#include "amp/Execution/RandomStream.h"
#include "amp/Support/ByteCount.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>
#include <limits>

using namespace mlir::amp;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

BatchSource::~BatchSource() = default;

std::vector<ValueSpec>
mlir::amp::getBatchSpecs(llvm::ArrayRef<ValueSpec> arguments) {
  std::vector<ValueSpec> specs;
  llvm::copy_if(arguments, std::back_inserter(specs),
                [](const ValueSpec &spec) { return spec.role == "batch"; });
  return specs;
}

//===----------------------------------------------------------------------===//
// Data sets
//===----------------------------------------------------------------------===//

Dataset::Dataset(std::string origin, Arrays arrays)
    : origin(std::move(origin)), arrays(std::move(arrays)) {}

Expected<Dataset> Dataset::open(StringRef path) {
  Expected<ArrayArchive> opened = ArrayArchive::open(path);
  if (!opened)
    return opened.takeError();
  Dataset data((Twine("'") + path + "'").str(), {});
  data.archive = std::make_shared<ArrayArchive>(std::move(*opened));
  return data;
}

bool Dataset::contains(StringRef name) const {
  return arrays.count(name.str()) || (archive && archive->contains(name));
}

std::string Dataset::describe(StringRef name) const {
  return (Twine("array '") + name + "' in " + origin).str();
}

Expected<ArrayType> Dataset::getType(const ValueSpec &spec) const {
  if (auto found = arrays.find(spec.name); found != arrays.end())
    return mlir::amp::getType(*found->second);
  if (archive && archive->contains(spec.name))
    return archive->readType(spec.name);
  std::string names;
  auto add = [&](StringRef name) {
    names += ((names.empty() ? "'" : ", '") + name + "'").str();
  };
  if (archive)
    llvm::for_each(archive->getNames(), add);
  else
    for (const auto &[name, array] : arrays)
      add(name);
  return createStringError(Twine("expected an array '") + spec.name + "' for " +
                           describeArgument(spec) + " in " + origin +
                           ", but it has " +
                           (names.empty() ? "no arrays" : names));
}

Expected<std::shared_ptr<const HostArray>>
Dataset::get(const ValueSpec &spec) const {
  if (auto found = arrays.find(spec.name); found != arrays.end())
    return found->second;
  if (!contains(spec.name))
    return getType(spec).takeError();
  Expected<HostArray> array = archive->read(spec.name);
  if (!array)
    return array.takeError();
  auto kept = std::make_shared<const HostArray>(std::move(*array));
  arrays[spec.name] = kept;
  return kept;
}

static int64_t getProduct(llvm::ArrayRef<int64_t> extents) {
  return countBytes(extents, 1).value_or(std::numeric_limits<int64_t>::max());
}

/// True if rows of shape `given` are rows of shape `wanted` in memory and in
/// meaning: equal but for extents of 1, or one of the two is flat.
static bool meansSame(llvm::ArrayRef<int64_t> given,
                      llvm::ArrayRef<int64_t> wanted) {
  auto withoutOnes = [](llvm::ArrayRef<int64_t> shape) {
    llvm::SmallVector<int64_t, 4> kept;
    llvm::copy_if(shape, std::back_inserter(kept),
                  [](int64_t extent) { return extent != 1; });
    return kept;
  };
  const bool isEitherFlat = given.size() == 1 || wanted.size() == 1;
  return withoutOnes(given) == withoutOnes(wanted) ||
         (isEitherFlat && getProduct(given) == getProduct(wanted));
}

/// Extents of one row of `spec` for data of `type`; fails unless its rows are
/// such rows.
static Expected<llvm::SmallVector<int64_t, 4>>
fitRow(const ValueSpec &spec, const ArrayType &type, StringRef origin) {
  llvm::ArrayRef<int64_t> given = llvm::ArrayRef(type.shape).drop_front();
  llvm::ArrayRef<int64_t> wanted = llvm::ArrayRef(spec.shape).drop_front();
  // Where the argument leaves extents open the data's are taken, one by one.
  const bool isDynamic =
      llvm::any_of(wanted, [](int64_t extent) { return extent < 0; });
  bool fits =
      isDynamic ? given.size() == wanted.size() : meansSame(given, wanted);
  llvm::SmallVector<int64_t, 4> row(wanted);
  for (size_t d = 0; isDynamic && fits && d < row.size(); ++d) {
    fits = row[d] < 0 || row[d] == given[d];
    row[d] = given[d];
  }
  if (fits)
    return row;
  const bool isReordered =
      !isDynamic && getProduct(given) == getProduct(wanted);
  return createStringError(
      Twine("expected the rows of ") + origin + " to fit those of " +
      describeArgument(spec) + ", " + getTypeString(spec.elementKind, wanted) +
      ", but got " + getTypeString(type.kind, given) +
      (isReordered ? ", which has as many elements in another order; transpose "
                     "or reshape it before it is saved"
                   : ""));
}

/// The batch size that `spec` asks for, or `fallback` where it is dynamic.
static Expected<int64_t> getBatchSize(const ValueSpec &spec, int64_t fallback) {
  if (spec.shape.empty())
    return createStringError(Twine("expected ") + describeArgument(spec) +
                             " to have a leading extent, the batch, but got " +
                             getTypeString(spec.elementKind, spec.shape));
  if (spec.shape[0] > 0)
    return spec.shape[0];
  if (spec.shape[0] == 0)
    return createStringError(Twine("expected ") + describeArgument(spec) +
                             " to hold at least one row, but got " +
                             getTypeString(spec.elementKind, spec.shape));
  if (fallback > 0)
    return fallback;
  return createStringError(Twine("expected a batch size for ") +
                           describeArgument(spec) + ", which is " +
                           getTypeString(spec.elementKind, spec.shape) +
                           "; give '--batch-size'");
}

Expected<BoundDataset> BoundDataset::bindTypes(const Dataset &data,
                                               llvm::ArrayRef<ValueSpec> specs,
                                               int64_t batchSize) {
  BoundDataset bound;
  if (specs.empty())
    return createStringError(Twine("expected batch arguments to bind ") +
                             data.getOrigin() +
                             " to, but the step has none; give arguments "
                             "amp.role = \"batch\"");
  for (const ValueSpec &spec : specs) {
    Expected<ArrayType> type = data.getType(spec);
    if (!type)
      return type.takeError();
    const std::string origin = data.describe(spec.name);

    Expected<int64_t> size = ::getBatchSize(spec, batchSize);
    if (!size)
      return size.takeError();
    if (type->shape.empty())
      return createStringError(Twine("expected ") + origin +
                               " to have a row per sample, but it is a single "
                               "number");
    const int64_t rows = type->shape[0];
    const bool isFirst = bound.columns.empty();
    if (isFirst) {
      bound.numRows = rows;
      bound.batchSize = *size;
    }
    if (rows != bound.numRows)
      return createStringError(Twine("expected ") + origin + " to have " +
                               Twine(bound.numRows) + " rows as '" +
                               specs[0].name + "' has, but got " + Twine(rows));
    if (*size != bound.batchSize)
      return createStringError(Twine("expected ") + describeArgument(spec) +
                               " to have " + Twine(bound.batchSize) +
                               " rows as '" + specs[0].name +
                               "' has, but got " + Twine(*size));

    Expected<llvm::SmallVector<int64_t, 4>> rowShape =
        fitRow(spec, *type, origin);
    if (!rowShape)
      return rowShape.takeError();
    if (Error error = checkElementKind(*type, spec, origin))
      return error;
    Column column;
    column.rowShape = std::move(*rowShape);
    std::optional<int64_t> bytes =
        getByteCount(spec.elementKind, column.rowShape);
    if (!bytes)
      return createStringError(
          Twine("expected the rows of ") + origin +
          " to have less than 2^63 bytes, but got " +
          getTypeString(spec.elementKind, column.rowShape));
    column.rowBytes = *bytes;
    bound.columns.push_back(std::move(column));
  }
  return bound;
}

Expected<BatchShapes> BoundDataset::fit(const Dataset &data,
                                        llvm::ArrayRef<ValueSpec> specs,
                                        int64_t batchSize) {
  Expected<BoundDataset> bound = bindTypes(data, specs, batchSize);
  if (!bound)
    return bound.takeError();
  return bound->getBatchShapes();
}

Expected<BoundDataset> BoundDataset::bind(const Dataset &data,
                                          llvm::ArrayRef<ValueSpec> specs,
                                          int64_t batchSize) {
  // Nothing is read for a set that does not fit.
  Expected<BoundDataset> bound = bindTypes(data, specs, batchSize);
  if (!bound)
    return bound.takeError();
  for (auto [spec, column] : llvm::zip_equal(specs, bound->columns)) {
    Expected<std::shared_ptr<const HostArray>> array = data.get(spec);
    if (!array)
      return array.takeError();
    const std::string origin = data.describe(spec.name);
    if (Error error = checkFinite(**array, NonFinite::Forbid, origin))
      return error;
    column.array = *array;
    if ((*array)->getKind() == spec.elementKind)
      continue;
    Expected<HostArray> converted = convertToArgument(**array, spec, origin);
    if (!converted)
      return converted.takeError();
    column.array = std::make_shared<HostArray>(std::move(*converted));
  }
  return bound;
}

std::vector<int64_t> BoundDataset::getBatchBytes() const {
  std::vector<int64_t> bytes;
  for (const Column &column : columns)
    bytes.push_back(column.rowBytes * batchSize); // the set has as many rows
  return bytes;
}

static llvm::SmallVector<int64_t, 4>
getBatchShape(int64_t rows, llvm::ArrayRef<int64_t> rowShape) {
  llvm::SmallVector<int64_t, 4> shape{rows};
  llvm::append_range(shape, rowShape);
  return shape;
}

BatchShapes BoundDataset::getBatchShapes() const {
  BatchShapes shapes;
  for (const Column &column : columns)
    shapes.push_back(getBatchShape(batchSize, column.rowShape));
  return shapes;
}

Batch BoundDataset::gather(llvm::ArrayRef<int64_t> rows) const {
  Batch batch;
  for (const Column &column : columns) {
    HostArray array(column.array->getKind(),
                    getBatchShape(int64_t(rows.size()), column.rowShape));
    char *out = array.as<char>();
    for (int64_t row : rows) {
      std::memcpy(out, column.array->as<char>() + row * column.rowBytes,
                  column.rowBytes);
      out += column.rowBytes;
    }
    batch.push_back(std::move(array));
  }
  return batch;
}

namespace {

/// Batches of a data set, its rows permuted anew each epoch.
class ShuffledSource : public BatchSource {
public:
  ShuffledSource(BoundDataset data, std::string origin, uint64_t seed)
      : data(std::move(data)), origin(std::move(origin)), seed(seed) {}

  Expected<Batch> getBatch(int64_t step) override {
    const int64_t batchSize = data.getBatchSize();
    const int64_t batchesPerEpoch = data.getNumRows() / batchSize;
    const int64_t epoch = step / batchesPerEpoch;
    // A permutation follows from seed and epoch alone, so a run can start at
    // any step.
    if (epoch != currentEpoch) {
      RandomStream stream(seed, ("epoch " + Twine(epoch)).str());
      order = stream.permutation(data.getNumRows());
      currentEpoch = epoch;
    }
    return data.gather(llvm::ArrayRef(order).slice(
        (step % batchesPerEpoch) * batchSize, batchSize));
  }
  std::optional<int64_t> getNumSteps() const override { return std::nullopt; }
  std::string describe() const override { return origin; }

  Expected<BatchShapes> getBatchShapes(int64_t) override {
    return data.getBatchShapes();
  }
  std::vector<int64_t> getBatchBytes() override { return data.getBatchBytes(); }

private:
  BoundDataset data;
  std::string origin;
  uint64_t seed;
  int64_t currentEpoch = -1;
  std::vector<int64_t> order;
};

/// Batches of a data set in a recorded order.
class OrderedSource : public BatchSource {
public:
  OrderedSource(BoundDataset data, std::string origin, HostArray order)
      : data(std::move(data)), origin(std::move(origin)),
        order(std::move(order)) {}

  Expected<Batch> getBatch(int64_t step) override {
    const int64_t batchSize = data.getBatchSize();
    std::vector<int64_t> rows(batchSize);
    for (int64_t i = 0; i < batchSize; ++i)
      rows[i] = order.getAsInteger(step * batchSize + i);
    return data.gather(rows);
  }
  std::optional<int64_t> getNumSteps() const override {
    return order.getShape()[0];
  }
  std::string describe() const override { return origin; }

  Expected<BatchShapes> getBatchShapes(int64_t) override {
    return data.getBatchShapes();
  }
  std::vector<int64_t> getBatchBytes() override { return data.getBatchBytes(); }

private:
  BoundDataset data;
  std::string origin;
  /// Steps x batch, each an index of a row.
  HostArray order;
};

} // namespace

Expected<std::unique_ptr<BatchSource>>
mlir::amp::makeShuffledSource(const Dataset &data,
                              llvm::ArrayRef<ValueSpec> trainArguments,
                              int64_t batchSize, uint64_t seed) {
  Expected<BoundDataset> bound =
      BoundDataset::bind(data, getBatchSpecs(trainArguments), batchSize);
  if (!bound)
    return bound.takeError();
  if (batchSize > 0 && bound->getBatchSize() != batchSize)
    return createStringError(Twine("expected '--batch-size' to be ") +
                             Twine(bound->getBatchSize()) +
                             ", for which the step was written, but got " +
                             Twine(batchSize) + "; leave it out");
  if (bound->getNumRows() < bound->getBatchSize())
    return createStringError(Twine("expected at least ") +
                             Twine(bound->getBatchSize()) +
                             " rows, one batch, in " + data.getOrigin() +
                             ", but got " + Twine(bound->getNumRows()));
  return std::make_unique<ShuffledSource>(std::move(*bound),
                                          data.getOrigin().str(), seed);
}

Expected<std::unique_ptr<BatchSource>>
mlir::amp::makeOrderedSource(const Dataset &data,
                             llvm::ArrayRef<ValueSpec> trainArguments,
                             const HostArray &order, StringRef orderOrigin) {
  if (order.getShape().size() != 2 || isFloatKind(order.getKind()))
    return createStringError(Twine("expected ") + orderOrigin +
                             " to hold integers, steps x batch, but got " +
                             order.getTypeString());
  Expected<BoundDataset> bound = BoundDataset::bind(
      data, getBatchSpecs(trainArguments), order.getShape()[1]);
  if (!bound)
    return bound.takeError();
  if (bound->getBatchSize() != order.getShape()[1])
    return createStringError(
        Twine("expected ") + orderOrigin + " to have batches of " +
        Twine(bound->getBatchSize()) + " rows as the step has, but got " +
        Twine(order.getShape()[1]));
  for (int64_t i = 0, e = order.getNumElements(); i < e; ++i) {
    const int64_t row = order.getAsInteger(i);
    if (row < 0 || row >= bound->getNumRows())
      return createStringError(Twine("expected the rows in ") + orderOrigin +
                               " to be below " + Twine(bound->getNumRows()) +
                               ", the size of " + data.getOrigin() +
                               ", but got " + Twine(row));
  }
  return std::make_unique<OrderedSource>(std::move(*bound),
                                         data.getOrigin().str(), order.clone());
}

//===----------------------------------------------------------------------===//
// Replay
//===----------------------------------------------------------------------===//

namespace {

/// The batches of a replay file. The I-th batch argument of step K is the array
/// stepK_xI, whatever the argument's name.
class ReplayBatches : public BatchSource {
public:
  ReplayBatches(std::shared_ptr<ArrayArchive> archive,
                std::vector<ValueSpec> specs, int64_t numSteps)
      : archive(std::move(archive)), specs(std::move(specs)),
        numSteps(numSteps) {}

  Expected<Batch> getBatch(int64_t step) override {
    Batch batch;
    for (auto [index, spec] : llvm::enumerate(specs)) {
      Expected<HostArray> array =
          readArgument(*archive, getArrayName(step, int64_t(index)), spec,
                       NonFinite::Forbid);
      if (!array)
        return array.takeError();
      batch.push_back(std::move(*array));
    }
    return batch;
  }
  Expected<BatchShapes> getBatchShapes(int64_t step) override {
    BatchShapes shapes;
    for (auto [index, spec] : llvm::enumerate(specs)) {
      Expected<ArrayType> type =
          readArgumentType(*archive, getArrayName(step, int64_t(index)), spec);
      if (!type)
        return type.takeError();
      shapes.push_back(std::move(type->shape));
    }
    return shapes;
  }
  std::optional<int64_t> getNumSteps() const override { return numSteps; }
  std::vector<int64_t> getBatchBytes() override {
    std::vector<int64_t> bytes(specs.size());
    for (int64_t step = 0; step < numSteps; ++step)
      for (auto [index, spec] : llvm::enumerate(specs)) {
        Expected<ArrayType> type =
            archive->readType(getArrayName(step, int64_t(index)));
        if (!type) {
          llvm::consumeError(type.takeError()); // getBatch reports it
          continue;
        }
        bytes[index] = std::max(
            bytes[index], getByteCount(spec.elementKind, type->shape)
                              .value_or(std::numeric_limits<int64_t>::max()));
      }
    return bytes;
  }
  std::string describe() const override {
    return (Twine("'") + archive->getPath() + "'").str();
  }

private:
  static std::string getArrayName(int64_t step, int64_t index) {
    return ("step" + Twine(step) + "_x" + Twine(index)).str();
  }

  std::shared_ptr<ArrayArchive> archive;
  std::vector<ValueSpec> specs;
  int64_t numSteps;
};

/// The start values of a replay file.
class ReplayStart : public GivenValues {
public:
  ReplayStart(std::shared_ptr<ArrayArchive> archive,
              llvm::ArrayRef<ValueSpec> originalArguments)
      : archive(std::move(archive)) {
    for (auto [index, spec] : llvm::enumerate(originalArguments))
      positions[{spec.role, spec.name}] = int64_t(index);
  }

  std::optional<Value> find(StringRef role, StringRef name) override {
    auto position = positions.find({role.str(), name.str()});
    if (position == positions.end())
      return std::nullopt;
    const std::string array = ("arg" + Twine(position->second)).str();
    if (!archive->contains(array))
      return std::nullopt;
    return Value{archive.get(), array};
  }

  Error explainMissing(const ValueSpec &spec) override {
    // An argument that the program did not have before compilation (a scratch
    // value of a pass) starts from its default.
    const std::string role = spec.role == "master" ? "param" : spec.role;
    auto position = positions.find({role, spec.name});
    if (position == positions.end())
      return Error::success();
    return createStringError(
        Twine("expected an array 'arg") + Twine(position->second) +
        "', the start value of " + describeArgument(spec) + ", in '" +
        archive->getPath() + "'; is it the replay file of this module?");
  }

private:
  std::shared_ptr<ArrayArchive> archive;
  /// Argument numbers in the step before compilation.
  std::map<ValueKey, int64_t> positions;
};

} // namespace

Expected<Replay>
mlir::amp::openReplay(StringRef path,
                      llvm::ArrayRef<ValueSpec> originalArguments) {
  Expected<ArrayArchive> opened = ArrayArchive::open(path);
  if (!opened)
    return opened.takeError();
  auto archive = std::make_shared<ArrayArchive>(std::move(*opened));
  std::vector<ValueSpec> specs = getBatchSpecs(originalArguments);

  // The number of steps is counted, not read from 'steps', so that a file made
  // by hand needs no more than its batches.
  int64_t numSteps = 0;
  while (archive->contains(("step" + Twine(numSteps) + "_x0").str()))
    ++numSteps;
  if (numSteps == 0)
    return createStringError(Twine("expected batches 'step0_x0', 'step0_x1', "
                                   "'step1_x0'... in '") +
                             path +
                             "', but it has none; train on a data set with "
                             "'--data'");
  Replay replay;
  replay.batches =
      std::make_unique<ReplayBatches>(archive, std::move(specs), numSteps);
  replay.startValues =
      std::make_unique<ReplayStart>(archive, originalArguments);
  if (archive->contains("losses")) {
    Expected<HostArray> losses = archive->read("losses");
    if (!losses)
      return losses.takeError();
    for (int64_t i = 0, e = losses->getNumElements(); i < e; ++i)
      replay.losses.push_back(losses->getAsDouble(i));
  }
  return replay;
}
