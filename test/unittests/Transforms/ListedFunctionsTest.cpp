//===- ListedFunctionsTest.cpp - What O1 does to each function of Apex ----===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every row of o1_ops.csv through the passes that decide and insert casts: the
// function that the row names is written as IR with arguments of the row's
// types, the passes run at O1, and the type of the result, the casts on the
// arguments, or the refusal, are read from what they left. Nothing here knows a
// list of ours.
//
// An argument of f16 is what a half operation would have handed on: widened by
// amp.cast. A result is f16 if it leaves through such a widening. A function
// is lowered in several ways (in one operation, in two, with a sum, as a
// product), since lists go by its name and not by what it was lowered to; the
// row agrees if all of them do.
//
// Apex casts arguments, and torch may then refuse what it is given. Those
// errors, of mixed types on functions that Apex leaves alone, are no rule of
// Apex: there it has to be left alone as well, with no cast on any argument.
//
//===----------------------------------------------------------------------===//

#include "OracleFiles.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::amp;
using namespace amp_test;

//===----------------------------------------------------------------------===//
// A row as IR
//===----------------------------------------------------------------------===//

namespace {
/// How a function is lowered.
enum class Shape {
  /// One elementwise operation.
  One,
  /// Two, with an inner value between them.
  Two,
  /// The sum over what is computed elementwise.
  Sum,
  /// A matrix product, added to the first argument or followed by a bias.
  Product,
  /// The elements of the first argument, elsewhere.
  Move,
  /// The elements of all arguments.
  Concat,
  /// A boolean for each element; one for all of them; an integer for each.
  Compare,
  CompareAll,
  Index,
  /// An explicit conversion: half, float, double, bfloat16.
  Convert
};

/// The program of one row: its function, called on arguments of its types.
class RowProgram {
public:
  RowProgram(MLIRContext &context, const Row &row);

  /// The ways in which this function is lowered.
  SmallVector<Shape> getShapes() const;
  OwningOpRef<ModuleOp> write(Shape shape);

private:
  Value lower(Shape shape, ArrayRef<BlockArgument> arguments);
  Value addElements(ValueRange values);
  Value addProduct(ValueRange values);
  Value compare(ValueRange values);
  Value convert(Value stored, Value value);
  Value zeros(ArrayRef<int64_t> sizes);
  Value
  reduce(Value value, Value init,
         function_ref<Value(OpBuilder &, Location, Value, Value)> combine);
  /// `op` with the origin that a front end would give it.
  template <typename Op, typename... Args> Op call(Args &&...args) {
    auto op = Op::create(builder, builder.getUnknownLoc(),
                         std::forward<Args>(args)...);
    op->setAttr("amp.function", builder.getStringAttr(name));
    op->setAttr("amp.scope_id", builder.getI64IntegerAttr(0));
    return op;
  }

  OpBuilder builder;
  /// `amp.function`: "torch.Tensor.add_"; without its namespace: "add_".
  std::string name, bare;
  /// The types of the row's tensor arguments.
  SmallVector<StringRef> types;
  bool isListed;
};
} // namespace

RowProgram::RowProgram(MLIRContext &context, const Row &row)
    : builder(&context), isListed(row.at("apex_list") != "none") {
  const std::map<std::string, std::string> nameSpaces = {
      {"functional", "torch.nn.functional."},
      {"torch", "torch."},
      {"tensor", "torch.Tensor."}};
  // "pow@tensor" is pow with a tensor for its exponent.
  bare = StringRef(row.at("function")).split('@').first.str();
  name = nameSpaces.at(row.at("namespace")) + bare;
  StringRef(row.at("input_dtypes")).split(types, ' ');
}

SmallVector<Shape> RowProgram::getShapes() const {
  StringRef plain = bare;
  if (plain.consume_front("__"))
    plain.consume_back("__");
  else
    plain.consume_back("_");
  if (llvm::is_contained({"eq", "ge", "gt", "le", "lt", "ne"}, plain))
    return {Shape::Compare};
  if (plain == "equal")
    return {Shape::CompareAll};
  if (plain == "argmax")
    return {Shape::Index};
  if (llvm::is_contained({"half", "float", "double", "bfloat16"}, plain))
    return {Shape::Convert};
  if (plain == "cat" || plain == "stack")
    return {Shape::Concat};
  if (plain == "view_as") // the second argument is a shape alone
    return {Shape::Move};
  SmallVector<Shape> shapes = {Shape::One, Shape::Two, Shape::Sum};
  if (llvm::is_contained({"cpu", "embedding", "index_select", "interpolate"},
                         plain))
    shapes.push_back(Shape::Move);
  // On no list a product is low, which is a rule of ours and not of Apex
  // (annotate-precision.mlir, @contractions).
  if (isListed &&
      (plain.starts_with("conv") ||
       llvm::is_contained({"addbmm", "addmm", "addmv", "addr", "baddbmm",
                           "bilinear", "bmm", "linear", "matmul", "mm", "mv"},
                          plain)))
    shapes.push_back(Shape::Product);
  return shapes;
}

OwningOpRef<ModuleOp> RowProgram::write(Shape shape) {
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  const std::map<StringRef, Type> elements = {{"f16", builder.getF16Type()},
                                              {"f32", builder.getF32Type()},
                                              {"i1", builder.getI1Type()},
                                              {"i64", builder.getI64Type()}};
  SmallVector<Type> inputs;
  for (StringRef type : types)
    inputs.push_back(RankedTensorType::get({4, 4}, elements.at(type)));

  builder.setInsertionPointToStart(module->getBody());
  auto function = func::FuncOp::create(builder, loc, "row",
                                       builder.getFunctionType(inputs, {}));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  Value result = lower(shape, body->getArguments());
  func::ReturnOp::create(builder, loc, result);
  function.setFunctionType(builder.getFunctionType(inputs, result.getType()));
  // Whose activation a function on no list follows is told by the roles.
  if (bare == "batch_norm")
    for (unsigned index = 1; index < types.size(); ++index) {
      function.setArgAttr(index, "amp.role", builder.getStringAttr("param"));
      function.setArgAttr(index, "amp.name",
                          builder.getStringAttr("w" + Twine(index)));
    }
  return module;
}

Value RowProgram::lower(Shape shape, ArrayRef<BlockArgument> arguments) {
  Location loc = builder.getUnknownLoc();
  SmallVector<Value> values;
  for (Value argument : arguments) {
    auto type = cast<RankedTensorType>(argument.getType());
    if (type.getElementType().isF16())
      values.push_back(CastOp::create(
          builder, loc, type.clone(builder.getF32Type()), argument));
    else if (type.getElementType().isF32())
      values.push_back(argument);
  }
  Value first = values.front();
  switch (shape) {
  case Shape::One:
    return addElements(values);
  case Shape::Two:
    return call<math::AbsFOp>(addElements(values));
  case Shape::Sum:
    return reduce(addElements(values), zeros({4}),
                  [](OpBuilder &b, Location loc, Value x, Value sum) -> Value {
                    return arith::AddFOp::create(b, loc, x, sum);
                  });
  case Shape::Product:
    return addProduct(values);
  case Shape::Move:
    return call<linalg::TransposeOp>(first, zeros({4, 4}),
                                     ArrayRef<int64_t>{1, 0})
        ->getResult(0);
  case Shape::Concat:
    return call<tensor::ConcatOp>(/*dim=*/0, values);
  case Shape::Compare: {
    Value truth = compare(values);
    if (!StringRef(bare).ends_with("_") || StringRef(bare).ends_with("__"))
      return truth;
    return call<arith::UIToFPOp>(first.getType(), truth);
  }
  case Shape::CompareAll: {
    Value truth = compare(values);
    Value yes = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(RankedTensorType::get({4}, builder.getI1Type()),
                               true));
    return reduce(truth, yes,
                  [](OpBuilder &b, Location loc, Value x, Value all) -> Value {
                    return arith::AndIOp::create(b, loc, x, all);
                  });
  }
  case Shape::Index:
    return call<arith::FPToSIOp>(
        cast<RankedTensorType>(first.getType()).clone(builder.getI64Type()),
        first);
  case Shape::Convert:
    return convert(arguments.front(), first);
  }
  llvm_unreachable("every shape is lowered");
}

/// |x| of one argument, the sum of several.
Value RowProgram::addElements(ValueRange values) {
  AffineMap map = builder.getMultiDimIdentityMap(2);
  return call<linalg::GenericOp>(
             values.front().getType(), values, zeros({4, 4}),
             SmallVector<AffineMap>(values.size() + 1, map),
             SmallVector<utils::IteratorType>(2, utils::IteratorType::parallel),
             [&](OpBuilder &b, Location loc, ValueRange elements) {
               Value result = elements.front();
               for (Value element : elements.drop_front().drop_back())
                 result = arith::AddFOp::create(b, loc, result, element);
               if (values.size() == 1)
                 result = math::AbsFOp::create(b, loc, result);
               linalg::YieldOp::create(b, loc, result);
             })
      ->getResult(0);
}

/// self + a . b of the add* functions, else a . b, with the bias of three.
Value RowProgram::addProduct(ValueRange values) {
  auto product = [&](Value a, Value b, Value onto) {
    return call<linalg::MatmulOp>(onto.getType(), ValueRange{a, b}, onto)
        ->getResult(0);
  };
  if (values.size() == 2)
    return product(values[0], values[1], zeros({4, 4}));
  if (StringRef(bare).contains("add"))
    return product(values[1], values[2], values[0]);
  Value result = product(values[0], values[1], zeros({4, 4}));
  for (Value value : values.drop_front(2))
    result = call<arith::AddFOp>(result, value);
  return result;
}

Value RowProgram::compare(ValueRange values) {
  return call<arith::CmpFOp>(arith::CmpFPredicate::OLT, values.front(),
                             values.back());
}

/// `stored` is the argument, `value` its f32.
Value RowProgram::convert(Value stored, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (bare == "half")
    return call<arith::TruncFOp>(type.clone(builder.getF16Type()), value);
  if (bare == "bfloat16")
    return call<arith::TruncFOp>(type.clone(builder.getBF16Type()), value);
  if (bare == "double")
    return call<arith::ExtFOp>(type.clone(builder.getF64Type()), value);
  if (stored == value)
    return lower(Shape::Move, cast<BlockArgument>(stored));
  return call<arith::ExtFOp>(type, stored);
}

Value RowProgram::zeros(ArrayRef<int64_t> sizes) {
  Location loc = builder.getUnknownLoc();
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, builder.getF32Type());
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0));
  return linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
}

Value RowProgram::reduce(
    Value value, Value init,
    function_ref<Value(OpBuilder &, Location, Value, Value)> combine) {
  return call<linalg::ReduceOp>(
             value, init, ArrayRef<int64_t>{1},
             [&](OpBuilder &b, Location loc, ValueRange elements) {
               linalg::YieldOp::create(
                   b, loc, combine(b, loc, elements[0], elements[1]));
             })
      ->getResult(0);
}

//===----------------------------------------------------------------------===//
// What the passes left
//===----------------------------------------------------------------------===//

namespace {
/// What became of a row, in the words of the table.
struct Outcome {
  /// "f16", "f32", "i1", "bool"...; "error" if the program was refused.
  std::string result;
  /// Text of the refusal.
  std::string error;
  /// For each f32 argument, whether it was read in half: "f16", "f32", "both".
  SmallVector<std::string> reads;
};
} // namespace

static std::string spell(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static bool isCastToHalf(Operation *op) {
  return isa<CastOp>(op) &&
         getElementTypeOrSelf(op->getResult(0).getType()).isF16();
}

static Outcome runAtO1(PassManager &pipeline, ModuleOp module) {
  Outcome outcome;
  ScopedDiagnosticHandler handler(
      module.getContext(),
      [&](Diagnostic &diagnostic) { outcome.error += diagnostic.str(); });
  if (failed(pipeline.run(module))) {
    outcome.result = "error";
    return outcome;
  }
  auto function = *module.getOps<func::FuncOp>().begin();
  Value result = function.getBody().front().getTerminator()->getOperand(0);
  auto type = cast<RankedTensorType>(result.getType());
  auto widening = result.getDefiningOp<CastOp>();
  outcome.result =
      type.getRank() == 1 && type.getElementType().isInteger(1) ? "bool"
      : widening ? spell(getElementTypeOrSelf(widening.getInput().getType()))
                 : spell(type.getElementType());
  for (Value argument : function.getArguments()) {
    if (!getElementTypeOrSelf(argument.getType()).isF32() ||
        argument.use_empty())
      continue;
    bool any = llvm::any_of(argument.getUsers(), isCastToHalf);
    bool all = llvm::all_of(argument.getUsers(), isCastToHalf);
    outcome.reads.push_back(all ? "f16" : any ? "both" : "f32");
  }
  return outcome;
}

//===----------------------------------------------------------------------===//
// What Apex did
//===----------------------------------------------------------------------===//

/// The type that Apex's rule gives to f32 arguments; the rule is the README's
/// of the recorded data, by the list in the row.
static std::string getReadType(const Row &row) {
  std::string list = row.at("apex_list");
  bool isHalfSelf = StringRef(row.at("input_dtypes")).starts_with("f16");
  if (list == "FP16")
    return "f16";
  // torch functions of the FP16 list are not wrapped in place.
  if (list == "CASTS (in place)" ||
      (list == "FP16 (in place)" && row.at("namespace") == "tensor"))
    return isHalfSelf ? "f16" : "f32";
  return "f32";
}

/// A text with its line breaks and runs of blanks put as single blanks, which
/// is how the table keeps errors, cut after 160 characters.
static std::string squeeze(StringRef text) {
  SmallVector<StringRef> words;
  llvm::SplitString(text, words);
  return llvm::join(words, " ");
}

/// Empty if the outcome is that of the row, else what is wrong with it.
static std::string compare(const Outcome &outcome, const Row &row) {
  StringRef error = row.at("o1_error");
  bool isRefusal = error.consume_front("NotImplementedError: ");
  if (isRefusal && outcome.result != "error")
    return "was not refused";
  if (isRefusal && !StringRef(squeeze(outcome.error)).contains(error.trim()))
    return "was refused with '" + outcome.error + "'";
  if (!isRefusal && outcome.result == "error")
    return "was refused: " + outcome.error;
  for (StringRef read : outcome.reads)
    if (read != getReadType(row))
      return "read an f32 argument as " + read.str();
  bool isErrorOfTorch = row.at("o1_result") == "error";
  if (!isErrorOfTorch && outcome.result != row.at("o1_result"))
    return "gave " + outcome.result;
  return "";
}

TEST(ListedFunctions, EveryRowOfApex) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<AmpDialect, arith::ArithDialect, func::FuncDialect,
                      linalg::LinalgDialect, math::MathDialect,
                      tensor::TensorDialect>();
  PassManager pipeline(&context);
  // O1 of amp-mixed-precision; the rest of it looks at train steps alone.
  InitializeOptLevelPassOptions level;
  level.optLevel = "O1";
  level.verbosity = "0";
  pipeline.addPass(createInitializeOptLevelPass(level, llvm::errs()));
  pipeline.addPass(createAnnotatePrecisionPass());
  pipeline.addPass(createInsertCastsPass());

  std::vector<Row> rows = readTable("o1_ops.csv");
  ASSERT_EQ(rows.size(), 898u);
  size_t agreeing = 0;
  for (const Row &row : rows) {
    RowProgram program(context, row);
    bool agrees = true;
    for (Shape shape : program.getShapes()) {
      OwningOpRef<ModuleOp> module = program.write(shape);
      ASSERT_TRUE(succeeded(verify(*module))) << describe(row);
      std::string wrong = compare(runAtO1(pipeline, *module), row);
      EXPECT_EQ(wrong, "") << describe(row) << "\nlowered as shape "
                           << static_cast<int>(shape);
      agrees &= wrong.empty();
    }
    agreeing += agrees;
  }
  reportAgreement("o1_ops.csv", agreeing, rows.size());
  EXPECT_EQ(agreeing, rows.size());
}
