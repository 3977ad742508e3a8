//===- OracleRuns.cpp - Recorded Apex runs --------------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/OracleRuns.h"

#include "JsonFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <limits>

using namespace mlir::amp;
using llvm::createStringError;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Reading the recording
//===----------------------------------------------------------------------===//

namespace {

/// A JSON number, or one of the strings "nan", "inf", "-inf".
struct Number {
  double value = 0;
};

/// The value of an argument of initialize, as option text.
struct OptionText {
  std::string text;
};

/// An entry of `inject`.
struct InjectionFields {
  Injection injection;
};

/// A run as the file has it, before its rows are taken apart.
struct RunFields {
  OracleRun run;
  std::vector<InjectionFields> injections;
  std::vector<std::string> columns;
  std::vector<std::vector<std::optional<Number>>> rows;
  std::vector<std::vector<Number>> testOutputs;
};

struct FileFields {
  std::vector<RunFields> runs;
  ToleranceTable tolerances;
};

// llvm::json finds these by the namespace of their types.

bool fromJSON(const json::Value &value, Number &out, json::Path path) {
  if (std::optional<double> number = value.getAsNumber()) {
    out.value = *number;
    return true;
  }
  const double infinity = std::numeric_limits<double>::infinity();
  std::optional<StringRef> text = value.getAsString();
  if (text == StringRef("nan"))
    out.value = std::numeric_limits<double>::quiet_NaN();
  else if (text == StringRef("inf"))
    out.value = infinity;
  else if (text == StringRef("-inf"))
    out.value = -infinity;
  else {
    path.report("expected a number, \"nan\", \"inf\" or \"-inf\"");
    return false;
  }
  return true;
}

bool fromJSON(const json::Value &value, OptionText &out, json::Path path) {
  if (std::optional<std::string> text = getScalarText(value)) {
    out.text = std::move(*text);
    return true;
  }
  path.report("expected a string, a boolean or a number");
  return false;
}

bool fromJSON(const json::Value &value, InjectionFields &out, json::Path path) {
  json::ObjectMapper mapper(value, path);
  Injection &injection = out.injection;
  Number number;
  if (!mapper || !mapper.map("step", injection.step) ||
      !mapper.map("param", injection.name) ||
      !mapper.map("index", injection.index) || !mapper.map("value", number))
    return false;
  injection.value = number.value;
  return true;
}

/// The arguments of initialize as options; null ones are not set.
bool readProperties(const json::Value &value, OracleRun &run, json::Path path) {
  const json::Object *object = value.getAsObject();
  if (!object) {
    path.report("expected object");
    return false;
  }
  for (const auto &[key, argument] : *object) {
    if (argument.kind() == json::Value::Null)
      continue;
    OptionText option;
    if (!fromJSON(argument, option, path.field(key)))
      return false;
    std::string name = StringRef(key).str();
    llvm::replace(name, '_', '-');
    run.properties.emplace_back(name, option.text);
    if (name == "opt-level")
      run.optLevel = option.text;
  }
  // json::Object keeps no order; this one reads well and is the same each time.
  llvm::sort(run.properties, [](const auto &a, const auto &b) {
    const bool aIsLevel = a.first == "opt-level";
    const bool bIsLevel = b.first == "opt-level";
    return aIsLevel != bIsLevel ? aIsLevel : a < b;
  });
  return true;
}

/// The scale in force: from the resulting properties, which know the level's
/// default.
bool readLossScale(const json::Value &value, OracleRun &run, json::Path path) {
  const json::Object *object = value.getAsObject();
  const json::Value *scale = object ? object->get("loss_scale") : nullptr;
  if (!scale) {
    path.report("expected object with 'loss_scale'");
    return false;
  }
  OptionText text;
  if (!fromJSON(*scale, text, path.field("loss_scale")))
    return false;
  run.facts["loss_scale"] = text.text;
  return true;
}

/// The facts that conditions may name, and what follows from them.
void addFacts(const json::Object &object, OracleRun &run) {
  run.facts["id"] = run.id;
  run.facts["model"] = run.model;
  run.facts["optimizer"] = run.optimizer;
  run.facts["opt_level"] = run.optLevel;
  run.facts["seed"] = std::to_string(run.seed);
  run.facts["batch"] = std::to_string(run.batchSize);
  run.facts["micro_batches"] = std::to_string(run.microBatches);

  run.moduleName = "oracle_" + run.model + "_" + run.optimizer;
  const json::Object *overrides = object.getObject("optimizer_overrides");
  if (std::optional<double> eps =
          overrides ? overrides->getNumber("eps") : std::nullopt)
    run.moduleName += *eps == 1e-4 ? "_eps1e-4" : "_other";
  // The modules are written for 32 rows.
  constexpr int64_t kUsualRows = 32;
  if (run.microBatches == 1)
    return;
  run.properties.emplace_back("micro-batches",
                              std::to_string(run.microBatches));
  if (const int64_t rows = run.batchSize / run.microBatches; rows != kUsualRows)
    run.moduleName += "_b" + std::to_string(rows);
}

bool fromJSON(const json::Value &value, RunFields &out, json::Path path) {
  json::ObjectMapper mapper(value, path);
  OracleRun &run = out.run;
  Number masterNorm, testLoss, testAccuracy;
  if (!mapper || !mapper.map("id", run.id) || !mapper.map("model", run.model) ||
      !mapper.map("optimizer", run.optimizer) ||
      !mapper.map("seed", run.seed) || !mapper.map("batch", run.batchSize) ||
      !mapper.map("columns", out.columns) || !mapper.map("steps", out.rows) ||
      !mapper.mapOptional("micro_batches", run.microBatches) ||
      !mapper.mapOptional("final_weights_key", run.finalWeightsKey) ||
      !mapper.mapOptional("inject", out.injections) ||
      !mapper.map("final_master_norm", masterNorm) ||
      !mapper.map("test_loss", testLoss) ||
      !mapper.map("test_accuracy", testAccuracy) ||
      !mapper.map("test_outputs", out.testOutputs))
    return false;
  for (const InjectionFields &entry : out.injections)
    run.injections.push_back(entry.injection);
  run.finalMasterNorm = masterNorm.value;
  run.testLoss = testLoss.value;
  run.testAccuracy = testAccuracy.value;

  if (run.microBatches < 1 || run.batchSize % run.microBatches != 0) {
    path.field("micro_batches").report("expected a divisor of 'batch'");
    return false;
  }
  const json::Object &object = *value.getAsObject();
  if (object.get("clip_grad_norm"))
    run.notReplayed = "it clips its gradients, which the modules do not";
  const json::Value none(nullptr);
  auto get = [&](StringRef key) -> const json::Value & {
    const json::Value *found = object.get(key);
    return found ? *found : none;
  };
  if (!readProperties(get("initialize"), run, path.field("initialize")) ||
      !readLossScale(get("properties"), run, path.field("properties")))
    return false;

  addFacts(object, run);
  return true;
}

bool fromJSON(const json::Value &value, FileFields &out, json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("runs", out.runs) &&
         mapper.mapOptional("tolerances", out.tolerances);
}

} // namespace

/// Takes the rows of a run apart by its column names. Returns what is wrong, or
/// nothing.
static std::string readRows(RunFields &fields) {
  std::vector<size_t> places;
  for (StringRef name : {"loss", "scale_before", "scale_after",
                         "unskipped_after", "skipped", "unscaled_grad_norm"}) {
    auto *found = llvm::find(fields.columns, name).base();
    if (found == fields.columns.data() + fields.columns.size())
      return ("column '" + name + "'").str();
    places.push_back(found - fields.columns.data());
  }
  for (const auto &row : fields.rows) {
    if (row.size() != fields.columns.size())
      return "a value per column in each step";
    for (size_t place : llvm::ArrayRef(places).drop_back())
      if (!row[place])
        return "a number for '" + fields.columns[place] + "' in each step";
    OracleStep step;
    step.loss = row[places[0]]->value;
    step.scaleBefore = row[places[1]]->value;
    step.scaleAfter = row[places[2]]->value;
    step.unskipped = int64_t(row[places[3]]->value);
    step.skipped = row[places[4]]->value != 0;
    if (const std::optional<Number> &norm = row[places[5]])
      step.gradNorm = norm->value;
    fields.run.steps.push_back(step);
  }
  if (fields.run.steps.empty())
    return "at least one step";
  for (const std::vector<Number> &outputs : fields.testOutputs)
    for (Number number : outputs)
      fields.run.testOutputs.push_back(number.value);
  fields.run.numTestOutputs = int64_t(fields.testOutputs.size());
  return "";
}

namespace {
/// What a file says.
struct Recording {
  std::vector<OracleRun> runs;
  ToleranceTable tolerances;
};
} // namespace

static Expected<Recording> readRecording(StringRef path) {
  Expected<json::Value> value = readJsonFile(path);
  if (!value)
    return value.takeError();
  FileFields file;
  json::Path::Root root("file");
  if (!fromJSON(*value, file, root))
    return makeJsonContentError(path, "recorded runs", root);
  Recording recording;
  recording.tolerances = std::move(file.tolerances);
  for (RunFields &fields : file.runs) {
    const std::string missing = readRows(fields);
    if (!missing.empty())
      return createStringError(Twine("expected ") + missing + " in run '" +
                               fields.run.id + "' of '" + path + "'");
    recording.runs.push_back(std::move(fields.run));
  }
  return recording;
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

/// Rows [begin, end) of `array`.
static HostArray sliceRows(const HostArray &array, int64_t begin, int64_t end) {
  llvm::SmallVector<int64_t, 4> shape(array.getShape());
  const int64_t rowBytes = shape[0] ? array.getNumBytes() / shape[0] : 0;
  shape[0] = end - begin;
  HostArray slice(array.getKind(), shape);
  std::memcpy(slice.data(), array.as<char>() + begin * rowBytes,
              slice.getNumBytes());
  return slice;
}

/// Images as the recorded runs saw them, pixels / 16 in f32, and labels in i64;
/// training rows and test rows.
static Expected<std::pair<Dataset, Dataset>> loadImages(StringRef path) {
  Expected<ArrayArchive> archive = ArrayArchive::open(path);
  if (!archive)
    return archive.takeError();
  Expected<HostArray> pixels = archive->read("images");
  if (!pixels)
    return pixels.takeError();
  Expected<HostArray> labels = archive->read("labels");
  if (!labels)
    return labels.takeError();
  Expected<HostArray> split = archive->read("n_train");
  if (!split)
    return split.takeError();

  const bool hasRows = !pixels->getShape().empty() &&
                       labels->getShape().size() == 1 &&
                       labels->getShape()[0] == pixels->getShape()[0];
  const int64_t rows = hasRows ? pixels->getShape()[0] : 0;
  const int64_t trainingRows =
      split->getNumElements() == 1 && !isFloatKind(split->getKind())
          ? split->getAsInteger(0)
          : -1;
  if (!hasRows || trainingRows < 0 || trainingRows > rows)
    return createStringError(
        Twine("expected 'images', 'labels' and 'n_train' in '") + path +
        "' to be N x pixels, N and at most N, but got " +
        pixels->getTypeString() + ", " + labels->getTypeString() + " and " +
        Twine(trainingRows));
  HostArray images = pixels->convertTo(AMP_RT_ELEMENT_F32);
  constexpr float kLargestPixel = 16;
  for (int64_t i = 0, e = images.getNumElements(); i < e; ++i)
    images.as<float>()[i] /= kLargestPixel;
  const HostArray targets = labels->convertTo(AMP_RT_ELEMENT_I64);

  auto makeDataset = [&](StringRef part, int64_t begin, int64_t end) {
    Dataset::Arrays arrays;
    arrays["x0"] = std::make_shared<HostArray>(sliceRows(images, begin, end));
    arrays["x1"] = std::make_shared<HostArray>(sliceRows(targets, begin, end));
    return Dataset((part + " rows of '" + path + "'").str(), std::move(arrays));
  };
  return std::make_pair(makeDataset("training", 0, trainingRows),
                        makeDataset("test", trainingRows, rows));
}

//===----------------------------------------------------------------------===//
// Oracle
//===----------------------------------------------------------------------===//

Oracle::Oracle(std::string path, std::vector<OracleRun> runs,
               ToleranceTable tolerances, ArrayArchive weights,
               Dataset trainingData, Dataset testData)
    : path(std::move(path)), runs(std::move(runs)),
      tolerances(std::move(tolerances)), weights(std::move(weights)),
      trainingData(std::move(trainingData)), testData(std::move(testData)) {}

std::array<std::string, 2> Oracle::getDataFiles(StringRef path,
                                                StringRef dataDirectory) {
  auto getSibling = [&](StringRef name) {
    llvm::SmallString<128> sibling(dataDirectory.empty()
                                       ? llvm::sys::path::parent_path(path)
                                       : dataDirectory);
    llvm::sys::path::append(sibling, name);
    return sibling.str().str();
  };
  return {getSibling("weights_and_batches.npz"), getSibling("digits.npz")};
}

Expected<Oracle> Oracle::load(StringRef path, StringRef dataDirectory) {
  Expected<Recording> recording = readRecording(path);
  if (!recording)
    return recording.takeError();
  const auto [weightFile, imageFile] = getDataFiles(path, dataDirectory);
  Expected<ArrayArchive> weights = ArrayArchive::open(weightFile);
  if (!weights)
    return weights.takeError();
  Expected<std::pair<Dataset, Dataset>> images = loadImages(imageFile);
  if (!images)
    return images.takeError();
  return Oracle(path.str(), std::move(recording->runs),
                std::move(recording->tolerances), std::move(*weights),
                std::move(images->first), std::move(images->second));
}

Expected<std::vector<const OracleRun *>>
Oracle::select(StringRef selection, StringRef moduleName) const {
  std::vector<const OracleRun *> selected;
  if (selection == "all") {
    for (const OracleRun &run : runs)
      if (run.moduleName == moduleName)
        selected.push_back(&run);
    if (selected.empty())
      return createStringError(
          Twine("expected a run of the module '") + moduleName + "' in '" +
          path + "', but it has none; '--run list' prints runs and modules");
    return selected;
  }
  llvm::SmallVector<StringRef> ids;
  selection.split(ids, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef id : ids) {
    auto found = llvm::find_if(
        runs, [&](const OracleRun &run) { return run.id == id.trim(); });
    if (found == runs.end())
      return createStringError(Twine("expected a run '") + id.trim() +
                               "' in '" + path +
                               "', but it has none; '--run list' prints all");
    selected.push_back(&*found);
  }
  if (selected.empty())
    return createStringError(Twine("expected '--run' to name runs of '") +
                             path +
                             "'; give ids, 'all', or 'list' to print them");
  return selected;
}

void Oracle::printList(llvm::raw_ostream &os) const {
  for (const OracleRun &run : runs) {
    os << run.id << "  " << run.moduleName << ".mlir";
    for (const auto &[name, value] : run.properties)
      os << ' ' << name << '=' << value;
    os << '\n';
  }
}
