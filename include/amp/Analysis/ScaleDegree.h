//===- ScaleDegree.h - Powers of a loss scale in a value --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The degree of a value says which power of which loss scale it carries: what
// becomes of it when the scale is multiplied by s is a multiplication by s to
// that power. A gradient of a scaled loss has degree 1, its square 2, its norm
// 1, a parameter 0. Inside a function a degree is a linear form in the scales
// and in the degrees of the function's arguments, with rational coefficients,
// so that one look at a function serves all its callers.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_SCALEDEGREE_H
#define AMP_ANALYSIS_SCALEDEGREE_H

#include "amp/Analysis/ConditionSets.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace mlir {
class Operation;
} // namespace mlir

namespace mlir::amp {

/// A rational number in lowest terms, its denominator positive. Arithmetic
/// whose result does not fit into 64 bits has none.
class Rational {
public:
  Rational(int64_t value = 0) : numerator(value) {}
  /// `numerator / denominator`; nothing where the denominator is 0.
  static std::optional<Rational> get(int64_t numerator, int64_t denominator);
  /// The value of `number` exactly, where a denominator up to 2^20 gives it.
  static std::optional<Rational> get(double number);

  bool isZero() const { return numerator == 0; }
  std::optional<Rational> add(Rational other) const;
  std::optional<Rational> multiply(Rational other) const;
  /// One over this, which is not 0.
  std::optional<Rational> invert() const;

  auto getKey() const { return std::pair(numerator, denominator); }
  bool operator==(Rational other) const { return getKey() == other.getKey(); }
  bool operator<(Rational other) const { return getKey() < other.getKey(); }
  void print(raw_ostream &os) const;

private:
  int64_t numerator, denominator = 1;
};

/// A sum of atoms with rational coefficients. What the atoms are, the user of
/// the form says: scales, arguments of a function.
class LinearForm {
public:
  using Term = std::pair<unsigned, Rational>;

  LinearForm() = default;
  static LinearForm getAtom(unsigned atom);

  bool isZero() const { return terms.empty(); }
  /// Terms with coefficients other than 0, in the order of their atoms.
  ArrayRef<Term> getTerms() const { return terms; }
  Rational getCoefficient(unsigned atom) const;
  /// this + factor * other; nothing where a coefficient does not fit.
  std::optional<LinearForm> add(const LinearForm &other,
                                Rational factor = 1) const;
  std::optional<LinearForm> multiply(Rational factor) const;
  /// With `form` in the place of `atom`.
  std::optional<LinearForm> substitute(unsigned atom,
                                       const LinearForm &form) const;
  /// A multiple of this whose first coefficient is 1: the same for all forms
  /// that are 0 for the same values of their atoms, where they differ by a
  /// factor.
  std::optional<LinearForm> normalize() const;

  bool operator==(const LinearForm &other) const {
    return terms == other.terms;
  }
  bool operator<(const LinearForm &other) const {
    return std::lexicographical_compare(terms.begin(), terms.end(),
                                        other.terms.begin(), other.terms.end());
  }

private:
  SmallVector<Term, 1> terms;
};

/// Why a value has no degree.
enum class DegreeFault {
  /// Values of different degrees are added, compared for the larger one, or
  /// written into one tensor: no power of the scale describes the result.
  Mixes,
  /// A function that turns no factor of its operand into a factor of its
  /// result (exp, tanh, floor) of a scaled value.
  Distorts,
  /// A comparison of values of different degrees: its result depends on the
  /// scale.
  Compares,
  /// Ways of the program that meet, or rounds of a loop, bring different
  /// degrees.
  Meets,
  /// An operation that the analysis does not know, of a scaled value.
  Unknown,
  /// What memory holds is of different degrees.
  Memory,
  /// An exponent, or a coefficient, that is no small rational number.
  Exponent,
  /// A value that its role says is never scaled is handed to a function scaled.
  Enters,
  /// A scaled value is tested for infinity or NaN, or an infinity made a finite
  /// number: that hides an overflow that the scale makes.
  Hides,
  /// What a comparison of scaled values says, chooses, and a NaN that the scale
  /// makes chooses as well: its overflow may not be in what is chosen.
  Chooses,
  /// Comparisons of scaled values alone end a loop: with an infinity that the
  /// scale makes it may go round for ever.
  Endless,
  /// What was computed from scaled values and no longer carries a scale is
  /// handed over for a value that never was scaled: nothing looks for the
  /// overflow in it.
  Escapes,
  /// A gradient is unscaled by a scaler whose scale it does not carry once.
  Unscales,
};

/// True where the fault leaves open whether the value has a degree.
bool leavesUndecided(DegreeFault fault);

/// Where a value lost its degree.
struct DegreeCause {
  /// The operation at fault.
  Operation *op;
  DegreeFault fault;
  /// The degrees that it was given and that do not go together.
  LinearForm first, second;
  /// Calls that lead from the function where the value is seen to that of
  /// `op`, the outermost last.
  SmallVector<Operation *, 1> calls;

  auto getKey() const { return std::tie(op, fault, first, second, calls); }
  bool operator<(const DegreeCause &other) const {
    return getKey() < other.getKey();
  }
};

/// An element of the semilattice of degrees: `Any` is below the forms, which
/// are below the two kinds without one.
struct ScaleDegree {
  enum Kind : uint8_t {
    /// 0, infinity, NaN or not initialised: the same whatever the scale.
    Any,
    /// The degree is `form`, if all `conditions` hold.
    Known,
    /// It cannot be decided whether the value has a degree.
    Undecided,
    /// The value has no degree.
    None,
  };
  Kind kind = Any;
  LinearForm form;
  /// On the degrees of the function's arguments; of Any and Known.
  ConditionSetId conditions = ConditionSets::kEmpty;
  /// Scales and arguments that it is computed from: what overflows with them
  /// may have come into it, though it carries none of them; of Any and Known.
  ConditionSetId overflows = ConditionSets::kEmpty;
  /// That none of those overflows, by which it was chosen: what an unscaling
  /// asks for.
  ConditionSetId hidden = ConditionSets::kEmpty;
  /// Number of the cause; of Undecided and None.
  unsigned cause = 0;

  bool isFault() const { return kind == Undecided || kind == None; }
  /// True if it is one scale once, under no conditions.
  bool isOnce() const {
    return kind == Known && conditions == ConditionSets::kEmpty &&
           form.getTerms().size() == 1 &&
           form.getTerms().front().second == Rational(1);
  }
  auto getKey() const {
    return std::tie(kind, form, conditions, overflows, hidden, cause);
  }
  bool operator<(const ScaleDegree &other) const {
    return getKey() < other.getKey();
  }
};

/// A degree by its number in a `DegreeTable`.
using DegreeId = unsigned;

/// All degrees that an analysis met, each once, with the rules of calculating
/// with them. Arguments of functions are the atoms from `numScales` on.
class DegreeTable {
public:
  explicit DegreeTable(unsigned numScales);

  static constexpr DegreeId kAny = 0;
  /// Degree 0, without conditions.
  static constexpr DegreeId kZero = 1;

  const ScaleDegree &operator[](DegreeId id) const { return *degrees[id]; }
  const DegreeCause &getCause(unsigned cause) const { return causes[cause]; }

  DegreeId getAtom(unsigned atom);
  DegreeId getArgument(unsigned index) { return getAtom(numScales + index); }
  /// The degree of what `op` makes of values that do not go together.
  DegreeId getFault(DegreeCause cause);

  /// Degrees that have to be the same: of a sum, of a choice.
  DegreeId join(DegreeId a, DegreeId b, Operation *at, DegreeFault fault);
  /// a + factor * b, of products, quotients and powers.
  DegreeId combine(DegreeId a, DegreeId b, Rational factor, Operation *at);
  DegreeId multiply(DegreeId a, Rational factor, Operation *at);
  /// Any, of what is 0 or, where `a` overflows, NaN.
  DegreeId multiplyByZero(DegreeId a);
  /// Degree 0, if `a` is 0 or Any.
  DegreeId requireZero(DegreeId a, Operation *at, DegreeFault fault);
  /// True if an overflow may have come into `a`.
  bool mayOverflow(DegreeId a) const {
    return degrees[a]->overflows != ConditionSets::kEmpty;
  }
  /// The scales whose overflow may have come into `a`, in their order.
  SmallVector<unsigned> getOverflows(DegreeId a) const;
  /// The arguments of the function, by number, with which one comes into `a`.
  SmallVector<unsigned> getOverflowingArguments(DegreeId a) const;
  /// `a`, if no overflow comes into it.
  DegreeId requireNoOverflow(DegreeId a, Operation *at, DegreeFault fault);
  /// `a`, as it chooses other values at `at`, in which its overflow is hidden.
  DegreeId hideOverflow(DegreeId a, Operation *at, DegreeFault fault);
  /// `a`, if no overflow is hidden in it.
  DegreeId requireShown(DegreeId a);
  /// `a`, when its overflow was looked for.
  DegreeId clearOverflow(DegreeId a);
  /// What a size of a value of degree `a` chooses by: a scale comes into it
  /// only where an overflow that is hidden in the value chose it.
  DegreeId getOfSize(DegreeId a);
  /// `value`, chosen by what has degree `control`: 0, or a fault.
  DegreeId control(DegreeId value, DegreeId control);

  /// "1", "2 of @s", "1/2 of @s and -1 of @t".
  void print(const LinearForm &form, ArrayRef<StringRef> scales,
             raw_ostream &os) const;

private:
  friend class CallDegrees;

  /// Form number `form` has to be 0; else the fault of `cause` takes place.
  struct Condition {
    unsigned form, cause;
  };

  DegreeId intern(ScaleDegree degree);
  unsigned addCause(DegreeCause cause);
  /// The condition that `normalized` is 0, alone.
  ConditionSetId addCondition(const LinearForm &normalized, unsigned cause);
  /// `degree`, if `difference` is 0: adds a condition where that depends on
  /// arguments.
  DegreeId require(ScaleDegree degree, const LinearForm &difference,
                   DegreeCause cause);
  bool hasArguments(const LinearForm &form) const;
  /// The leaves of `set`, in order.
  SmallVector<const ConditionSets::Node *> getLeaves(ConditionSetId set) const;
  /// The conditions that none of `overflows` is one, for the sake of `cause`.
  /// Of many, the first operation of a function that asked for the same has to
  /// do.
  ConditionSetId excludeOverflows(ConditionSetId overflows,
                                  const DegreeCause &cause);
  /// `a` under `conditions` more, or the fault of one that does not hold.
  DegreeId requireAll(DegreeId a, ConditionSetId conditions);

  unsigned numScales;
  std::map<ScaleDegree, DegreeId> numbers;
  std::vector<const ScaleDegree *> degrees;
  std::vector<DegreeCause> causes;
  std::map<DegreeCause, unsigned> causeNumbers;
  std::vector<LinearForm> forms;
  std::map<LinearForm, unsigned> formNumbers;
  std::vector<Condition> conditions;
  std::map<std::pair<unsigned, unsigned>, unsigned> conditionNumbers;
  ConditionSets sets;
  /// Results of `join` and `combine` that are no faults and need no new
  /// condition.
  std::map<std::tuple<DegreeId, DegreeId, Rational>, DegreeId> combined;
  std::map<std::pair<DegreeId, DegreeId>, DegreeId> joined;
  /// Results of `excludeOverflows` for many, by function and fault.
  std::map<std::tuple<ConditionSetId, Operation *, DegreeFault>, ConditionSetId>
      excluded;
};

} // namespace mlir::amp

#endif // AMP_ANALYSIS_SCALEDEGREE_H
