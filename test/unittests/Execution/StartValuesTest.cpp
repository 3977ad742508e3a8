//===- StartValuesTest.cpp - Given, declared and default values -----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/StartValues.h"
#include "TestFiles.h"

#include <cmath>
#include <limits>

using namespace amp_test;
using namespace mlir::amp;

static constexpr ElementKind F32 = AMP_RT_ELEMENT_F32;

/// The start value of a single argument.
static HostArray makeOne(const ValueSpec &spec, uint64_t seed = 0) {
  TrainingState state = take(makeStartValues(spec, nullptr, seed));
  return std::move(state.at({spec.role, spec.name}));
}

static std::string getOneError(const ValueSpec &spec) {
  return getText(makeStartValues(spec, nullptr, 0));
}

//===----------------------------------------------------------------------===//
// Defaults
//===----------------------------------------------------------------------===//

// torch.nn.Linear(100, 50).reset_parameters draws from +-1/sqrt(100).
TEST(StartValues, WeightsAreKaimingUniform) {
  HostArray weight = makeOne(makeSpec("param", "fc.weight", F32, {50, 100}));
  double largest = 0, squares = 0;
  for (double value : getValues(weight)) {
    largest = std::max(largest, std::fabs(value));
    squares += value * value;
  }
  EXPECT_LE(largest, 0.1);
  EXPECT_GT(largest, 0.0995);
  // Variance b^2 / 3; five standard errors of 5000 squares.
  EXPECT_NEAR(squares / 5000, 0.01 / 3, 5 * 0.01 * std::sqrt(4.0 / 45 / 5000));
}

// A convolution's fan-in counts its window: 4 * 3 * 3 = 36.
TEST(StartValues, ConvolutionsCountTheirWindow) {
  double largest = 0;
  for (double value :
       getValues(makeOne(makeSpec("param", "conv.weight", F32, {64, 4, 3, 3}))))
    largest = std::max(largest, std::fabs(value));
  EXPECT_LE(largest, 1.0 / 6);
  EXPECT_GT(largest, 0.99 / 6);
}

TEST(StartValues, NormWeightsAndVariancesAreOne) {
  for (const char *name : {"bn1.weight", "blocks.0.ln1.weight", "['g1']",
                           "['h0']['ln1']['g']", "norm.scale", "ln.gamma"})
    EXPECT_EQ(getValues(makeOne(makeSpec("param", name, F32, {2}))),
              (std::vector<double>{1, 1}))
        << name;
  for (const char *name : {"bn1.running_var", "layer['var']", "bn.variance"})
    EXPECT_EQ(makeOne(makeSpec("buffer", name, F32, {1})).getAsDouble(0), 1)
        << name;
  EXPECT_EQ(makeOne(makeSpec("buffer", "['v1']", F32, {1}, "", "batch_norm"))
                .getAsDouble(0),
            1);
}

TEST(StartValues, EverythingElseIsZero) {
  for (const ValueSpec &spec :
       {makeSpec("param", "fc.bias", F32, {1}),
        makeSpec("param", "['b1']", F32, {1}), makeSpec("param", "3", F32, {1}),
        makeSpec("buffer", "bn1.running_mean", F32, {1}),
        makeSpec("buffer", "['v1']", F32, {1}),
        makeSpec("opt_state", "fc.weight", F32, {1}),
        makeSpec("opt_state", "fc.weight.exp_avg", F32, {1, 1}),
        makeSpec("opt_state", "step", AMP_RT_ELEMENT_I32, {}),
        makeSpec("accumulator", "fc.weight", F32, {1})})
    EXPECT_EQ(makeOne(spec).getAsDouble(0), 0) << spec.role << spec.name;
}

TEST(StartValues, OtherRolesAreNoState) {
  EXPECT_TRUE(take(makeStartValues({makeSpec("batch", "x0", F32, {1}),
                                    makeSpec("loss_seed", "loss", F32, {})},
                                   nullptr, 0))
                  .empty());
}

TEST(StartValues, SeedsDifferAndRepeat) {
  ValueSpec spec = makeSpec("param", "w", F32, {4, 4});
  EXPECT_EQ(getValues(makeOne(spec, 1)), getValues(makeOne(spec, 1)));
  EXPECT_NE(getValues(makeOne(spec, 1)), getValues(makeOne(spec, 2)));
}

// So that opt levels can be compared by one seed.
TEST(StartValues, AValueDependsOnNothingButSeedAndName) {
  ValueSpec weight = makeSpec("param", "w", F32, {4, 4});
  TrainingState state = take(makeStartValues(
      {makeSpec("param", "v", F32, {3, 3}), weight}, nullptr, 5));
  EXPECT_EQ(getValues(state.at({"param", "w"})), getValues(makeOne(weight, 5)));
}

TEST(StartValues, RandomStateGetsBits) {
  HostArray state = makeOne(makeSpec("rng", "key", AMP_RT_ELEMENT_I64, {2}));
  EXPECT_NE(state.as<int64_t>()[0], 0);
  EXPECT_NE(state.as<int64_t>()[0], state.as<int64_t>()[1]);
}

TEST(StartValues, ParametersAreRoundedCopiesOfMasters) {
  TrainingState state =
      take(makeStartValues({makeSpec("param", "w", AMP_RT_ELEMENT_F16, {8, 8}),
                            makeSpec("master", "w", F32, {8, 8})},
                           nullptr, 3));
  const HostArray &master = state.at({"master", "w"});
  EXPECT_EQ(getValues(master),
            getValues(makeOne(makeSpec("param", "w", F32, {8, 8}), 3)));
  EXPECT_EQ(getValues(state.at({"param", "w"})),
            getValues(master.convertTo(AMP_RT_ELEMENT_F16)));
}

//===----------------------------------------------------------------------===//
// amp.init
//===----------------------------------------------------------------------===//

TEST(StartValues, InitOverridesTheDefault) {
  auto make = [](const char *init) {
    return getValues(makeOne(makeSpec("param", "w", F32, {2, 50}, init)));
  };
  EXPECT_EQ(make("zeros"), std::vector<double>(100, 0));
  EXPECT_EQ(make("ones"), std::vector<double>(100, 1));
  EXPECT_EQ(make(" constant( -2.5 ) "), std::vector<double>(100, -2.5));
  for (double value : make("uniform(2, 3)")) {
    EXPECT_GE(value, 2);
    EXPECT_LE(value, 3);
  }
  double squares = 0;
  for (double value : make("normal(0.02)"))
    squares += value * value;
  // Five standard errors of a mean of 100 squares.
  EXPECT_NEAR(squares / 100, 4e-4, 5 * 4e-4 * std::sqrt(2.0 / 100));
}

TEST(StartValues, InitAlsoCountsForMasters) {
  TrainingState state = take(makeStartValues(
      {makeSpec("param", "w", AMP_RT_ELEMENT_BF16, {1}, "constant(3)"),
       makeSpec("master", "w", F32, {1}, "constant(3)")},
      nullptr, 3));
  EXPECT_EQ(state.at({"param", "w"}).getAsDouble(0), 3);
}

TEST(StartValues, JunkInitIsRefused) {
  for (const char *init :
       {"zero", "ones()", "constant", "constant()", "constant(1,2)",
        "constant(x)", "constant(nan)", "constant(1e999)", "uniform(1)",
        "uniform(2,1)", "normal(-1)", "normal(1", "(1)"})
    EXPECT_EQ(
        getOneError(makeSpec("param", "w", F32, {2}, init)),
        std::string("expected amp.init of param 'w' to be 'zeros', "
                    "'ones', 'constant(x)', 'uniform(low,high)' or "
                    "'normal(deviation)' with finite numbers, but got '") +
            init + "'");
}

TEST(StartValues, InitMustFitItsElements) {
  const ElementKind F16 = AMP_RT_ELEMENT_F16, I32 = AMP_RT_ELEMENT_I32;
  auto getText = [](const char *kind, const char *init) {
    return std::string("expected amp.init of param 'w' to fit its elements, ") +
           kind + ", but got '" + init + "'";
  };
  for (const char *init : {"constant(1e39)", "uniform(0,1e39)", "normal(1e39)"})
    EXPECT_EQ(getOneError(makeSpec("param", "w", F32, {2}, init)),
              getText("f32", init));
  EXPECT_EQ(getOneError(makeSpec("param", "w", F16, {2}, "constant(7e4)")),
            getText("f16", "constant(7e4)"));
  for (const char *init : {"constant(0.5)", "constant(3e9)"})
    EXPECT_EQ(getOneError(makeSpec("param", "w", I32, {2}, init)),
              getText("i32", init));
  EXPECT_EQ(getOneError(makeSpec("param", "w", I32, {2}, "constant(-3)")),
            "(success)");
  // As .half() has it.
  EXPECT_EQ(getOneError(makeSpec("buffer", "w", F16, {2}, "constant(-1e9)")),
            "(success)");
}

TEST(StartValues, LearningRatesHaveNoDefault) {
  EXPECT_EQ(getOneError(makeSpec("hyper", "lr", F32, {})),
            "expected a value for hyper 'lr', which has no default; give it in "
            "the '--init' file or by an attribute such as amp.init = "
            "\"constant(0.1)\"");
  EXPECT_EQ(
      makeOne(makeSpec("hyper", "lr", F32, {}, "constant(0.5)")).getAsDouble(0),
      0.5);
}

TEST(StartValues, DynamicShapesMustBeGiven) {
  EXPECT_EQ(getOneError(makeSpec("buffer", "mask", F32, {-1, 4})),
            "expected a static shape to make a start value for buffer 'mask', "
            "but got ?x4xf32; give the value in the '--init' file");
}

TEST(StartValues, RandomStateIsOfIntegers) {
  EXPECT_EQ(getOneError(makeSpec("rng", "key", F32, {2})),
            "expected rng 'key' to be of integer type, for random bits are no "
            "good numbers, but got f32; set 'amp.init'");
}

//===----------------------------------------------------------------------===//
// Init files
//===----------------------------------------------------------------------===//

namespace {

class InitFileTest : public TemporaryFolderTest {
protected:
  std::unique_ptr<GivenValues> open(const NamedArrays &arrays) {
    EXPECT_EQ(getText(writeArchive(getPath("i.npz"), arrays)), "(success)");
    return take(openInitFile(getPath("i.npz")));
  }
  std::string getFileError(const ValueSpec &spec, const NamedArrays &arrays) {
    return withoutFolder(getText(makeStartValues(spec, open(arrays).get(), 0)));
  }
};

} // namespace

TEST_F(InitFileTest, PlainAndQualifiedNamesAreFound) {
  HostArray two = makeArray(F32, {1}, {2}), three = makeArray(F32, {1}, {3});
  auto given = open({{"w", &two}, {"opt_state/w", &three}, {"v", &three}});
  TrainingState state = take(makeStartValues(
      {makeSpec("param", "w", F32, {1}), makeSpec("opt_state", "w", F32, {1}),
       // not by its plain name, which is a parameter's
       makeSpec("opt_state", "v", F32, {1}), makeSpec("buffer", "v", F32, {1}),
       makeSpec("buffer", "running_var", F32, {1})},
      given.get(), 0));
  EXPECT_EQ(state.at({"param", "w"}).getAsDouble(0), 2);
  EXPECT_EQ(state.at({"opt_state", "w"}).getAsDouble(0), 3);
  EXPECT_EQ(state.at({"opt_state", "v"}).getAsDouble(0), 0);
  EXPECT_EQ(state.at({"buffer", "v"}).getAsDouble(0), 3);
  EXPECT_EQ(state.at({"buffer", "running_var"}).getAsDouble(0), 1);
}

TEST_F(InitFileTest, MastersTakeTheParameterInFull) {
  HostArray value = makeArray(F32, {1}, {0.1});
  auto given = open({{"param/w", &value}});
  TrainingState state =
      take(makeStartValues({makeSpec("param", "w", AMP_RT_ELEMENT_F16, {1}),
                            makeSpec("master", "w", F32, {1})},
                           given.get(), 0));
  EXPECT_EQ(state.at({"master", "w"}).getAsDouble(0), double(0.1f));
  EXPECT_EQ(*state.at({"param", "w"}).as<uint16_t>(), 0x2e66);
}

// A state saved at O2 holds both; the half copy must not become the master.
TEST_F(InitFileTest, AnOwnMasterComesFirst) {
  HostArray master = makeArray(F32, {1}, {0.1});
  HostArray half = makeArray(AMP_RT_ELEMENT_F16, {1}, {0.5});
  auto given = open({{"param/w", &half}, {"master/w", &master}});
  TrainingState state =
      take(makeStartValues({makeSpec("param", "w", AMP_RT_ELEMENT_F16, {1}),
                            makeSpec("master", "w", F32, {1})},
                           given.get(), 0));
  EXPECT_EQ(state.at({"master", "w"}).getAsDouble(0), double(0.1f));
  EXPECT_EQ(*state.at({"param", "w"}).as<uint16_t>(), 0x2e66);
}

// Nor may it become the parameter of a step without masters.
TEST_F(InitFileTest, AMasterComesBeforeItsCopy) {
  HostArray master = makeArray(F32, {1}, {0.1});
  HostArray half = makeArray(AMP_RT_ELEMENT_F16, {1}, {0.5});
  auto both = open({{"param/w", &half}, {"master/w", &master}});
  EXPECT_EQ(
      take(makeStartValues(makeSpec("param", "w", F32, {1}), both.get(), 0))
          .at({"param", "w"})
          .getAsDouble(0),
      double(0.1f));
  // The near miss: there is only the copy.
  auto one = open({{"param/w", &half}});
  EXPECT_EQ(
      take(makeStartValues(makeSpec("param", "w", F32, {1}), one.get(), 0))
          .at({"param", "w"})
          .getAsDouble(0),
      0.5);
}

TEST_F(InitFileTest, OneNameIsOneValue) {
  HostArray value = makeArray(F32, {1}, {1});
  auto open = [&](const char *first, const char *second) {
    EXPECT_EQ(getText(writeArchive(getPath("i.npz"),
                                   {{first, &value}, {second, &value}})),
              "(success)");
    return withoutFolder(getText(openInitFile(getPath("i.npz"))));
  };
  for (const std::string name : {"param/w", "master/w", "buffer/w"})
    EXPECT_EQ(open(name.c_str(), "w"),
              "expected one start value for 'w' in 'FOLDER/i.npz', but it has "
              "the arrays 'w' and '" +
                  name + "'; leave one of them out");
  EXPECT_EQ(open("w", "opt_state/w"), "(success)");
  EXPECT_EQ(open("param/w", "buffer/w"), "(success)");
  EXPECT_EQ(open("w", "param/v"), "(success)");
}

TEST_F(InitFileTest, AWrittenStateComesBack) {
  TrainingState state = take(
      makeStartValues({makeSpec("param", "w", F32, {3, 3}),
                       makeSpec("opt_state", "step", AMP_RT_ELEMENT_I32, {})},
                      nullptr, 9));
  state.at({"opt_state", "step"}).setFromDouble(0, 12);
  ASSERT_EQ(getText(writeState(getPath("s.npz"), state)), "(success)");
  auto given = take(openInitFile(getPath("s.npz")));
  TrainingState back = take(
      makeStartValues({makeSpec("param", "w", F32, {3, 3}),
                       makeSpec("opt_state", "step", AMP_RT_ELEMENT_I32, {})},
                      given.get(), 0));
  EXPECT_EQ(getValues(back.at({"param", "w"})),
            getValues(state.at({"param", "w"})));
  EXPECT_EQ(back.at({"opt_state", "step"}).getAsDouble(0), 12);
}

TEST_F(InitFileTest, MissingParametersAreNamed) {
  EXPECT_EQ(getFileError(makeSpec("param", "w", F32, {1}), {}),
            "expected an array 'w' or 'param/w' for param 'w' in "
            "'FOLDER/i.npz'; leave out '--init' to start from a seed");
}

TEST_F(InitFileTest, WrongArraysAreNamed) {
  HostArray array = makeArray(F32, {2}, {0, 1});
  EXPECT_EQ(getFileError(makeSpec("param", "w", F32, {3}), {{"w", &array}}),
            "expected array 'w' in 'FOLDER/i.npz' to have the shape of param "
            "'w', 3xf32, but got 2xf32");
  EXPECT_EQ(getFileError(makeSpec("buffer", "w", AMP_RT_ELEMENT_I32, {2}),
                         {{"w", &array}}),
            "expected array 'w' in 'FOLDER/i.npz' to hold integers for buffer "
            "'w' (i32), but got f32; scale and convert it before it is saved, "
            "e.g. with .astype('int64')");
  array.setFromDouble(1, std::nan(""));
  EXPECT_EQ(getFileError(makeSpec("param", "w", F32, {2}), {{"w", &array}}),
            "expected finite values in array 'w' in 'FOLDER/i.npz', but got "
            "NaN at [1]");
}

TEST_F(InitFileTest, NumbersThatOverflowAreNamed) {
  HostArray array = makeArray(AMP_RT_ELEMENT_F64, {2}, {0, -1e39});
  EXPECT_EQ(getFileError(makeSpec("param", "w", F32, {2}), {{"w", &array}}),
            "expected array 'w' in 'FOLDER/i.npz' to fit f32 of param 'w', but "
            "got -1e+39 at [1]");
  // A master holds it, its half copy does not.
  HostArray large = makeArray(F32, {1}, {1e5});
  EXPECT_EQ(withoutFolder(getText(makeStartValues(
                {makeSpec("param", "w", AMP_RT_ELEMENT_F16, {1}),
                 makeSpec("master", "w", F32, {1})},
                open({{"master/w", &large}}).get(), 0))),
            "expected array 'master/w' in 'FOLDER/i.npz' to fit f16 of param "
            "'w', but got 100000 at [0]");
}

// The same refusals, before there is a step to run.
TEST_F(InitFileTest, ValuesAreCheckedAhead) {
  HostArray array = makeArray(F32, {2}, {0, 1});
  auto given = open({{"w", &array}});
  auto check = [&](const ValueSpec &spec) {
    return withoutFolder(getText(checkStartValues(spec, given.get())));
  };
  EXPECT_EQ(check(makeSpec("param", "w", F32, {2})), "(success)");
  EXPECT_EQ(check(makeSpec("param", "w", F32, {3})),
            "expected array 'w' in 'FOLDER/i.npz' to have the shape of param "
            "'w', 3xf32, but got 2xf32");
  EXPECT_EQ(check(makeSpec("param", "v", F32, {2})),
            "expected an array 'v' or 'param/v' for param 'v' in "
            "'FOLDER/i.npz'; leave out '--init' to start from a seed");
  EXPECT_EQ(check(makeSpec("hyper", "lr", F32, {})),
            "expected a value for hyper 'lr', which has no default; give it in "
            "the '--init' file or by an attribute such as amp.init = "
            "\"constant(0.1)\"");
  EXPECT_EQ(check(makeSpec("batch", "x0", F32, {2})), "(success)");
}

TEST_F(InitFileTest, MissingFileIsNamed) {
  EXPECT_EQ(withoutFolder(getText(openInitFile(getPath("no.npz")))),
            "cannot open 'FOLDER/no.npz': No such file or directory");
}
