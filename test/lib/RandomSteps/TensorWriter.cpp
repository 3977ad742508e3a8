//===- TensorWriter.cpp - Text of operations on tensors -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each operation draws its form. Attributes are filled in when the body is
// printed, since a mark on a gradient is known only after it was written.
//
//===----------------------------------------------------------------------===//

#include "TensorWriter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::amp;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

std::string mlir::amp::getTensorType(ArrayRef<int64_t> shape,
                                     StringRef element) {
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + element.str() + ">";
}

std::string Value::type() const { return getTensorType(shape, element); }

std::string mlir::amp::getNumber(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.17g", value);
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  else if (size_t e = text.find('e');
           e != std::string::npos && text.find('.') == std::string::npos)
    text.insert(e, ".0");
  return text;
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

std::string TensorWriter::fresh() { return "%v" + std::to_string(count++); }

void TensorWriter::write(const Twine &line) {
  lines.push_back({line.str(), std::string()});
}

void TensorWriter::inherit(Value &value, ArrayRef<const Value *> from) {
  for (const Value *operand : from) {
    value.overflows |= operand->overflows;
    value.changes |= operand->changes;
  }
}

Value TensorWriter::define(const Twine &text, const Shape &shape,
                           ArrayRef<const Value *> from, unsigned results) {
  Value value;
  value.name = fresh();
  value.shape = shape;
  inherit(value, from);
  lines.push_back({value.name +
                       (results == 1 ? "" : ":" + std::to_string(results)) +
                       " = " + text.str(),
                   origin});
  StringRef written = lines.back().text;
  if (results == 1 && (written.contains('\x01') || written.contains('\x02')))
    value.line = int(lines.size()) - 1;
  return value;
}

bool TensorWriter::mark(const Value &value, StringRef attribute) {
  if (value.line < 0)
    return false;
  std::string &attributes = lines[value.line].attributes;
  if (!attributes.empty())
    attributes += ", ";
  attributes += attribute;
  return true;
}

std::string TensorWriter::print(unsigned indent) const {
  std::string text;
  for (const Line &line : lines) {
    text.append(indent, ' ');
    for (char c : line.text) {
      if (c == '\x01' || c == '\x02') {
        if (!line.attributes.empty())
          text += (c == '\x01' ? " {" : " attrs = {") + line.attributes + "}";
      } else {
        text += c;
      }
    }
    text += "\n";
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

std::string TensorWriter::identityMap(size_t rank) const {
  std::string dims;
  for (size_t i = 0; i < rank; ++i)
    dims += (i ? ", d" : "d") + std::to_string(i);
  return "affine_map<(" + dims + ") -> (" + dims + ")>";
}

Value TensorWriter::empty(const Shape &shape) {
  return define("tensor.empty() : " + getTensorType(shape), shape, {});
}

Value TensorWriter::constant(double value, const Shape &shape) {
  if (random.chance(70))
    return define("arith.constant dense<" + getNumber(value) +
                      "> : " + getTensorType(shape),
                  shape, {});
  Value out = empty(shape);
  std::string number = fresh();
  write(number + " = arith.constant " + getNumber(value) + " : f32");
  return define("linalg.fill\x01 ins(" + number + " : f32) outs(" + out.name +
                    " : " + out.type() + ") -> " + out.type(),
                shape, {});
}

Value TensorWriter::generic(ArrayRef<const Value *> ins,
                            ArrayRef<std::string> maps, StringRef iterators,
                            const Value &out, const std::string &body) {
  std::string names, types, arguments;
  for (auto [i, value] : llvm::enumerate(ins)) {
    StringRef separator = i ? ", " : "";
    names += (separator + value->name).str();
    types += (separator + value->type()).str();
    arguments += (separator + "%" + StringRef("abc").substr(i, 1) + ": " +
                  value->element)
                     .str();
  }
  std::string text = "linalg.generic {indexing_maps = [" +
                     llvm::join(maps, ", ") + "], iterator_types = [" +
                     iterators.str() + "]}";
  if (!ins.empty())
    text += " ins(" + names + " : " + types + ")";
  text += " outs(" + out.name + " : " + out.type() + ")\x02 {\n    ^bb0(" +
          arguments + (ins.empty() ? "" : ", ") + "%o: f32):\n" + body +
          "      linalg.yield %r : f32\n    } -> " + out.type();
  llvm::SmallVector<const Value *> from(ins.begin(), ins.end());
  from.push_back(&out);
  return define(text, out.shape, from);
}

static std::string getIterators(size_t rank, ArrayRef<int64_t> reductions) {
  std::string text;
  for (size_t i = 0; i < rank; ++i)
    text += std::string(i ? ", " : "") +
            (llvm::is_contained(reductions, int64_t(i)) ? "\"reduction\""
                                                        : "\"parallel\"");
  return text;
}

Value TensorWriter::binary(StringRef kind, const Value &a, const Value &b) {
  std::string types = a.type() + ", " + b.type();
  std::string names = a.name + ", " + b.name;
  if (!random.chance(percentLinalg))
    return define(kind + " " + names + "\x01 : " + a.type(), a.shape, {&a, &b});
  Value out = empty(a.shape);
  std::string outs = " outs(" + out.name + " : " + out.type() + ")";
  StringRef named = llvm::StringSwitch<StringRef>(kind)
                        .Case("arith.addf", "add")
                        .Case("arith.subf", "sub")
                        .Case("arith.mulf", "mul")
                        .Case("arith.divf", "div")
                        .Case("arith.maximumf", "max")
                        .Case("arith.minimumf", "min")
                        .Default("");
  switch (random.below(4)) {
  case 0:
    if (!named.empty())
      return define("linalg." + named + "\x01 ins(" + names + " : " + types +
                        ")" + outs + " -> " + a.type(),
                    a.shape, {&a, &b});
    break;
  case 1:
    return define("linalg.map { " + kind + " } ins(" + names + " : " + types +
                      ")" + outs + "\x01",
                  a.shape, {&a, &b});
  case 2:
    if (named == "add" || named == "sub" || named == "mul" || named == "div")
      return define("linalg.elementwise kind=#linalg.elementwise_kind<" +
                        named + ">\x01 ins(" + names + " : " + types + ")" +
                        outs + " -> " + a.type(),
                    a.shape, {&a, &b});
    break;
  }
  size_t rank = a.shape.size();
  if (kind == "arith.addf" && random.chance(30))
    return generic({&a}, {identityMap(rank), identityMap(rank)},
                   getIterators(rank, {}), b,
                   "      %r = arith.addf %a, %o : f32\n");
  return generic({&a, &b},
                 {identityMap(rank), identityMap(rank), identityMap(rank)},
                 getIterators(rank, {}), out,
                 "      %r = " + kind.str() + " %a, %b : f32\n");
}

/// A function without roles around one operation: one block or two, directly or
/// behind another one.
Value TensorWriter::callHelper(StringRef kind, const Value &a) {
  unsigned form = random.below(3);
  std::string suffix;
  for (int64_t extent : a.shape)
    suffix += "_" + std::to_string(extent);
  std::string base = kind.split('.').second.str() + suffix;
  std::string type = a.type();
  auto wrap = [&](StringRef name, const Twine &body) {
    helpers.try_emplace(name.str(),
                        ("  func.func private @" + name + "(%x: " + type +
                         ") -> " + type + " {\n" + body + "  }\n")
                            .str());
  };
  std::string compute = "    %0 = " + kind.str() + " %x : " + type + "\n";
  std::string back = "    return %0 : " + type + "\n";
  std::string name = base;
  switch (form) {
  case 0:
    wrap(name, compute + back);
    break;
  case 1:
    wrap(base, compute + back);
    name += "_nested";
    wrap(name, "    %0 = call @" + base + "(%x) : (" + type + ") -> " + type +
                   "\n" + back);
    break;
  case 2:
    name += "_blocks";
    wrap(name, compute + "    cf.br ^end\n  ^end:\n" + back);
    break;
  }
  return define("func.call @" + name + "(" + a.name + ")\x01 : (" + type +
                    ") -> " + type,
                a.shape, {&a});
}

Value TensorWriter::unary(StringRef kind, const Value &a) {
  if (random.chance(percentHelpers))
    return callHelper(kind, a);
  if (!random.chance(percentLinalg))
    return define(kind + " " + a.name + "\x01 : " + a.type(), a.shape, {&a});
  Value out = empty(a.shape);
  std::string operands = "ins(" + a.name + " : " + a.type() + ") outs(" +
                         out.name + " : " + out.type() + ")";
  StringRef named = llvm::StringSwitch<StringRef>(kind)
                        .Case("math.tanh", "tanh")
                        .Case("math.exp", "exp")
                        .Case("math.log", "log")
                        .Case("math.sqrt", "sqrt")
                        .Case("math.rsqrt", "rsqrt")
                        .Case("arith.negf", "negf")
                        .Default("");
  switch (random.below(3)) {
  case 0:
    if (!named.empty())
      return define("linalg." + named + "\x01 " + operands + " -> " + a.type(),
                    a.shape, {&a});
    break;
  case 1:
    return define("linalg.map { " + kind + " } " + operands + "\x01", a.shape,
                  {&a});
  }
  size_t rank = a.shape.size();
  return generic({&a}, {identityMap(rank), identityMap(rank)},
                 getIterators(rank, {}), out,
                 "      %r = " + kind.str() + " %a : f32\n");
}

Value TensorWriter::scale(const Value &a, double factor) {
  if (random.chance(70))
    return binary("arith.mulf", a, constant(factor, a.shape));
  Value out = empty(a.shape);
  size_t rank = a.shape.size();
  return generic({&a}, {identityMap(rank), identityMap(rank)},
                 getIterators(rank, {}), out,
                 "      %k = arith.constant " + getNumber(factor) +
                     " : f32\n      %r = arith.mulf %a, %k : f32\n");
}

Value TensorWriter::add(const Value &a, double number) {
  return binary("arith.addf", a, constant(number, a.shape));
}

Value TensorWriter::matmul(const Value &a, const Value &b, bool transposeA,
                           bool transposeB) {
  Shape shape = {a.shape[transposeA ? 1 : 0], b.shape[transposeB ? 0 : 1]};
  unsigned form = random.below(10);
  if ((transposeA || transposeB) && form < 4) {
    Value left = transposeA ? transpose(a) : a;
    Value right = transposeB ? transpose(b) : b;
    return matmul(left, right);
  }
  Value out = constant(0, shape);
  std::string maps[3] = {transposeA ? "affine_map<(m, n, k) -> (k, m)>"
                                    : "affine_map<(m, n, k) -> (m, k)>",
                         transposeB ? "affine_map<(m, n, k) -> (n, k)>"
                                    : "affine_map<(m, n, k) -> (k, n)>",
                         "affine_map<(m, n, k) -> (m, n)>"};
  if (form >= 8)
    return generic({&a, &b}, maps, getIterators(3, {2}), out,
                   "      %p = arith.mulf %a, %b : f32\n"
                   "      %r = arith.addf %o, %p : f32\n");
  std::string text = "linalg.matmul";
  if (transposeA || transposeB)
    text +=
        " indexing_maps = [" + maps[0] + ", " + maps[1] + ", " + maps[2] + "]";
  return define(text + "\x01 ins(" + a.name + ", " + b.name + " : " + a.type() +
                    ", " + b.type() + ") outs(" + out.name + " : " +
                    out.type() + ") -> " + out.type(),
                shape, {&a, &b});
}

Value TensorWriter::matmulOnto(const Value &a, const Value &b,
                               const Value &onto) {
  return define("linalg.matmul\x01 ins(" + a.name + ", " + b.name + " : " +
                    a.type() + ", " + b.type() + ") outs(" + onto.name + " : " +
                    onto.type() + ") -> " + onto.type(),
                onto.shape, {&a, &b, &onto});
}

Value TensorWriter::widen(const Value &a) {
  StringRef kind = a.element == "f64" ? "arith.truncf " : "arith.extf ";
  return define(kind + a.name + "\x01 : " + a.type() + " to " +
                    getTensorType(a.shape),
                a.shape, {&a});
}

Value TensorWriter::gather(const Value &table, const Value &numbers) {
  Shape shape = {numbers.shape[0], table.shape[1]};
  return generic({&numbers}, {"affine_map<(d0, d1) -> (d0)>", identityMap(2)},
                 getIterators(2, {}), empty(shape),
                 "      %j = linalg.index 1 : index\n"
                 "      %k = arith.index_cast %a : " +
                     numbers.element + " to index\n      %r = tensor.extract " +
                     table.name + "[%k, %j] : " + table.type() + "\n");
}

Value TensorWriter::select(const Value &mask, const Value &yes,
                           const Value &no) {
  return define("arith.select " + mask.name + ", " + yes.name + ", " + no.name +
                    "\x01 : " + mask.type() + ", " + yes.type(),
                yes.shape, {&mask, &yes, &no});
}

Value TensorWriter::reduce(StringRef kind, const Value &a,
                           ArrayRef<int64_t> dimensions) {
  Shape shape;
  std::string dims, kept;
  for (auto [i, extent] : llvm::enumerate(a.shape)) {
    bool isReduced = llvm::is_contained(dimensions, int64_t(i));
    if (!isReduced) {
      shape.push_back(extent);
      kept += (kept.empty() ? "d" : ", d") + std::to_string(i);
    } else {
      dims += (dims.empty() ? "" : ", ") + std::to_string(i);
    }
  }
  Value out = constant(kind == "arith.addf" ? 0 : -65504, shape);
  size_t rank = a.shape.size();
  std::string head = "ins(" + a.name + " : " + a.type() + ") outs(" + out.name +
                     " : " + out.type() + ") dimensions = [" + dims + "]";
  switch (random.below(3)) {
  case 0:
    return define("linalg.reduce { " + kind + " } " + head + "\x01", shape,
                  {&a});
  case 1:
    return define("linalg.reduce " + head +
                      "\x01\n      (%a: f32, %o: f32) { "
                      "%r = " +
                      kind + " %a, %o : f32\n        linalg.yield %r : f32 }",
                  shape, {&a});
  }
  std::string to = identityMap(rank);
  to = to.substr(0, to.find("->")) + "-> (" + kept + ")>";
  return generic({&a}, {identityMap(rank), to}, getIterators(rank, dimensions),
                 out, "      %r = " + kind.str() + " %a, %o : f32\n");
}

Value TensorWriter::broadcast(const Value &a, ArrayRef<int64_t> dimensions,
                              const Shape &shape) {
  Value out = empty(shape);
  std::string dims, kept;
  for (size_t i = 0; i < shape.size(); ++i)
    if (llvm::is_contained(dimensions, int64_t(i)))
      dims += (dims.empty() ? "" : ", ") + std::to_string(i);
    else
      kept += (kept.empty() ? "d" : ", d") + std::to_string(i);
  if (random.chance(70))
    return define("linalg.broadcast ins(" + a.name + " : " + a.type() +
                      ") outs(" + out.name + " : " + out.type() +
                      ") dimensions = [" + dims + "]\x01",
                  shape, {&a});
  std::string from = identityMap(shape.size());
  from = from.substr(0, from.find("->")) + "-> (" + kept + ")>";
  Value value = define(
      "linalg.generic {indexing_maps = [" + from + ", " +
          identityMap(shape.size()) + "], iterator_types = [" +
          getIterators(shape.size(), {}) + "]} ins(" + a.name + " : " +
          a.type() + ") outs(" + out.name + " : " + out.type() +
          ")\x02 {\n    ^bb0(%a: f32, %o: f32):\n      linalg.yield %a : "
          "f32\n    } -> " +
          out.type(),
      shape, {&a});
  return value;
}

Value TensorWriter::transpose(const Value &a) {
  Shape shape = {a.shape[1], a.shape[0]};
  Value out = empty(shape);
  return define("linalg.transpose ins(" + a.name + " : " + a.type() +
                    ") outs(" + out.name + " : " + out.type() +
                    ") permutation = [1, 0]\x01",
                shape, {&a});
}

Value TensorWriter::reshape(const Value &a, const Shape &shape) {
  if (shape.size() == 1)
    return define("tensor.collapse_shape " + a.name + " [[0, 1]]\x01 : " +
                      a.type() + " into " + getTensorType(shape),
                  shape, {&a});
  return define("tensor.expand_shape " + a.name + " [[0, 1]] output_shape [" +
                    Twine(shape[0]) + ", " + Twine(shape[1]) +
                    "]\x01 : " + a.type() + " into " + getTensorType(shape),
                shape, {&a});
}

Value TensorWriter::slice(const Value &a, int64_t first, int64_t count) {
  Shape shape = a.shape;
  shape[0] = count;
  std::string offsets = std::to_string(first), sizes = std::to_string(count),
              strides = "1";
  for (int64_t extent : llvm::drop_begin(a.shape)) {
    offsets += ", 0";
    sizes += ", " + std::to_string(extent);
    strides += ", 1";
  }
  return define("tensor.extract_slice " + a.name + "[" + offsets + "] [" +
                    sizes + "] [" + strides + "]\x01 : " + a.type() + " to " +
                    getTensorType(shape, a.element),
                shape, {&a});
}

Value TensorWriter::place(const Value &a, int64_t first, const Shape &shape) {
  if (random.chance(40)) {
    std::string low = std::to_string(first),
                high = std::to_string(shape[0] - first - a.shape[0]),
                arguments = "%p0: index";
    for (size_t i = 1; i < shape.size(); ++i) {
      low += ", 0";
      high += ", 0";
      arguments += ", %p" + std::to_string(i) + ": index";
    }
    std::string zero = fresh();
    write(zero + " = arith.constant 0.0 : f32");
    return define("tensor.pad " + a.name + " low[" + low + "] high[" + high +
                      "] {\n    ^bb0(" + arguments + "):\n      tensor.yield " +
                      zero + " : f32\n    } : " + a.type() + " to " +
                      getTensorType(shape),
                  shape, {&a});
  }
  Value zeros = constant(0, shape);
  std::string offsets = std::to_string(first),
              sizes = std::to_string(a.shape[0]), strides = "1";
  for (int64_t extent : llvm::drop_begin(a.shape)) {
    offsets += ", 0";
    sizes += ", " + std::to_string(extent);
    strides += ", 1";
  }
  return define("tensor.insert_slice " + a.name + " into " + zeros.name + "[" +
                    offsets + "] [" + sizes + "] [" + strides +
                    "]\x01 : " + a.type() + " into " + getTensorType(shape),
                shape, {&a});
}

Value TensorWriter::selectPositive(const Value &test, const Value &yes,
                                   const Value &no) {
  if (random.chance(50)) {
    Value zero = constant(0, test.shape);
    std::string mask = fresh(), type = getTensorType(test.shape, "i1");
    write(mask + " = arith.cmpf ogt, " + test.name + ", " + zero.name + " : " +
          test.type());
    return define("arith.select " + mask + ", " + yes.name + ", " + no.name +
                      "\x01 : " + type + ", " + yes.type(),
                  yes.shape, {&test, &yes, &no});
  }
  size_t rank = yes.shape.size();
  std::string map = identityMap(rank);
  return generic({&test, &yes, &no}, {map, map, map, map},
                 getIterators(rank, {}), empty(yes.shape),
                 "      %z = arith.constant 0.0 : f32\n"
                 "      %q = arith.cmpf ogt, %a, %z : f32\n"
                 "      %r = arith.select %q, %b, %c : f32\n");
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

Value TensorWriter::scaleInLoop(const Value &a, double factor, int64_t rounds) {
  Value k = constant(factor, a.shape);
  std::string c0 = fresh(), c1 = fresh(), cn = fresh();
  write(c0 + " = arith.constant 0 : index");
  write(c1 + " = arith.constant 1 : index");
  write(cn + " = arith.constant " + Twine(rounds) + " : index");
  std::string type = a.type();
  return define("scf.for %i = " + c0 + " to " + cn + " step " + c1 +
                    " iter_args(%s = " + a.name + ") -> (" + type +
                    ") {\n      %n = arith.mulf %s, " + k.name + " : " + type +
                    "\n      scf.yield %n : " + type + "\n    }",
                a.shape, {&a});
}

Value TensorWriter::multiplyInLoop(const Value &a, const Value &w,
                                   int64_t rounds, bool transposed) {
  Value factor = transposed ? transpose(w) : w;
  Value zero = constant(0, a.shape);
  std::string c0 = fresh(), c1 = fresh(), cn = fresh();
  write(c0 + " = arith.constant 0 : index");
  write(c1 + " = arith.constant 1 : index");
  write(cn + " = arith.constant " + Twine(rounds) + " : index");
  std::string type = a.type();
  return define("scf.for %i = " + c0 + " to " + cn + " step " + c1 +
                    " iter_args(%s = " + a.name + ") -> (" + type +
                    ") {\n      %n = linalg.matmul ins(%s, " + factor.name +
                    " : " + type + ", " + factor.type() + ") outs(" +
                    zero.name + " : " + type + ") -> " + type +
                    "\n      scf.yield %n : " + type + "\n    }",
                a.shape, {&a, &w});
}

Value TensorWriter::scaleInBranch(const Value &flag, const Value &a, double yes,
                                  double no) {
  std::string test = fresh(), type = a.type();
  Value k = constant(yes, a.shape), l = constant(no, a.shape);
  write(test + " = tensor.extract " + flag.name + "[] : tensor<i1>");
  return define("scf.if " + test + " -> (" + type +
                    ") {\n      %y = arith.mulf " + a.name + ", " + k.name +
                    " : " + type + "\n      scf.yield %y : " + type +
                    "\n    } else {\n      %y = arith.mulf " + a.name + ", " +
                    l.name + " : " + type + "\n      scf.yield %y : " + type +
                    "\n    }",
                a.shape, {&flag, &a});
}

std::pair<Value, Value> TensorWriter::recur(const Value &a, const Value &w,
                                            int64_t rounds) {
  const int64_t rows = a.shape[0], width = a.shape[1];
  Shape all = {rows * rounds, width};
  Value states = empty(all), zero = constant(0, a.shape);
  std::string c0 = fresh(), c1 = fresh(), cn = fresh(), cr = fresh();
  write(c0 + " = arith.constant 0 : index");
  write(c1 + " = arith.constant 1 : index");
  write(cn + " = arith.constant " + Twine(rounds) + " : index");
  write(cr + " = arith.constant " + Twine(rows) + " : index");
  std::string type = a.type(), wide = getTensorType(all);
  Value pair = define(
      "scf.for %i = " + c0 + " to " + cn + " step " + c1 + " iter_args(%s = " +
          a.name + ", %t = " + states.name + ") -> (" + type + ", " + wide +
          ") {\n      %p = linalg.matmul ins(%s, " + w.name + " : " + type +
          ", " + w.type() + ") outs(" + zero.name + " : " + type + ") -> " +
          type + "\n      %n = math.tanh %p : " + type +
          "\n      %f = arith.muli %i, " + cr +
          " : index\n      %u = tensor.insert_slice %n into %t[%f, 0] [" +
          Twine(rows) + ", " + Twine(width) + "] [1, 1] : " + type + " into " +
          wide + "\n      scf.yield %n, %u : " + type + ", " + wide + "\n    }",
      a.shape, {&a, &w}, 2);
  Value kept = pair;
  kept.name = pair.name + "#1";
  kept.shape = all;
  pair.name += "#0";
  return {pair, kept};
}

std::pair<Value, Value>
TensorWriter::recurGradient(const Value &a, const Value &w, const Value &states,
                            const Value &g, int64_t rounds) {
  const int64_t rows = a.shape[0], width = a.shape[1];
  Value transposed = transpose(w), zero = constant(0, a.shape),
        zeroW = constant(0, w.shape), one = constant(1, a.shape);
  Value turned = empty({width, rows});
  std::string c0 = fresh(), c1 = fresh(), cn = fresh(), cr = fresh(),
              last = fresh();
  write(c0 + " = arith.constant 0 : index");
  write(c1 + " = arith.constant 1 : index");
  write(cn + " = arith.constant " + Twine(rounds) + " : index");
  write(last + " = arith.constant " + Twine(rounds - 1) + " : index");
  write(cr + " = arith.constant " + Twine(rows) + " : index");
  std::string type = a.type(), typeW = w.type(),
              at = "[" + std::to_string(rows) + ", " + std::to_string(width) +
                   "] [1, 1] : " + states.type() + " to " + type;
  Value pair = define(
      "scf.for %i = " + c0 + " to " + cn + " step " + c1 +
          " iter_args(%s = " + g.name + ", %t = " + zeroW.name + ") -> (" +
          type + ", " + typeW + ") {\n      %j = arith.subi " + last +
          ", %i : index\n      %f = arith.muli %j, " + cr +
          " : index\n      %y = tensor.extract_slice " + states.name +
          "[%f, 0] " + at + "\n      %first = arith.cmpi eq, %j, " + c0 +
          " : index\n      %x = scf.if %first -> (" + type +
          ") {\n        scf.yield " + a.name + " : " + type +
          "\n      } else {\n        %h = arith.subi %f, " + cr +
          " : index\n        %z = tensor.extract_slice " + states.name +
          "[%h, 0] " + at + "\n        scf.yield %z : " + type +
          "\n      }\n      %q = arith.mulf %y, %y : " + type +
          "\n      %d = arith.subf " + one.name + ", %q : " + type +
          "\n      %e = arith.mulf %s, %d : " + type +
          "\n      %xt = linalg.transpose ins(%x : " + type + ") outs(" +
          turned.name + " : " + turned.type() +
          ") permutation = [1, 0]\n      %k = linalg.matmul ins(%xt, %e : " +
          turned.type() + ", " + type + ") outs(%t : " + typeW + ") -> " +
          typeW + "\n      %n = linalg.matmul ins(%e, " + transposed.name +
          " : " + type + ", " + typeW + ") outs(" + zero.name + " : " + type +
          ") -> " + type + "\n      scf.yield %n, %k : " + type + ", " + typeW +
          "\n    }",
      a.shape, {&a, &w, &states, &g}, 2);
  Value second = pair;
  second.name = pair.name + "#1";
  second.shape = w.shape;
  pair.name += "#0";
  return {pair, second};
}

Value TensorWriter::tanhLayer(const Value &a, const Value &w, bool isOpen) {
  Shape shape = {a.shape[0], w.shape[1]};
  std::string type = getTensorType(shape),
              name = (isOpen ? "layer" : "layer_blocks");
  for (int64_t extent : {a.shape[0], a.shape[1], w.shape[1]})
    name += "_" + std::to_string(extent);
  helpers.try_emplace(name,
                      "  func.func private @" + name + "(%x: " + a.type() +
                          ", %w: " + w.type() + ") -> " + type +
                          " {\n    %z = arith.constant dense<0.0> : " + type +
                          "\n    %p = linalg.matmul ins(%x, %w : " + a.type() +
                          ", " + w.type() + ") outs(%z : " + type + ") -> " +
                          type + "\n    %y = math.tanh %p : " + type +
                          (isOpen ? "" : "\n    cf.br ^end\n  ^end:") +
                          "\n    return %y : " + type + "\n  }\n");
  return define("func.call @" + name + "(" + a.name + ", " + w.name +
                    ")\x01 : (" + a.type() + ", " + w.type() + ") -> " + type,
                shape, {&a, &w});
}

std::pair<Value, Value>
TensorWriter::tanhLayerGradient(const Value &a, const Value &w, const Value &y,
                                const Value &g, bool isOpen) {
  std::string name = (isOpen ? "layer_gradient" : "layer_gradient_blocks");
  for (int64_t extent : {a.shape[0], a.shape[1], w.shape[1]})
    name += "_" + std::to_string(extent);
  std::string types = a.type() + ", " + w.type();
  std::string at = getTensorType({a.shape[1], a.shape[0]}),
              wt = getTensorType({w.shape[1], w.shape[0]});
  helpers.try_emplace(
      name,
      "  func.func private @" + name + "(%x: " + a.type() + ", %w: " +
          w.type() + ", %y: " + y.type() + ", %g: " + y.type() + ") -> (" +
          types + ") {\n    %one = arith.constant dense<1.0> : " + y.type() +
          "\n    %q = arith.mulf %y, %y : " + y.type() +
          "\n    %d = arith.subf %one, %q : " + y.type() +
          "\n    %e = arith.mulf %g, %d : " + y.type() +
          "\n    %ea = tensor.empty() : " + at +
          "\n    %ew = tensor.empty() : " + wt +
          "\n    %xt = linalg.transpose ins(%x : " + a.type() +
          ") outs(%ea : " + at +
          ") permutation = [1, 0]\n    %wt = linalg.transpose ins(%w : " +
          w.type() + ") outs(%ew : " + wt +
          ") permutation = [1, 0]\n    %za = arith.constant dense<0.0> : " +
          a.type() + "\n    %zw = arith.constant dense<0.0> : " + w.type() +
          "\n    %gx = linalg.matmul ins(%e, %wt : " + y.type() + ", " + wt +
          ") outs(%za : " + a.type() + ") -> " + a.type() +
          "\n    %gw = linalg.matmul ins(%xt, %e : " + at + ", " + y.type() +
          ") outs(%zw : " + w.type() + ") -> " + w.type() +
          (isOpen ? "" : "\n    cf.br ^end\n  ^end:") +
          "\n    return %gx, %gw : " + types + "\n  }\n");
  Value pair =
      define("func.call @" + name + "(" + a.name + ", " + w.name + ", " +
                 y.name + ", " + g.name + ")\x01 : (" + types + ", " +
                 y.type() + ", " + y.type() + ") -> (" + types + ")",
             a.shape, {&a, &w, &y, &g}, 2);
  Value second = pair;
  second.name = pair.name + "#1";
  second.shape = w.shape;
  pair.name += "#0";
  return {pair, second};
}

Value TensorWriter::oneHot(const Value &labels, int64_t count) {
  Shape shape = {labels.shape[0], count};
  Value out = empty(shape);
  return generic({&labels}, {"affine_map<(d0, d1) -> (d0)>", identityMap(2)},
                 getIterators(2, {}), out,
                 "      %j = linalg.index 1 : index\n"
                 "      %k = arith.index_cast %j : index to " +
                     labels.element +
                     "\n      %q = arith.cmpi eq, %a, %k : " + labels.element +
                     "\n      %r = arith.uitofp %q : i1 to f32\n");
}

Value TensorWriter::toFloat(const Value &integer) {
  return define("arith.sitofp " + integer.name + "\x01 : " + integer.type() +
                    " to " + getTensorType(integer.shape),
                integer.shape, {&integer});
}
