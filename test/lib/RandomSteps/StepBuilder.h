//===- StepBuilder.h - The parts of a random step ------------- -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a random step consists of, and the class that draws and writes it:
// StepPlan draws models, backward passes and optimizers, PassWriter writes
// backward passes, UpdateWriter optimizers, TrainStepWriter what brings them
// together. Values carry which backward passes they are computed from; what a
// guard has to do follows.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TEST_RANDOMSTEPS_STEPBUILDER_H
#define AMP_TEST_RANDOMSTEPS_STEPBUILDER_H

#include "GradientTape.h"
#include "StepGenerator.h"
#include "TensorWriter.h"

#include "llvm/ADT/STLExtras.h"

namespace mlir::amp {

struct Parameter {
  std::string name;
  Shape shape;
  bool isBatchNorm = false, isFrozen = false;
};

enum class LayerKind {
  Linear,
  Relu,
  Tanh,
  Sigmoid,
  LayerNorm,
  BatchNorm,
  Softmax,
  Attention,
  Residual,
  Scale,
  Loop,
  LoopMatmul,
  Branch,
  Reshape,
  Gelu,
  Temperature,
  Stacked,
  Dropout,
  Embedding,
  Function,
  Recurrent,
};

struct Layer {
  LayerKind kind;
  /// Numbers of parameters; what they are depends on the kind.
  std::vector<int> params;
  /// Running mean and variance of a batch normalisation.
  std::vector<int> buffers;
  double factor = 1, other = 1;
  int64_t rounds = 1;
  /// Of Dropout and Embedding: what it reads of the batch has this shape.
  Shape batch;
  bool isOpen = true;
};

struct Model {
  int64_t inputs = 0, outputs = 0;
  std::vector<Layer> layers;
  std::vector<int> params;
};

enum class LossKind { MeanSquare, MeanSquareError, CrossEntropy };

struct Batch {
  std::string name;
  Shape shape;
  std::string element;
};

/// What a call of a backward pass leaves to a later one of the same model.
enum class Delay { None, Unscaling, OverflowCheck };

struct Pass {
  int model = 0;
  /// Applied to the output of `model`, or -1; takes no gradients here.
  int through = -1;
  std::vector<LossKind> kinds;
  std::vector<std::string> losses;
  /// Input, then targets; -1 for a loss without one.
  int input = -1, flag = -1;
  std::vector<int> targets;
  /// Masks and tokens, by model and layer.
  std::map<std::pair<int, size_t>, int> reads;
  /// Parameter of a squared penalty in the loss, or -1.
  int penalty = -1;
  Delay delay = Delay::None;
};

enum class OptimizerKind { Descent, Decay, Momentum, Adam, AdamW };
enum class Clipping { None, Value, Norm };
enum class UpdateForm {
  Called,       ///< an optimizer step
  Inline,       ///< written out
  Helper,       ///< an optimizer step behind a function without roles
  Branch,       ///< an optimizer step in a branch that depends on the batch
  InlineBranch, ///< written out in such a branch
  Select,       ///< written out, and taken by a select
  Window,       ///< called on a sum over train steps, where the batch says so
  WindowSelect, ///< written out on such a sum, and taken by a select
};

struct Group {
  std::vector<int> params;
  OptimizerKind kind = OptimizerKind::Descent;
  Clipping clipping = Clipping::None;
  UpdateForm form = UpdateForm::Called;
  bool readsRate = false, averages = false;
  /// Element type of Adam's count of steps.
  std::string counter = "f32";
  std::string name;
  int flag = -1;
  /// The train step counts Adam's steps, not the optimizer.
  bool countsOutside = false;
};

/// How a train step brings its parts together.
enum class StepForm {
  Calls,
  Fused,
  LoopOfSteps,
  /// A round updates with the gradients of the round before.
  PipelinedLoop,
  LoopOfBatches,
  /// The same with an scf.while.
  WhileOfBatches,
  /// Gradients go through another block.
  Blocks,
  /// One of two backward passes, in a branch.
  Branches,
  /// Two backward passes of one model, each with its update.
  Twice,
};

/// One argument or result of a function.
struct Field {
  Value value;
  std::string role, name;
  bool isBatchNorm = false;
};

using Environment = std::map<std::string, Value>;

inline std::string getKey(llvm::StringRef role, llvm::StringRef name) {
  return (role + "/" + name).str();
}

inline std::string getKey(const Field &field) {
  return getKey(field.role, field.name);
}

inline Environment getArguments(llvm::ArrayRef<Field> fields) {
  Environment values;
  for (const Field &field : fields)
    values[getKey(field)] = field.value;
  return values;
}

/// Draws a step and writes it: each file has a part of it.
class StepBuilder {
public:
  explicit StepBuilder(uint64_t seed) : random(seed) {}
  GeneratedStep run();

private:
  // What there is.
  void drawModels();
  void drawLayer(Model &model, int64_t &width);
  void drawPasses();
  void drawGroups();
  void drawOptions();
  int addParameter(llvm::StringRef stem, Shape shape, bool isBatchNorm = false);
  int addBatch(Shape shape, llvm::StringRef element);

  // Functions.
  std::string printFunction(llvm::StringRef name, bool isPrivate,
                            llvm::ArrayRef<Field> arguments,
                            llvm::ArrayRef<Field> results,
                            const TensorWriter &writer,
                            llvm::StringRef attributes = "");
  Field makeField(llvm::StringRef role, llvm::StringRef name,
                  const Shape &shape, llvm::StringRef element = "f32",
                  bool isBatchNorm = false);
  Field parameterField(int param, llvm::StringRef role);
  std::vector<Field> getPassArguments(const Pass &pass, bool withSeeds);
  std::vector<Field> getStateFields(const Group &group);
  void setOrigin(TensorWriter &writer, llvm::StringRef scope,
                 llvm::StringRef function, llvm::StringRef layer);
  TensorWriter makeWriter();

  // Bodies.
  int applyLayer(GradientTape &tape, TensorWriter &writer, const Layer &layer,
                 int x, const Environment &values, std::map<int, int> &params,
                 const Value *flag, Environment &newBuffers, bool isTraining);
  int applyModel(GradientTape &tape, TensorWriter &writer, const Model &model,
                 int x, const Environment &values, std::map<int, int> &params,
                 const Value *flag, Environment &newBuffers, bool isTraining);
  /// Losses, gradients by parameter and new buffers of one backward pass.
  void writePass(TensorWriter &writer, const Pass &pass,
                 const Environment &values, Environment &results);
  void writeUpdate(TensorWriter &writer, const Group &group,
                   const Environment &values, Environment &results);
  void writePassFunction(int number);
  Value writeCount(TensorWriter &writer, const Group &group, const Value &old);
  void writeStepFunction(const Group &group);
  void writeEvaluate();

  // The train step.
  void callPass(TensorWriter &writer, int number, Environment &values);
  void update(TensorWriter &writer, const Group &group, Environment &values);
  void runParts(TensorWriter &writer, Environment &values);
  void writeTrainStep();
  void writeLoopOfSteps(TensorWriter &writer, Environment &values);
  void writeLoopOfBatches(TensorWriter &writer, Environment &values);
  void writeBranches(TensorWriter &writer, Environment &values);
  void writeBlocks(TensorWriter &writer, Environment &values);
  void updateWindow(TensorWriter &writer, const Group &group,
                    Environment &values);
  std::vector<Field> getStepArguments(const Group &group);
  std::vector<Field> getTrainStates();
  uint64_t getPassBit(int number) const { return uint64_t(1) << number; }
  std::vector<int> getGradientParams(const Pass &pass) const;
  /// Batches that the layers of a pass read, while it is written.
  std::map<const Layer *, Value> layerBatches;

  bool isOneOf(std::initializer_list<StepForm> forms) const {
    return llvm::is_contained(forms, form);
  }

  Random random;
  GeneratedStep made;
  HelperFunctions helpers;
  std::string functions, scalers;

  int64_t rows = 2;
  std::vector<Parameter> params;
  std::vector<std::pair<std::string, Shape>> buffers;
  std::vector<Batch> batches;
  std::vector<Model> models;
  std::vector<Pass> passes;
  std::vector<Group> groups;
  StepForm form = StepForm::Calls;
  /// 0 none, 1 as PyTorch has them, 2 as JAX, 3 phases only, 4 some.
  unsigned origins = 0;
  unsigned nextScope = 0, percentLinalg = 50, percentHelpers = 5;
  /// The step has scale_loss, unscale and update_scale itself.
  bool isScaledByHand = false;
  /// Of a fused step: gradients are marked, or neither marked nor returned.
  bool marksGradients = false, hidesGradients = false;
  bool isEager = false;
  /// Batch that says which pass runs, and which block (Branches, Blocks).
  int branchFlag = -1;
  int64_t rounds = 1;
  std::string mistake;
};

} // namespace mlir::amp

#endif // AMP_TEST_RANDOMSTEPS_STEPBUILDER_H
