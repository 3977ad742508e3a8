//===- UpdateWriter.cpp - Optimizers of a random step ---------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One optimizer over a group of parameters, as operations; where they stand, in
// a function or in the train step, is the form of the update.
//
//===----------------------------------------------------------------------===//

#include "StepBuilder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::amp;
using llvm::StringRef;
using llvm::Twine;

std::vector<Field> StepBuilder::getStateFields(const Group &group) {
  std::vector<Field> fields;
  bool isAdam =
      group.kind == OptimizerKind::Adam || group.kind == OptimizerKind::AdamW;
  for (int param : group.params) {
    const auto &[name, shape, isBatchNorm, isFrozen] = params[param];
    if (group.kind == OptimizerKind::Momentum)
      fields.push_back(makeField("opt_state", name + ".momentum", shape));
    if (isAdam) {
      fields.push_back(makeField("opt_state", name + ".exp_avg", shape));
      fields.push_back(makeField("opt_state", name + ".exp_avg_sq", shape));
    }
    if (group.averages)
      fields.push_back(makeField("opt_state", name + ".ema", shape));
  }
  if (isAdam)
    fields.push_back(
        makeField("opt_state", group.name + ".step", {}, group.counter));
  return fields;
}

/// 0 up to the rank of `value`.
static llvm::SmallVector<int64_t> getAllDimensions(const Value &value) {
  llvm::SmallVector<int64_t> all;
  for (size_t i = 0; i < value.shape.size(); ++i)
    all.push_back(int64_t(i));
  return all;
}

/// One more than `old`.
Value StepBuilder::writeCount(TensorWriter &writer, const Group &group,
                              const Value &old) {
  bool isFloat = group.counter == "f32";
  std::string one = writer.fresh();
  writer.write(one + " = arith.constant dense<" + (isFloat ? "1.0" : "1") +
               "> : " + old.type());
  Value next = writer.define((isFloat ? "arith.addf " : "arith.addi ") +
                                 old.name + ", " + one + "\x01 : " + old.type(),
                             {}, {&old});
  next.element = group.counter;
  return next;
}

void StepBuilder::writeUpdate(TensorWriter &writer, const Group &group,
                              const Environment &values, Environment &results) {
  if (origins && origins != 4)
    writer.origin = "amp.phase = \"optimizer\"";
  std::map<int, Value> gradients;
  for (int param : group.params)
    gradients[param] = values.at(getKey("grad", params[param].name));
  if (group.clipping == Clipping::Value) {
    for (int param : group.params) {
      Value &g = gradients[param];
      g = writer.binary("arith.minimumf", g, writer.constant(0.5, g.shape));
      g = writer.binary("arith.maximumf", g, writer.constant(-0.5, g.shape));
    }
  } else if (group.clipping == Clipping::Norm) {
    Value total;
    for (int param : group.params) {
      const Value &g = gradients[param];
      llvm::SmallVector<int64_t> all = getAllDimensions(g);
      Value sum =
          writer.reduce("arith.addf", writer.binary("arith.mulf", g, g), all);
      total =
          total.name.empty() ? sum : writer.binary("arith.addf", total, sum);
    }
    Value norm = writer.add(writer.unary("math.sqrt", total), 0.0078125);
    Value bound = writer.constant(1, {});
    Value ratio = writer.binary("arith.divf", bound, norm);
    Value one = writer.constant(1, {});
    Value factor = writer.binary("arith.minimumf", ratio, one);
    for (int param : group.params) {
      Value &g = gradients[param];
      llvm::SmallVector<int64_t> all = getAllDimensions(g);
      g = writer.binary("arith.mulf", g,
                        writer.broadcast(factor, all, g.shape));
    }
  }
  Value count;
  if (group.kind == OptimizerKind::Adam || group.kind == OptimizerKind::AdamW) {
    std::string key = getKey("opt_state", group.name + ".step");
    auto counted = values.find(getKey("hyper", group.name + ".step"));
    if (counted != values.end())
      count = counted->second;
    else
      count = results[key] = writeCount(writer, group, values.at(key));
    if (group.counter != "f32")
      count = writer.toFloat(count);
  }
  auto correct = [&](const Value &moment, double beta) {
    Value base = writer.constant(beta, {});
    Value power = writer.binary("math.powf", base, count);
    Value one = writer.constant(1, {});
    Value below = writer.binary("arith.subf", one, power);
    llvm::SmallVector<int64_t> all = getAllDimensions(moment);
    return writer.binary("arith.divf", moment,
                         writer.broadcast(below, all, moment.shape));
  };
  for (int param : group.params) {
    const std::string &name = params[param].name;
    const Value &old = values.at(getKey("param", name));
    Value g = gradients[param];
    auto state = [&](StringRef suffix) {
      return getKey("opt_state", name + suffix.str());
    };
    Value step = g;
    switch (group.kind) {
    case OptimizerKind::Descent:
      break;
    case OptimizerKind::Decay:
      step = writer.binary("arith.addf", g, writer.scale(old, 0.125));
      break;
    case OptimizerKind::Momentum:
      step = writer.binary("arith.addf",
                           writer.scale(values.at(state(".momentum")), 0.5), g);
      results[state(".momentum")] = step;
      break;
    case OptimizerKind::Adam:
    case OptimizerKind::AdamW: {
      Value m = writer.scale(values.at(state(".exp_avg")), 0.75);
      m = writer.binary("arith.addf", m, writer.scale(g, 0.25));
      Value v = writer.scale(values.at(state(".exp_avg_sq")), 0.5);
      Value square = writer.binary("arith.mulf", g, g);
      v = writer.binary("arith.addf", v, writer.scale(square, 0.5));
      results[state(".exp_avg")] = m;
      results[state(".exp_avg_sq")] = v;
      Value root = writer.unary("math.sqrt", correct(v, 0.5));
      root = writer.add(root, 0.03125);
      step = writer.binary("arith.divf", correct(m, 0.75), root);
      if (group.kind == OptimizerKind::AdamW)
        step = writer.binary("arith.addf", step, writer.scale(old, 0.0625));
      break;
    }
    }
    Value change;
    if (group.readsRate) {
      llvm::SmallVector<int64_t> all = getAllDimensions(old);
      change = writer.binary(
          "arith.mulf", step,
          writer.broadcast(values.at("hyper/rate"), all, old.shape));
    } else {
      change = writer.scale(step, 0.125);
    }
    Value next = writer.binary("arith.subf", old, change);
    results[getKey("param", name)] = next;
    if (group.averages) {
      Value kept = writer.scale(values.at(state(".ema")), 0.5);
      results[state(".ema")] =
          writer.binary("arith.addf", kept, writer.scale(next, 0.5));
    }
  }
  writer.origin.clear();
}

std::vector<Field> StepBuilder::getStepArguments(const Group &group) {
  std::vector<Field> arguments;
  for (StringRef role : {"param", "grad"})
    for (int param : group.params)
      arguments.push_back(parameterField(param, role));
  std::string count = group.name + ".step";
  for (Field &field : getStateFields(group))
    if (group.countsOutside && field.name == count)
      arguments.push_back(makeField("hyper", count, {}, group.counter));
    else
      arguments.push_back(std::move(field));
  if (group.readsRate)
    arguments.push_back(makeField("hyper", "rate", {}));
  return arguments;
}

void StepBuilder::writeStepFunction(const Group &group) {
  std::vector<Field> arguments = getStepArguments(group);
  TensorWriter writer = makeWriter();
  Environment results;
  writeUpdate(writer, group, getArguments(arguments), results);
  std::vector<Field> fields;
  for (const Field &argument : arguments) {
    auto it = results.find(getKey(argument));
    if (it == results.end())
      continue;
    Field field = argument;
    field.value = it->second;
    fields.push_back(std::move(field));
  }
  functions += printFunction(group.name, false, arguments, fields, writer);
  if (group.form != UpdateForm::Helper)
    return;
  // The same behind a function without roles, of two blocks.
  std::string heads, names, types, results_, yields;
  for (auto [i, field] : llvm::enumerate(arguments)) {
    heads += (i ? ", " : "") + field.value.name + ": " + field.value.type();
    names += (i ? ", " : "") + field.value.name;
    types += (i ? ", " : "") + field.value.type();
  }
  for (auto [i, field] : llvm::enumerate(fields)) {
    results_ += (i ? ", " : "") + field.value.type();
    yields += (i ? ", %n#" : "%n#") + std::to_string(i);
  }
  if (fields.size() == 1)
    yields = "%n";
  functions += "  func.func private @apply_" + group.name + "(" + heads +
               ") -> (" + results_ + ") {\n    %n" +
               (fields.size() == 1 ? std::string()
                                   : ":" + std::to_string(fields.size())) +
               " = call @" + group.name + "(" + names + ") : (" + types +
               ") -> (" + results_ + ")\n    cf.br ^end\n  ^end:\n    return " +
               yields + " : " + results_ + "\n  }\n";
}
