//===- TrainStepWriter.cpp - Random train steps ---------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls of backward passes and the updates, in one block, in a loop of
// steps or in a loop over parts of the batch, or all of it in one function.
//
//===----------------------------------------------------------------------===//

#include "StepBuilder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::amp;
using llvm::StringRef;
using llvm::Twine;

/// Writes the call of backward pass `number` and adds its gradients to those
/// that are there.
void StepBuilder::callPass(TensorWriter &writer, int number,
                           Environment &values) {
  const Pass &pass = passes[number];
  std::vector<Field> arguments = getPassArguments(pass, true);
  std::string scaler = "@by_hand" + std::to_string(number);
  if (isScaledByHand && !StringRef(scalers).contains(scaler + " "))
    scalers += "  amp.scaler " + scaler + " {initial_scale = 64.0 : f64}\n";
  std::string names, types;
  uint64_t changes = 0;
  for (auto [i, field] : llvm::enumerate(arguments)) {
    Value value = values.at(getKey(field));
    if (isScaledByHand && field.role == "loss_seed") {
      std::string scaled = writer.fresh();
      writer.write(scaled + " = amp.scale_loss " + value.name + " using " +
                   scaler + " : tensor<f32>");
      value.name = scaled;
    }
    changes |= value.changes;
    names += (i ? ", " : "") + value.name;
    types += (i ? ", " : "") + value.type();
  }
  // Results in the order of writePassFunction: sorted by key.
  Environment results;
  for (const std::string &loss : pass.losses)
    results[getKey("loss", loss)] = Value{"", {}, "f32"};
  for (int param : getGradientParams(pass)) {
    Value &gradient = results[getKey("grad", params[param].name)];
    gradient.shape = params[param].shape;
    gradient.overflows = getPassBit(number);
  }
  for (const Field &field : arguments)
    if (field.role == "buffer")
      results[getKey(field)].shape = field.value.shape;
  std::string resultTypes, base = writer.fresh();
  unsigned index = 0;
  for (auto &[key, value] : results) {
    value.changes = changes | value.overflows;
    resultTypes += (index ? ", " : "") + value.type();
    value.name =
        results.size() == 1 ? base : base + "#" + std::to_string(index);
    ++index;
  }
  writer.write(base +
               (results.size() == 1 ? std::string()
                                    : ":" + std::to_string(results.size())) +
               " = func.call @pass" + Twine(number) + "(" + names + ")" +
               (pass.delay == Delay::Unscaling ? " {amp.delay_unscale}"
                : pass.delay == Delay::OverflowCheck
                    ? " {amp.delay_overflow_check}"
                    : "") +
               " : (" + types + ") -> (" + resultTypes + ")");
  if (isScaledByHand) {
    std::string list, listTypes;
    unsigned count = 0;
    auto gradients = [&] {
      std::vector<Value *> found;
      for (auto &[key, value] : results)
        if (StringRef(key).starts_with("grad/"))
          found.push_back(&value);
      return found;
    }();
    if (mistake == "decay-before-unscaling" || mistake == "clipped-scaled")
      for (auto &[key, value] : results)
        if (StringRef(key).starts_with("grad/")) {
          const Value &old =
              values.at("param/" + StringRef(key).split('/').second.str());
          value =
              mistake == "clipped-scaled"
                  ? writer.binary("arith.minimumf", value,
                                  writer.constant(0.25, value.shape))
                  : writer.binary("arith.addf", value, writer.scale(old, 0.25));
        }
    std::string other = scaler;
    if (mistake == "other-scaler") {
      other = "@other" + std::to_string(number);
      if (!StringRef(scalers).contains(other + " "))
        scalers += "  amp.scaler " + other + " {initial_scale = 16.0 : f64}\n";
    }
    unsigned times = mistake == "unscaled-twice"   ? 2
                     : mistake == "never-unscaled" ? 0
                                                   : 1;
    for (unsigned time = 0; time < times && !gradients.empty(); ++time) {
      list.clear();
      listTypes.clear();
      for (auto [i, value] : llvm::enumerate(gradients)) {
        list += (i ? ", " : "") + value->name;
        listTypes += (i ? ", " : "") + value->type();
      }
      count = unsigned(gradients.size());
      std::string unscaled = writer.fresh(), found = writer.fresh();
      writer.write(unscaled + (count == 1 ? "" : ":" + std::to_string(count)) +
                   ", " + found + " = amp.unscale " + list + " using " + other +
                   " : (" + listTypes + ") -> (" + listTypes + ")");
      if (mistake != "never-advanced" && time == 0)
        writer.write("amp.update_scale " + other + ", " + found);
      for (auto [i, value] : llvm::enumerate(gradients))
        value->name =
            count == 1 ? unscaled : unscaled + "#" + std::to_string(i);
    }
  }
  for (auto &[key, value] : results) {
    auto it = values.find(key);
    if (!StringRef(key).starts_with("grad/") || it == values.end())
      values[key] = value;
    else
      it->second = writer.binary("arith.addf", it->second, value);
  }
}

/// Writes the update of `group` in its form, and says what a guard has to keep.
void StepBuilder::update(TensorWriter &writer, const Group &group,
                         Environment &given) {
  const bool isWindow = group.form == UpdateForm::Window ||
                        group.form == UpdateForm::WindowSelect;
  Environment values = given;
  if (isWindow)
    for (int param : group.params) {
      Value &sum = values.at(getKey("grad", params[param].name));
      Value &old = values.at(getKey("accumulator", params[param].name));
      sum = old = writer.binary("arith.addf", old, sum);
    }
  uint64_t overflows = 0, changes = 0;
  for (int param : group.params) {
    const Value &g = values.at(getKey("grad", params[param].name));
    overflows |= g.overflows;
    changes |= g.changes;
    changes |= values.at(getKey("param", params[param].name)).changes;
  }
  bool isAdam =
      group.kind == OptimizerKind::Adam || group.kind == OptimizerKind::AdamW;
  // Parameters that are written out have a predicate of their own, unless
  // something joins them.
  bool isCalled = llvm::is_contained({UpdateForm::Called, UpdateForm::Helper,
                                      UpdateForm::Branch, UpdateForm::Window},
                                     group.form);
  bool isJoined = isAdam || group.clipping == Clipping::Norm || isCalled;

  std::vector<Field> arguments = getStepArguments(group);
  Environment results;
  std::string countKey = getKey("opt_state", group.name + ".step");
  if (group.countsOutside)
    values[getKey("hyper", group.name + ".step")] = results[countKey] =
        writeCount(writer, group, values.at(countKey));
  std::vector<Field> news;
  for (int param : group.params)
    news.push_back(parameterField(param, "param"));
  for (Field &field : getStateFields(group))
    if (!group.countsOutside || getKey(field) != countKey)
      news.push_back(std::move(field));
  const size_t returned = news.size();
  if (group.form == UpdateForm::Window)
    for (int param : group.params)
      news.push_back(parameterField(param, "accumulator"));
  std::string names, types, newTypes, stepTypes;
  for (auto [i, field] : llvm::enumerate(arguments)) {
    names += (i ? ", " : "") + values.at(getKey(field)).name;
    types += (i ? ", " : "") + field.value.type();
  }
  for (auto [i, field] : llvm::enumerate(news)) {
    if (i < returned)
      stepTypes += (i ? ", " : "") + field.value.type();
    newTypes += (i ? ", " : "") + field.value.type();
  }
  auto call = [&](StringRef callee, StringRef into) {
    return (into + (returned == 1 ? "" : ":" + std::to_string(returned)) +
            " = func.call @" + callee + "(" + names + ") : (" + types +
            ") -> (" + stepTypes + ")")
        .str();
  };
  auto part = [&](const std::string &base, size_t i) {
    return news.size() == 1 ? base : base + "#" + std::to_string(i);
  };
  auto takeResults = [&](const std::string &base) {
    for (auto [i, field] : llvm::enumerate(news)) {
      Value value = field.value;
      value.name = part(base, i);
      results[getKey(field)] = value;
    }
  };
  auto listOld = [&] {
    std::string text;
    for (auto [i, field] : llvm::enumerate(news))
      text += (i ? ", " : "") + values.at(getKey(field)).name;
    return text;
  };
  switch (group.form) {
  case UpdateForm::Called:
  case UpdateForm::Helper: {
    std::string base = writer.fresh();
    writer.write(call(
        (group.form == UpdateForm::Helper ? "apply_" : "") + group.name, base));
    takeResults(base);
    break;
  }
  case UpdateForm::Inline:
    writeUpdate(writer, group, values, results);
    break;
  case UpdateForm::Select:
  case UpdateForm::WindowSelect: {
    writeUpdate(writer, group, values, results);
    if (isWindow)
      for (int param : group.params)
        results[getKey("accumulator", params[param].name)] =
            writer.constant(0, params[param].shape);
    const Value &flag = values.at(getKey("batch", batches[group.flag].name));
    std::string test = writer.fresh();
    writer.write(test + " = tensor.extract " + flag.name + "[] : tensor<i1>");
    for (auto &[key, value] : results) {
      const Value &old = values.at(key);
      Value taken = writer.define("arith.select " + test + ", " + value.name +
                                      ", " + old.name + " : " + value.type(),
                                  value.shape, {&value, &old});
      taken.element = value.element;
      value = taken;
    }
    break;
  }
  case UpdateForm::Branch:
  case UpdateForm::Window:
  case UpdateForm::InlineBranch: {
    const Value &flag = values.at(getKey("batch", batches[group.flag].name));
    std::string test = writer.fresh(), base = writer.fresh();
    writer.write(test + " = tensor.extract " + flag.name + "[] : tensor<i1>");
    TensorWriter inner = makeWriter();
    inner.counter() = writer.counter();
    std::string yields;
    if (isCalled) {
      std::string taken = inner.fresh();
      inner.write(call(group.name, taken));
      for (size_t i = 0; i < returned; ++i)
        yields += (i ? ", " : "") + taken +
                  (returned == 1 ? "" : "#" + std::to_string(i));
      for (size_t i = returned; i < news.size(); ++i)
        yields += ", " + inner.constant(0, news[i].value.shape).name;
    } else {
      Environment fresh;
      writeUpdate(inner, group, values, fresh);
      for (auto [i, field] : llvm::enumerate(news))
        yields += (i ? ", " : "") + fresh.at(getKey(field)).name;
    }
    writer.counter() = inner.counter();
    writer.write(base +
                 (news.size() == 1 ? "" : ":" + std::to_string(news.size())) +
                 " = scf.if " + test + " -> (" + newTypes + ") {\n" +
                 inner.print(6) + "      scf.yield " + yields + " : " +
                 newTypes + "\n    } else {\n      scf.yield " + listOld() +
                 " : " + newTypes + "\n    }");
    takeResults(base);
    break;
  }
  }
  for (auto &[key, value] : results) {
    auto [role, fullName] = StringRef(key).split('/');
    uint64_t kept = overflows, changed = changes;
    if (!isJoined) {
      StringRef name = role == "param" ? fullName : fullName.rsplit('.').first;
      const Value &g = values.at(getKey("grad", name));
      kept = g.overflows;
      changed = g.changes | values.at(getKey("param", name)).changes;
    }
    value.overflows = 0;
    value.changes = kept | changed;
    made.states.push_back(
        {role.str(), fullName.str(), kept, value.changes, isWindow, isCalled,
         role == "accumulator" ? batches[group.flag].name : ""});
  }
  for (auto &[key, value] : results)
    given[key] = value;
}

/// All backward passes and updates, in one block.
void StepBuilder::runParts(TensorWriter &writer, Environment &values) {
  std::vector<bool> isDone(groups.size());
  auto updateWhere = [&](auto isReady) {
    for (auto [i, group] : llvm::enumerate(groups))
      if (!isDone[i] && isReady(group)) {
        isDone[i] = true;
        update(writer, group, values);
      }
  };
  for (unsigned i = 0; i < passes.size(); ++i) {
    callPass(writer, int(i), values);
    if (!isEager)
      continue;
    updateWhere([&](const Group &group) {
      for (size_t later = i + 1; later < passes.size(); ++later)
        if (llvm::is_contained(models[passes[later].model].params,
                               group.params[0]))
          return false;
      return llvm::all_of(group.params, [&](int param) {
        return values.count(getKey("grad", params[param].name)) != 0;
      });
    });
  }
  updateWhere([](const Group &) { return true; });
}

std::vector<Field> StepBuilder::getTrainStates() {
  std::vector<Field> fields;
  for (unsigned i = 0; i < params.size(); ++i)
    fields.push_back(parameterField(int(i), "param"));
  for (const auto &[name, shape] : buffers)
    fields.push_back(makeField("buffer", name, shape, "f32", true));
  for (const Group &group : groups) {
    llvm::append_range(fields, getStateFields(group));
    if (group.form == UpdateForm::Window ||
        group.form == UpdateForm::WindowSelect)
      for (int param : group.params)
        fields.push_back(parameterField(param, "accumulator"));
  }
  return fields;
}

/// Rounds of all parts: each takes the states of the one before, and, where
/// they are pipelined, its gradients.
void StepBuilder::writeLoopOfSteps(TensorWriter &writer, Environment &values) {
  const bool isPipelined = form == StepForm::PipelinedLoop;
  if (isPipelined)
    callPass(writer, 0, values);
  std::vector<Field> carried;
  for (const Field &field : getTrainStates())
    if (field.role != "param" || llvm::any_of(groups, [&](const Group &group) {
          return llvm::any_of(group.params, [&](int param) {
            return params[param].name == field.name;
          });
        }))
      carried.push_back(field);
  for (const Pass &pass : passes)
    for (const std::string &loss : pass.losses) {
      carried.push_back(makeField("loss", loss, {}));
      if (!isPipelined)
        values[getKey("loss", loss)] = writer.constant(0, {});
    }
  if (isPipelined)
    for (int param : getGradientParams(passes[0]))
      carried.push_back(parameterField(param, "grad"));
  std::string c0 = writer.fresh(), c1 = writer.fresh(), cn = writer.fresh();
  writer.write(c0 + " = arith.constant 0 : index");
  writer.write(c1 + " = arith.constant 1 : index");
  writer.write(cn + " = arith.constant " + Twine(rounds) + " : index");
  std::string base = writer.fresh(), starts, types, yields;
  TensorWriter inner = makeWriter();
  inner.counter() = writer.counter();
  Environment inside = values;
  for (auto [i, field] : llvm::enumerate(carried)) {
    Value start = values.at(getKey(field));
    Value argument = start;
    argument.name = inner.fresh();
    starts += (i ? ", " : "") + argument.name + " = " + start.name;
    types += (i ? ", " : "") + field.value.type();
    inside[getKey(field)] = argument;
  }
  if (isPipelined) {
    for (const Group &group : groups)
      update(inner, group, inside);
    for (int param : getGradientParams(passes[0]))
      inside.erase(getKey("grad", params[param].name));
    callPass(inner, 0, inside);
  } else {
    runParts(inner, inside);
  }
  // What one round keeps changes what the next computes.
  if (rounds > 1)
    for (StateRule &rule : made.states)
      rule.changedBy = ~uint64_t(0);
  for (auto [i, field] : llvm::enumerate(carried))
    yields += (i ? ", " : "") + inside.at(getKey(field)).name;
  writer.counter() = inner.counter();
  writer.write(
      base + (carried.size() == 1 ? "" : ":" + std::to_string(carried.size())) +
      " = scf.for %round = " + c0 + " to " + cn + " step " + c1 +
      " iter_args(" + starts + ") -> (" + types + ") {\n" + inner.print(6) +
      "      scf.yield " + yields + " : " + types + "\n    }");
  for (auto [i, field] : llvm::enumerate(carried)) {
    Value value = inside.at(getKey(field));
    value.name = carried.size() == 1 ? base : base + "#" + std::to_string(i);
    values[getKey(field)] = value;
  }
}

/// One backward pass for each part of the rows, whose gradients are added.
void StepBuilder::writeLoopOfBatches(TensorWriter &writer,
                                     Environment &values) {
  const Pass &pass = passes[0];
  std::string c0 = writer.fresh(), c1 = writer.fresh(), cn = writer.fresh(),
              cr = writer.fresh();
  writer.write(c0 + " = arith.constant 0 : index");
  writer.write(c1 + " = arith.constant 1 : index");
  writer.write(cn + " = arith.constant " + Twine(rounds) + " : index");
  writer.write(cr + " = arith.constant " + Twine(rows) + " : index");
  std::vector<Field> carried;
  for (int param : getGradientParams(pass)) {
    carried.push_back(parameterField(param, "grad"));
    values[getKey(carried.back())] = writer.constant(0, params[param].shape);
  }
  for (const auto &[name, shape] : buffers)
    carried.push_back(makeField("buffer", name, shape, "f32", true));
  for (const std::string &loss : pass.losses) {
    carried.push_back(makeField("loss", loss, {}));
    values[getKey("loss", loss)] = writer.constant(0, {});
  }
  std::string base = writer.fresh(), starts, types, yields;
  std::string firstNames;
  std::vector<std::string> starting;
  TensorWriter inner = makeWriter();
  inner.counter() = writer.counter();
  Environment inside = values;
  for (auto [i, field] : llvm::enumerate(carried)) {
    Value start = values.at(getKey(field));
    Value argument = start;
    argument.name = inner.fresh();
    starting.push_back(argument.name);
    // The condition of a while has names of its own.
    std::string first = form == StepForm::WhileOfBatches
                            ? "%first" + std::to_string(i)
                            : argument.name;
    firstNames += ", " + first;
    starts += (i ? ", " : "") + first + " = " + start.name;
    types += (i ? ", " : "") + field.value.type();
    inside[getKey(field)] = argument;
  }
  std::string offset = inner.fresh();
  inner.write(offset + " = arith.muli %part, " + cr + " : index");
  for (const Batch &batch : batches) {
    if (batch.shape.empty())
      continue;
    std::string key = getKey("batch", batch.name);
    Value all = inside.at(key);
    std::string offsets = offset, sizes = std::to_string(rows), strides = "1";
    for (int64_t extent : llvm::drop_begin(batch.shape)) {
      offsets += ", 0";
      sizes += ", " + std::to_string(extent);
      strides += ", 1";
    }
    Value some =
        inner.define("tensor.extract_slice " + all.name + "[" + offsets +
                         "] [" + sizes + "] [" + strides + "] : " + all.type() +
                         " to " + getTensorType(batch.shape, batch.element),
                     batch.shape, {&all});
    some.element = batch.element;
    inside[key] = some;
  }
  callPass(inner, 0, inside);
  for (auto [i, field] : llvm::enumerate(carried))
    yields += (i ? ", " : "") + inside.at(getKey(field)).name;
  writer.counter() = inner.counter();
  if (form == StepForm::WhileOfBatches) {
    std::string arguments;
    for (auto [i, field] : llvm::enumerate(carried))
      arguments += ", " + starting[i] + ": " + field.value.type();
    writer.write(base + ":" + std::to_string(carried.size() + 1) +
                 " = scf.while (%part = " + c0 + ", " + starts +
                 ") : (index, " + types + ") -> (index, " + types +
                 ") {\n      %more = arith.cmpi slt, %part, " + cn +
                 " : index\n      scf.condition(%more) %part" + firstNames +
                 " : index, " + types + "\n    } do {\n    ^bb0(%part: index" +
                 arguments + "):\n" + inner.print(6) +
                 "      %next = arith.addi %part, " + c1 +
                 " : index\n      scf.yield %next, " + yields + " : index, " +
                 types + "\n    }");
  } else {
    writer.write(
        base +
        (carried.size() == 1 ? "" : ":" + std::to_string(carried.size())) +
        " = scf.for %part = " + c0 + " to " + cn + " step " + c1 +
        " iter_args(" + starts + ") -> (" + types + ") {\n" + inner.print(6) +
        "      scf.yield " + yields + " : " + types + "\n    }");
  }
  const size_t skipped = form == StepForm::WhileOfBatches;
  for (auto [i, field] : llvm::enumerate(carried)) {
    Value value = inside.at(getKey(field));
    value.name = carried.size() + skipped == 1
                     ? base
                     : base + "#" + std::to_string(i + skipped);
    values[getKey(field)] = value;
  }
  for (const Group &group : groups)
    update(writer, group, values);
}

/// One of two backward passes runs, and its gradients leave the branch.
void StepBuilder::writeBranches(TensorWriter &writer, Environment &values) {
  std::vector<Field> carried;
  for (int param : getGradientParams(passes[0]))
    carried.push_back(parameterField(param, "grad"));
  for (const auto &[name, shape] : buffers)
    carried.push_back(makeField("buffer", name, shape, "f32", true));
  const Value &flag = values.at(getKey("batch", batches[branchFlag].name));
  std::string test = writer.fresh(), base = writer.fresh(), types;
  writer.write(test + " = tensor.extract " + flag.name + "[] : tensor<i1>");
  for (auto [i, field] : llvm::enumerate(carried))
    types += (i ? ", " : "") + field.value.type();
  std::string text;
  Environment merged;
  for (int number : {0, 1}) {
    TensorWriter inner = makeWriter();
    inner.counter() = writer.counter();
    Environment inside = values;
    callPass(inner, number, inside);
    writer.counter() = inner.counter();
    std::string yields;
    for (auto [i, field] : llvm::enumerate(carried)) {
      const Value &value = inside.at(getKey(field));
      yields += (i ? ", " : "") + value.name;
      Value &both = merged[getKey(field)];
      both.shape = value.shape;
      TensorWriter::inherit(both, {&value});
    }
    for (const std::string &loss : passes[number].losses)
      values[getKey("loss", loss)] = values.at(getKey("loss_seed", loss));
    text += (number ? "    } else {\n" : "") + inner.print(6) +
            "      scf.yield " + yields + " : " + types + "\n";
  }
  writer.write(
      base + (carried.size() == 1 ? "" : ":" + std::to_string(carried.size())) +
      " = scf.if " + test + " -> (" + types + ") {\n" + text + "    }");
  for (auto [i, field] : llvm::enumerate(carried)) {
    Value &value = merged.at(getKey(field));
    value.name = carried.size() == 1 ? base : base + "#" + std::to_string(i);
    values[getKey(field)] = value;
  }
  for (const Group &group : groups)
    update(writer, group, values);
}

/// Gradients are halved in a block of their own, or not.
void StepBuilder::writeBlocks(TensorWriter &writer, Environment &values) {
  for (unsigned i = 0; i < passes.size(); ++i)
    callPass(writer, int(i), values);
  const Value &flag = values.at(getKey("batch", batches[branchFlag].name));
  std::string test = writer.fresh(), names, types, halves, arguments;
  writer.write(test + " = tensor.extract " + flag.name + "[] : tensor<i1>");
  unsigned index = 0;
  std::vector<std::string> keys;
  for (const auto &[key, value] : values)
    if (StringRef(key).starts_with("grad/"))
      keys.push_back(key);
  for (const std::string &key : keys) {
    names += (index ? ", " : "") + values.at(key).name;
    types += (index ? ", " : "") + values.at(key).type();
    ++index;
  }
  writer.write("cf.cond_br " + test + ", ^small, ^end(" + names + " : " +
               types + ")");
  writer.write("^small:");
  index = 0;
  for (const std::string &key : keys) {
    halves += (index ? ", " : "") + writer.scale(values.at(key), 0.5).name;
    Value &value = values.at(key);
    value.name = writer.fresh();
    value.line = -1;
    arguments += (index ? ", " : "") + value.name + ": " + value.type();
    ++index;
  }
  writer.write("cf.br ^end(" + halves + " : " + types + ")");
  writer.write("^end(" + arguments + "):");
  for (const Group &group : groups)
    update(writer, group, values);
}

void StepBuilder::writeTrainStep() {
  std::vector<Field> arguments = getTrainStates();
  for (const Batch &batch : batches) {
    Shape shape = batch.shape;
    if (isOneOf({StepForm::LoopOfBatches, StepForm::WhileOfBatches}) &&
        !shape.empty())
      shape[0] *= rounds;
    arguments.push_back(makeField("batch", batch.name, shape, batch.element));
  }
  if (llvm::any_of(groups, [](const Group &group) { return group.readsRate; }))
    arguments.push_back(makeField("hyper", "rate", {}));
  for (const Pass &pass : passes)
    for (const std::string &loss : pass.losses)
      arguments.push_back(makeField("loss_seed", loss, {}));
  Environment values = getArguments(arguments);
  TensorWriter writer = makeWriter();
  switch (form) {
  case StepForm::Calls:
    runParts(writer, values);
    break;
  case StepForm::Fused: {
    Environment results;
    writePass(writer, passes[0], values, results);
    for (auto &[key, value] : results) {
      auto [role, name] = StringRef(key).split('/');
      if (role == "grad") {
        value.overflows = value.changes = getPassBit(0);
        if (marksGradients) {
          std::string mark = "amp.grad = [\"" + name.str() + "\"]";
          // One value may be the gradient of two parameters, and not every
          // operation can be marked.
          unsigned users = 0;
          for (const auto &other : results)
            users += StringRef(other.first).starts_with("grad/") &&
                     other.second.name == value.name;
          bool isTaken = users > 1;
          if (isTaken || value.line < 0) {
            Value same =
                writer.define("arith.mulf " + value.name + ", " +
                                  writer.constant(1, value.shape).name +
                                  "\x01 : " + value.type(),
                              value.shape, {&value});
            value = same;
          }
          writer.mark(value, mark);
        }
      }
      values[key] = value;
    }
    for (const Group &group : groups)
      update(writer, group, values);
    break;
  }
  case StepForm::LoopOfSteps:
  case StepForm::PipelinedLoop:
    writeLoopOfSteps(writer, values);
    break;
  case StepForm::LoopOfBatches:
  case StepForm::WhileOfBatches:
    writeLoopOfBatches(writer, values);
    break;
  case StepForm::Branches:
    writeBranches(writer, values);
    break;
  case StepForm::Blocks:
    writeBlocks(writer, values);
    break;
  case StepForm::Twice:
    for (int number : {0, 1}) {
      for (int param : getGradientParams(passes[number]))
        values.erase(getKey("grad", params[param].name));
      callPass(writer, number, values);
      for (const Group &group : groups)
        update(writer, group, values);
    }
    break;
  }
  // The norm of a gradient, for who watches.
  std::vector<Field> results;
  if (form != StepForm::LoopOfSteps && random.chance(15)) {
    const std::string &name = params[getGradientParams(passes[0])[0]].name;
    auto it = values.find(getKey("grad", name));
    if (it != values.end()) {
      Value square = writer.binary("arith.mulf", it->second, it->second);
      Field field = makeField("output", "norm", {});
      values[getKey(field)] = writer.unary(
          "math.sqrt", writer.reduce("arith.addf", square, {0, 1}));
      field.value = values[getKey(field)];
      results.push_back(std::move(field));
    }
  }
  auto give = [&](Field field) {
    field.value = values.at(getKey(field));
    results.push_back(std::move(field));
  };
  for (const Pass &pass : passes)
    for (const std::string &loss : pass.losses)
      give(makeField("loss", loss, {}));
  for (const Field &field : getTrainStates()) {
    bool isChanged = values.at(getKey(field)).name != field.value.name;
    // What nothing changes may be returned all the same.
    if (field.role == "param" && !isChanged && random.chance(80))
      continue;
    give(field);
  }
  if (form == StepForm::Fused && !marksGradients && !hidesGradients)
    for (int param : getGradientParams(passes[0]))
      give(parameterField(param, "grad"));
  functions += printFunction("train_step", false, arguments, results, writer);
  for (const auto &[name, shape] : buffers)
    made.states.push_back(
        {"buffer", name, 0,
         isOneOf({StepForm::LoopOfSteps, StepForm::PipelinedLoop}) && rounds > 1
             ? ~uint64_t(0)
             : values.at(getKey("buffer", name)).changes});
}
