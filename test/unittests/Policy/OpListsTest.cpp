//===- OpListsTest.cpp - Tests of the op lists against Apex ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every row of o1_ops.csv: the list that the row names, against the entry that
// we have. What the passes make of it, against what Apex's O1 gave, is compared
// in Transforms/ListedFunctionsTest.cpp. Then the bfloat16 lists of ROCm, JAX,
// ATen, losses and refusals.
//
//===----------------------------------------------------------------------===//

#include "amp/Policy/OpLists.h"
#include "OracleFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include "gtest/gtest.h"

#include <set>

using namespace mlir::amp;
using namespace amp_test;
using llvm::StringRef;

/// "half", "float32 refuse-half"...: an entry as text, "none" where unlisted.
static std::string spell(std::optional<ListEntry> entry) {
  if (!entry)
    return "none";
  std::string text = stringifyListClass(entry->listClass).str();
  switch (entry->inPlace) {
  case InPlaceRule::NotInPlace:
    return text;
  case InPlaceRule::RefuseHalf:
    return text + " refuse-half";
  case InPlaceRule::RefuseHalfSelf:
    return text + " refuse-half-self";
  case InPlaceRule::MatchSelf:
    return text + " match-self";
  }
  return text;
}

static std::string spellFunction(StringRef function,
                                 FloatKind half = FloatKind::Float16) {
  return spell(lookupFunction(function, half));
}

static std::string spellScope(StringRef scope,
                              FloatKind half = FloatKind::Float16) {
  return spell(lookupScope(scope, half));
}

//===----------------------------------------------------------------------===//
// o1_ops.csv
//===----------------------------------------------------------------------===//

/// The name that `amp.function` has for a row ("pow@tensor" is pow with a
/// tensor for its exponent).
static std::string getFunction(const Row &row) {
  const std::map<std::string, std::string> nameSpaces = {
      {"functional", "torch.nn.functional."},
      {"torch", "torch."},
      {"tensor", "torch.Tensor."}};
  return nameSpaces.at(row.at("namespace")) +
         StringRef(row.at("function")).split('@').first.str();
}

/// The entry that the row's `apex_list` asks for.
static std::string getListed(const Row &row) {
  bool isMethod = row.at("namespace") == "tensor";
  std::string function = getFunction(row);
  // Listed as CASTS, but computed by reciprocal, which is FP32 (see the table).
  if (function == "torch.Tensor.__rdiv__" ||
      function == "torch.Tensor.__rtruediv__")
    return "float32";
  // On no list, but the name under which `a - b` (__sub__, CASTS) arrives.
  if (function == "torch.Tensor.sub")
    return "promote";
  const std::map<std::string, std::string> entries = {
      {"FP16", "half"},
      {"FP32", "float32"},
      {"CASTS", "promote"},
      {"SEQUENCE_CASTS", "sequence-promote"},
      {"BANNED", "banned"},
      {"none", "none"},
      // torch functions of the FP16 list are not wrapped in place.
      {"FP16 (in place)", isMethod ? "half match-self" : "none"},
      {"FP32 (in place)",
       isMethod ? "float32 refuse-half-self" : "float32 refuse-half"},
      {"CASTS (in place)", "promote match-self"}};
  return entries.at(row.at("apex_list"));
}

TEST(OpLists, EveryRowOfApex) {
  std::vector<Row> rows = readTable("o1_ops.csv");
  ASSERT_EQ(rows.size(), 898u);
  for (const Row &row : rows)
    EXPECT_EQ(spell(lookupFunction(getFunction(row))), getListed(row))
        << describe(row);
}

/// No name of ours that Apex did not run, apart from the RNN functions, which
/// stand in another table (o1_modules.csv).
TEST(OpLists, NothingButApex) {
  std::set<std::string> recorded;
  for (const Row &row : readTable("o1_ops.csv"))
    recorded.insert(getFunction(row));
  std::set<std::string> unrecorded;
  for (const OpList &list : getOpLists())
    if (list.origin == ListOrigin::Apex)
      for (StringRef name : list.names) {
        std::string function = (list.nameSpace + "." + name).str();
        if (!recorded.count(function))
          unrecorded.insert(function);
      }
  EXPECT_EQ(unrecorded,
            (std::set<std::string>{"torch.gru", "torch.gru_cell", "torch.lstm",
                                   "torch.lstm_cell", "torch.rnn_relu",
                                   "torch.rnn_relu_cell", "torch.rnn_tanh",
                                   "torch.rnn_tanh_cell"}));
}

TEST(OpLists, SortedAndEachNameOnce) {
  std::set<std::string> seen;
  for (const OpList &list : getOpLists()) {
    EXPECT_TRUE(llvm::is_sorted(list.names)) << list.nameSpace.str();
    for (StringRef name : list.names)
      EXPECT_TRUE(seen.insert((list.nameSpace + "." + name).str()).second)
          << name.str();
  }
}

/// Apex runs a function on no list in the type of its inputs.
TEST(OpLists, NearMisses) {
  for (StringRef function :
       {"torch.nn.functional.relu", "torch.nn.functional.batch_norm",
        "torch.nn.functional.scaled_dot_product_attention",
        "torch.nn.functional.prelu", "torch.nn.functional.huber_loss",
        "torch.softmax", "torch.mean", "torch.Tensor.mean", "torch.einsum",
        "torch.Tensor.cat", "torch.linear", "torch.Tensor.masked_fill",
        "torch.exp_x", "linear", "torch", "", "aten.mm",
        "torch.nn.functional.linear_", "torch.Tensor.__add___"})
    EXPECT_EQ(spellFunction(function), "none") << function.str();
}

TEST(OpLists, InPlaceForms) {
  EXPECT_EQ(spellFunction("torch.Tensor.add_"), "promote match-self");
  EXPECT_EQ(spellFunction("torch.Tensor.addmm_"), "half match-self");
  EXPECT_EQ(spellFunction("torch.Tensor.exp_"), "float32 refuse-half-self");
  EXPECT_EQ(spellFunction("torch.exp_"), "float32 refuse-half");
  EXPECT_EQ(spellFunction("torch.Tensor.__iadd__"), "promote");
  EXPECT_EQ(spellFunction("torch.Tensor.__ipow__"), "float32");
  for (StringRef function : {"torch.Tensor.sub_", "torch.Tensor.relu_",
                             "torch.addmv_", "torch.nn.functional.softmax_"})
    EXPECT_EQ(spellFunction(function), "none") << function.str();
}

/// What torch 2.13 calls a listed function when it reports it.
TEST(OpLists, SpellingsOfTorch) {
  EXPECT_EQ(spellFunction("torch.functional.norm"), "float32");
  EXPECT_EQ(spellFunction("torch.spmm"), "half");
  EXPECT_EQ(spellFunction("torch.Tensor.sub"), "promote");
  EXPECT_EQ(spellFunction("torch.functional.einsum"), "none");
}

//===----------------------------------------------------------------------===//
// The bfloat16 lists
//===----------------------------------------------------------------------===//

static std::set<std::string> getNames(const llvm::json::Array &array) {
  std::set<std::string> names;
  for (const llvm::json::Value &name : array)
    names.insert(name.getAsString()->str());
  return names;
}

TEST(OpLists, BFloat16ListsOfRocm) {
  llvm::json::Object rocm = readObject("properties_rocm_texts.json");
  const llvm::json::Object &lists = *rocm.getObject("lists");
  for (auto [key, nameSpace] :
       {std::pair<StringRef, StringRef>{"functional", "torch.nn.functional"},
        {"torch", "torch"},
        {"tensor", "torch.Tensor"}}) {
    std::set<std::string> both, float16Only;
    for (const OpList &list : getOpLists())
      if (list.nameSpace == nameSpace && list.listClass == ListClass::Half)
        for (StringRef name : list.names) {
          std::string function = (nameSpace + "." + name).str();
          ASSERT_EQ(spellFunction(function), "half");
          bool listed =
              lookupFunction(function, FloatKind::BFloat16).has_value();
          if (!name.contains("gru") && !name.contains("lstm") &&
              !name.contains("rnn"))
            (listed ? both : float16Only).insert(name.str());
        }
    const llvm::json::Object &known = *lists.getObject(key);
    EXPECT_EQ(both, getNames(*known.getArray("bfloat16"))) << key.str();
    EXPECT_EQ(float16Only, getNames(*known.getArray("in_float16_list_only")))
        << key.str();
  }
}

/// ROCm's single cases: the type of the result under O1 and O4.
TEST(OpLists, SingleCasesOfRocm) {
  struct Case {
    StringRef recorded;
    StringRef function;
    StringRef input;
  };
  const Case cases[] = {
      {"mm-float32", "torch.mm", "float32"},
      {"mm-float16", "torch.mm", "float16"},
      {"bmm-float32", "torch.bmm", "float32"},
      {"bmm-bfloat16", "torch.bmm", "bfloat16"},
      {"prelu-float32", "torch.prelu", "float32"},
      {"baddbmm-float32", "torch.baddbmm", "float32"},
      {"softmax-bfloat16", "torch.nn.functional.softmax", "bfloat16"},
      {"linear-float32", "torch.nn.functional.linear", "float32"},
      {"linear-float64", "torch.nn.functional.linear", "float64"},
      {"gelu-bfloat16", "torch.nn.functional.gelu", "bfloat16"},
      {"layer_norm-bfloat16", "torch.nn.functional.layer_norm", "bfloat16"},
      {"relu-bfloat16", "torch.nn.functional.relu", "bfloat16"},
      {"matmul-operator-float32", "torch.Tensor.__matmul__", "float32"},
      {"GRU", "torch.gru", "float32"},
      {"LSTMCell", "torch.lstm_cell", "float32"},
  };
  llvm::json::Object rocm = readObject("properties_rocm_texts.json");
  for (auto [level, half] :
       {std::pair<StringRef, FloatKind>{"O1-", FloatKind::Float16},
        {"O4-", FloatKind::BFloat16}})
    for (const Case &c : cases) {
      std::optional<ListEntry> entry = lookupFunction(c.function, half);
      StringRef result = !entry ? c.input
                         : entry->listClass == ListClass::Half
                             ? stringifyFloatKind(half)
                             : "float32";
      EXPECT_EQ(result,
                findCase(rocm, (level + c.recorded).str()).getString("result"))
          << level.str() << c.recorded.str();
    }
}

//===----------------------------------------------------------------------===//
// JAX
//===----------------------------------------------------------------------===//

TEST(OpLists, Jax) {
  for (StringRef function :
       {"jax.numpy.matmul", "jax.numpy.einsum", "lax.dot_general",
        "jax.lax.dot_general", "lax.conv_general_dilated"})
    EXPECT_EQ(spellFunction(function), "half") << function.str();
  for (StringRef function :
       {"jax.nn.softmax", "jax.nn.log_softmax", "jax.nn.gelu",
        "jax.nn.logsumexp", "jax.numpy.exp", "jax.numpy.sum",
        "jax.numpy.linalg.norm", "jax.scipy.special.erfinv", "lax.rsqrt",
        "lax.integer_pow", "optax.softmax_cross_entropy_with_integer_labels",
        "optax.losses.huber_loss", "optax.cosine_similarity"})
    EXPECT_EQ(spellFunction(function), "float32") << function.str();
  for (StringRef function : {"jax.numpy.add", "lax.mul", "lax.add_any"})
    EXPECT_EQ(spellFunction(function), "promote") << function.str();
  for (StringRef function : {"jax.numpy.concatenate", "lax.concatenate"})
    EXPECT_EQ(spellFunction(function), "sequence-promote") << function.str();
  for (StringRef function :
       {"jax.nn.relu", "jax.nn.dot_product_attention", "jax.numpy.mean",
        "jax.numpy.where", "jax.numpy.exp_", "lax.max", "lax.transpose",
        "optax.smooth_labels", "optax.adamw"})
    EXPECT_EQ(spellFunction(function), "none") << function.str();
}

/// In-place forms of torch, listed or not, and what torch does not promote.
TEST(OpLists, TypeOfSelf) {
  for (StringRef function :
       {"torch.Tensor.add_", "torch.exp_", "torch.Tensor.sub_", "torch.sqrt_",
        "torch.addmv_", "torch.nn.functional.relu_",
        "torch.nn.functional.huber_loss"})
    EXPECT_TRUE(keepsTypeOfSelf(function)) << function.str();
  for (StringRef function :
       {"torch.Tensor.add", "torch.Tensor.__iadd__", "torch.nn.functional.relu",
        "torch.nn.functional.mse_loss", "torch.huber_loss", "jax.numpy.exp_",
        "lax.add", "torch", "_", ""})
    EXPECT_FALSE(keepsTypeOfSelf(function)) << function.str();
}

TEST(OpLists, OriginIsMarked) {
  EXPECT_EQ(lookupFunction("torch.exp")->origin, ListOrigin::Apex);
  EXPECT_EQ(lookupFunction("jax.numpy.exp")->origin, ListOrigin::Ours);
}

//===----------------------------------------------------------------------===//
// ATen
//===----------------------------------------------------------------------===//

TEST(OpLists, FunctionsOfATen) {
  struct Case {
    StringRef scope;
    StringRef function;
  };
  const Case cases[] = {
      {"aten._softmax", "torch.nn.functional.softmax"},
      {"aten._safe_softmax", "torch.nn.functional.softmax"},
      {"aten._log_softmax", "torch.nn.functional.log_softmax"},
      {"aten.convolution", "torch.nn.functional.conv2d"},
      {"aten.addmm", "torch.addmm"},
      {"aten.native_layer_norm", "torch.nn.functional.layer_norm"},
      {"aten.nll_loss_forward", "torch.nn.functional.nll_loss"},
      {"aten.gelu", "torch.nn.functional.gelu"},
      {"aten.exp", "torch.exp"},
      {"aten.pow.Tensor_Scalar", "torch.pow"},
      {"aten.add.Tensor", "torch.add"},
      {"aten.add_", "torch.Tensor.add_"},
      {"aten.exp_", "torch.Tensor.exp_"},
      {"aten.sub", "torch.Tensor.__sub__"},
      {"aten.rsub", "torch.Tensor.__rsub__"},
      {"aten.upsample_trilinear3d", "torch.nn.functional.interpolate"},
  };
  for (const Case &c : cases)
    EXPECT_EQ(getFunctionOfATen(c.scope), c.function.str()) << c.scope.str();
  for (StringRef scope :
       {"aten.relu", "aten.native_batch_norm", "aten.t", "aten.transpose",
        "aten.mean", "aten.embedding", "aten.sqrt", "aten.huber_loss",
        "lax.exp", "aten", "aten.", ""})
    EXPECT_EQ(getFunctionOfATen(scope), std::nullopt) << scope.str();
}

/// Every scope of the PyTorch and JAX samples.
TEST(OpLists, ScopesOfTheSamples) {
  struct Case {
    StringRef entry;
    std::vector<StringRef> scopes;
  };
  const Case cases[] = {
      {"half",
       {"aten.convolution", "aten.addmm", "aten.bmm", "aten.mm",
        "lax.dot_general", "lax.conv_general_dilated"}},
      {"float32",
       {"aten.native_layer_norm", "aten.gelu", "aten.reciprocal",
        "aten.nll_loss_forward", "aten._log_softmax", "aten._softmax",
        "aten._safe_softmax", "aten.pow",
        "optax.softmax_cross_entropy_with_integer_labels", "jax.nn.logsumexp",
        "lax.reduce_sum", "jax.nn.softmax", "jax.nn.gelu", "lax.integer_pow",
        "lax.rsqrt", "lax.pow"}},
      {"promote",
       {"aten.mul", "aten.add", "aten.sub", "aten.div", "aten.rsub", "aten.gt",
        "lax.mul", "lax.add", "lax.div", "lax.sub", "lax.add_any", "lax.lt",
        "lax.gt", "lax.ge"}},
      {"none",
       {"aten.native_batch_norm",
        "aten.relu",
        "aten.sqrt",
        "aten.transpose",
        "aten.t",
        "aten.max_pool2d_with_indices",
        "aten.masked_fill",
        "aten.mean",
        "aten.embedding",
        "aten.tril",
        "aten.arange",
        "aten.where",
        "lax.broadcast_in_dim",
        "lax.sqrt",
        "jax.nn.relu",
        "lax.transpose",
        "lax.reduce_window_max",
        "jax.numpy.where",
        "lax.select_n",
        "lax.square",
        "lax.iota",
        "lax.gather",
        "lax.split",
        "lax.convert_element_type"}},
  };
  for (const Case &c : cases)
    for (StringRef scope : c.scopes)
      EXPECT_EQ(spellScope(scope), c.entry.str()) << scope.str();
}

TEST(OpLists, ScopesWithBFloat16) {
  EXPECT_EQ(spellScope("aten.mm", FloatKind::BFloat16), "half");
  EXPECT_EQ(spellScope("aten.bmm", FloatKind::BFloat16), "none");
  EXPECT_EQ(spellScope("aten._prelu_kernel", FloatKind::BFloat16), "none");
  EXPECT_EQ(spellScope("aten._prelu_kernel"), "half");
}

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

TEST(OpLists, Losses) {
  for (StringRef function :
       {"torch.nn.functional.cross_entropy", "torch.nn.functional.nll_loss",
        "torch.nn.functional.mse_loss", "torch.nn.functional.huber_loss",
        "torch.nn.functional.binary_cross_entropy", "torch.ctc_loss",
        "torch.kl_div", "optax.softmax_cross_entropy_with_integer_labels",
        "optax.losses.l2_loss"})
    EXPECT_TRUE(isLossFunction(function)) << function.str();
  for (StringRef function :
       {"torch.nn.functional.log_softmax", "torch.nn.functional.softmax",
        "torch.nn.functional.cosine_similarity", "torch.cross_entropy",
        "torch.nn.functional.cross_entropy_", "optax.smooth_labels",
        "optax.cosine_similarity", "jax.nn.logsumexp", "loss", ""})
    EXPECT_FALSE(isLossFunction(function)) << function.str();
}

TEST(OpLists, LossScopes) {
  for (StringRef scope :
       {"aten.nll_loss_forward", "aten.mse_loss", "aten.huber_loss",
        "aten.binary_cross_entropy_with_logits", "aten.cross_entropy_loss",
        "optax.softmax_cross_entropy_with_integer_labels"})
    EXPECT_TRUE(isLossScope(scope)) << scope.str();
  for (StringRef scope :
       {"aten._log_softmax", "aten.mm", "jax.nn.logsumexp", "torch.mse_loss"})
    EXPECT_FALSE(isLossScope(scope)) << scope.str();
}

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

TEST(OpLists, BannedText) {
  llvm::json::Object rocm = readObject("properties_rocm_texts.json");
  StringRef banned = "torch.nn.functional.binary_cross_entropy";
  EXPECT_EQ(getRefusalText(banned),
            findCase(rocm, "O1-bce-bfloat16").getString("text")->str());
  EXPECT_EQ(getRefusalText(banned, FloatKind::BFloat16),
            findCase(rocm, "O4-bce-bfloat16").getString("text")->str());
}

TEST(OpLists, InPlaceTexts) {
  EXPECT_EQ(getRefusalText("torch.exp_"),
            "Cannot call in-place function exp_ with fp16 arguments.");
  EXPECT_EQ(getRefusalText("torch.Tensor.exp_"),
            "Cannot call in-place method exp_ on fp16 Tensors.");
  EXPECT_EQ(getRefusalText("torch.exp_", FloatKind::BFloat16),
            "Cannot call in-place function exp_ with bfloat16 arguments.");
  EXPECT_EQ(getRefusalText("torch.Tensor.exp_", FloatKind::BFloat16),
            "Cannot call in-place method exp_ on bfloat16 Tensors.");
  for (StringRef function :
       {"torch.exp", "torch.Tensor.add_", "torch.nn.functional.relu"})
    EXPECT_EQ(getRefusalText(function), std::nullopt) << function.str();
}
