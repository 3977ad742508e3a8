//===- GradientTape.cpp - A forward pass and its backward pass ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Entries stand in the order of their operations; the backward pass goes
// through them from the end.
//
//===----------------------------------------------------------------------===//

#include "GradientTape.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir::amp;
using llvm::ArrayRef;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Forward
//===----------------------------------------------------------------------===//

int GradientTape::push(Kind kind, Value value, int a, int b) {
  Entry entry;
  entry.kind = kind;
  entry.value = std::move(value);
  entry.a = a;
  entry.b = b;
  entry.origin = writer.origin;
  entry.needsGradient = (a >= 0 && entries[a].needsGradient) ||
                        (b >= 0 && entries[b].needsGradient);
  entries.push_back(std::move(entry));
  return int(entries.size()) - 1;
}

int GradientTape::input(Value value, bool needsGradient) {
  int id = push(Input, std::move(value), -1);
  entries[id].needsGradient = needsGradient;
  return id;
}

int GradientTape::binary(StringRef kind, int a, int b) {
  Kind what = llvm::StringSwitch<Kind>(kind)
                  .Case("arith.addf", Add)
                  .Case("arith.subf", Sub)
                  .Case("arith.mulf", Mul)
                  .Default(Div);
  return push(what, writer.binary(kind, get(a), get(b)), a, b);
}

int GradientTape::unary(StringRef kind, int a) {
  int id = push(Unary, writer.unary(kind, get(a)), a);
  entries[id].text = kind.str();
  return id;
}

int GradientTape::relu(int a) {
  return push(
      Relu,
      writer.binary("arith.maximumf", get(a), writer.constant(0, shape(a))), a);
}

int GradientTape::scale(int a, double factor) {
  int id = push(Scale, writer.scale(get(a), factor), a);
  entries[id].factor = factor;
  return id;
}

int GradientTape::add(int a, double number) {
  return push(Shift, writer.add(get(a), number), a);
}

int GradientTape::matmul(int a, int b, bool transposeB) {
  int id = push(Matmul, writer.matmul(get(a), get(b), false, transposeB), a, b);
  entries[id].transposed = transposeB;
  return id;
}

int GradientTape::sum(int a, ArrayRef<int64_t> dimensions) {
  int id = push(Sum, writer.reduce("arith.addf", get(a), dimensions), a);
  entries[id].dimensions.assign(dimensions.begin(), dimensions.end());
  return id;
}

int GradientTape::broadcast(int a, ArrayRef<int64_t> dimensions,
                            const Shape &shape) {
  int id = push(Broadcast, writer.broadcast(get(a), dimensions, shape), a);
  entries[id].dimensions.assign(dimensions.begin(), dimensions.end());
  return id;
}

int GradientTape::reshape(int a, const Shape &shape) {
  return push(Reshape, writer.reshape(get(a), shape), a);
}

int GradientTape::slice(int a, int64_t first, int64_t count) {
  int id = push(Slice, writer.slice(get(a), first, count), a);
  entries[id].number = first;
  return id;
}

int GradientTape::scaleInLoop(int a, double factor, int64_t rounds) {
  int id = push(LoopScale, writer.scaleInLoop(get(a), factor, rounds), a);
  entries[id].factor = factor;
  entries[id].number = rounds;
  return id;
}

int GradientTape::multiplyInLoop(int a, int w, int64_t rounds) {
  int id =
      push(LoopMatmul, writer.multiplyInLoop(get(a), get(w), rounds, false), a);
  entries[id].b = w; // takes no gradient: its rounds are not kept
  entries[id].number = rounds;
  return id;
}

int GradientTape::scaleInBranch(const Value &flag, int a, double yes,
                                double no) {
  int id = push(Branch, writer.scaleInBranch(flag, get(a), yes, no), a);
  entries[id].factor = yes;
  entries[id].other = no;
  entries[id].flag = flag;
  return id;
}

int GradientTape::matmulOnto(int a, int b, int onto) {
  int id = push(MatmulOnto, writer.matmulOnto(get(a), get(b), get(onto)), a, b);
  entries[id].c = onto;
  entries[id].needsGradient |= entries[onto].needsGradient;
  return id;
}

int GradientTape::gather(int table, const Value &numbers) {
  int id = push(Gather, writer.gather(get(table), numbers), table);
  entries[id].flag = numbers;
  return id;
}

int GradientTape::mask(const Value &mask, int a, double factor) {
  Value scaled = writer.scale(get(a), factor);
  Value zero = writer.constant(0, shape(a));
  int id = push(Mask, writer.select(mask, scaled, zero), a);
  entries[id].flag = mask;
  entries[id].factor = factor;
  return id;
}

int GradientTape::tanhLayer(int a, int w, bool isOpen) {
  int id = push(TanhLayer, writer.tanhLayer(get(a), get(w), isOpen), a, w);
  entries[id].transposed = isOpen;
  return id;
}

int GradientTape::recur(int a, int w, int64_t rounds) {
  auto [y, states] = writer.recur(get(a), get(w), rounds);
  int id = push(Recur, y, a, w);
  entries[id].flag = states;
  entries[id].number = rounds;
  return id;
}

int GradientTape::maximum(int a, ArrayRef<int64_t> dimensions) {
  int id =
      push(Maximum, writer.reduce("arith.maximumf", get(a), dimensions), a);
  entries[id].needsGradient = false;
  return id;
}

//===----------------------------------------------------------------------===//
// Backward
//===----------------------------------------------------------------------===//

void GradientTape::contribute(int id, const Value &gradient) {
  if (!entries[id].needsGradient)
    return;
  auto [it, isNew] = gradients.try_emplace(id, gradient);
  if (isNew)
    return;
  std::string origin = writer.origin;
  // The sum of two gradients of one value belongs to no operation.
  if (StringRef(origin).contains("amp.scope_id"))
    writer.origin = "amp.phase = \"backward\", amp.scope = \"aten.add\"";
  it->second = writer.binary("arith.addf", it->second, gradient);
  writer.origin = origin;
}

void GradientTape::addCotangent(int output, const Value &seed) {
  contribute(output, seed);
}

const Value *GradientTape::getGradient(int id) const {
  auto it = gradients.find(id);
  return it == gradients.end() ? nullptr : &it->second;
}

void GradientTape::writeBackward() {
  std::string origin = writer.origin;
  for (int id = int(entries.size()) - 1; id >= 0; --id) {
    auto it = gradients.find(id);
    if (it == gradients.end() || entries[id].kind == Input)
      continue;
    writer.origin = toBackward ? toBackward(entries[id].origin) : "";
    Value gradient = it->second;
    writeBackward(entries[id], gradient, id);
  }
  writer.origin = origin;
}

void GradientTape::writeBackward(const Entry &entry, const Value &g, int id) {
  auto needs = [&](int operand) { return entries[operand].needsGradient; };
  const int a = entry.a, b = entry.b;
  switch (entry.kind) {
  case Input:
  case Maximum:
    return;
  case Add:
    contribute(a, g);
    contribute(b, g);
    return;
  case Sub:
    contribute(a, g);
    if (needs(b))
      contribute(b, writer.unary("arith.negf", g));
    return;
  case Mul:
    if (needs(a))
      contribute(a, writer.binary("arith.mulf", g, get(b)));
    if (needs(b))
      contribute(b, writer.binary("arith.mulf", g, get(a)));
    return;
  case Div: {
    Value ga = writer.binary("arith.divf", g, get(b));
    contribute(a, ga);
    if (needs(b)) {
      Value product = writer.binary("arith.mulf", ga, get(id));
      contribute(b, writer.unary("arith.negf", product));
    }
    return;
  }
  case Unary: {
    StringRef kind = entry.text;
    const Value &x = get(a), &y = entry.value;
    if (kind == "math.tanh") {
      Value square = writer.binary("arith.mulf", y, y);
      Value one = writer.constant(1, y.shape);
      Value slope = writer.binary("arith.subf", one, square);
      contribute(a, writer.binary("arith.mulf", g, slope));
    } else if (kind == "math.exp") {
      contribute(a, writer.binary("arith.mulf", g, y));
    } else if (kind == "math.log") {
      contribute(a, writer.binary("arith.divf", g, x));
    } else if (kind == "math.sqrt") {
      Value half = writer.scale(g, 0.5);
      contribute(a, writer.binary("arith.divf", half, y));
    } else if (kind == "math.rsqrt") {
      Value cube = writer.binary("arith.mulf", y, y);
      cube = writer.binary("arith.mulf", cube, y);
      Value half = writer.scale(g, -0.5);
      contribute(a, writer.binary("arith.mulf", half, cube));
    } else if (kind == "arith.negf") {
      contribute(a, writer.unary("arith.negf", g));
    } else {
      llvm_unreachable("every function has a derivative");
    }
    return;
  }
  case Relu: {
    Value zero = writer.constant(0, g.shape);
    contribute(a, writer.selectPositive(get(a), g, zero));
    return;
  }
  case Scale:
    contribute(a, writer.scale(g, entry.factor));
    return;
  case Shift:
    contribute(a, g);
    return;
  case Matmul:
    // y = a b: ga = g b', gb = a' g; y = a b': ga = g b, gb = g' a.
    if (needs(a))
      contribute(a, writer.matmul(g, get(b), false, !entry.transposed));
    if (needs(b))
      contribute(b, entry.transposed ? writer.matmul(g, get(a), true, false)
                                     : writer.matmul(get(a), g, true, false));
    return;
  case Sum:
    contribute(a, writer.broadcast(g, entry.dimensions, shape(a)));
    return;
  case Broadcast:
    contribute(a, writer.reduce("arith.addf", g, entry.dimensions));
    return;
  case Reshape:
    contribute(a, writer.reshape(g, shape(a)));
    return;
  case Slice:
    contribute(a, writer.place(g, entry.number, shape(a)));
    return;
  case LoopScale:
    contribute(a, writer.scaleInLoop(g, entry.factor, entry.number));
    return;
  case LoopMatmul:
    contribute(a, writer.multiplyInLoop(g, get(b), entry.number, true));
    return;
  case MatmulOnto:
    if (needs(a))
      contribute(a, writer.matmul(g, get(b), false, true));
    if (needs(b))
      contribute(b, writer.matmul(get(a), g, true, false));
    contribute(entry.c, g);
    return;
  case Gather: {
    if (!needs(a))
      return;
    Value hot = writer.oneHot(entry.flag, shape(a)[0]);
    contribute(a, writer.matmul(hot, g, true, false));
    return;
  }
  case Mask: {
    Value scaled = writer.scale(g, entry.factor);
    Value zero = writer.constant(0, g.shape);
    contribute(a, writer.select(entry.flag, scaled, zero));
    return;
  }
  case TanhLayer: {
    auto [ga, gw] = writer.tanhLayerGradient(get(a), get(b), entry.value, g,
                                             entry.transposed);
    contribute(a, ga);
    contribute(b, gw);
    return;
  }
  case Recur: {
    auto [ga, gw] =
        writer.recurGradient(get(a), get(b), entry.flag, g, entry.number);
    contribute(a, ga);
    contribute(b, gw);
    return;
  }
  case Branch:
    contribute(a,
               writer.scaleInBranch(entry.flag, g, entry.factor, entry.other));
    return;
  }
}
