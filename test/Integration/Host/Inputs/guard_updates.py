"""Updates of every form, with a finite gradient and with an infinite one.

    guard_updates.py [--all | KIND...]

Each kind is a train step whose update stands elsewhere: in a function, written out,
behind a helper, in another block, in a branch, in a loop. Each is run at O1 and O2
(without arguments, at one of them):

1. on finite batches it ends where O0 ends, within what rounding x and w to half
   can do to these sums (2^-10 of their size);
2. a batch at step 1 whose scaled gradient is inf leaves every parameter, master, half copy and state
   as it was before that step, bit for bit, and the run goes on from there as one
   that never had the batch.

A window of accumulated gradients is dropped as a whole for one bad micro-batch, and
the next window begins with zeros; with keep-finite-sums only the bad one is left out.
"""

import os
import sys
import tempfile

import numpy as np

import amprun
from amprun import role

T, I1 = "tensor<4xf32>", "tensor<i1>"


# loss = w.x, and the gradient of w is x.
FB = f"""
func.func @fb(%w: {T} {role("param", "w")}, %x: {T} {role("batch", "x0")}, %s: tensor<f32> {role("loss_seed", "l")})
    -> ({T} {role("grad", "w")}, tensor<f32> {role("loss", "l")}) {{
  %z = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : {T}
  %l = linalg.dot ins(%w, %x : {T}, {T}) outs(%z : tensor<f32>) -> tensor<f32>
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : {T}) dimensions = [0]
  %g = arith.mulf %b, %x : {T}
  return %g, %l : {T}, tensor<f32>
}}
"""
STEP = f"""
func.func @step(%w: {T} {role("param", "w")}, %g: {T} {role("grad", "w")}) -> ({T} {role("param", "w")}) {{
  %n = arith.subf %w, %g : {T}
  return %n : {T}
}}
"""
# The same with one result more, computed from the seed: no gradient by its role.
def fb_with(name, type, compute):
    return f"""
func.func @{name}(%w: {T} {role("param", "w")}, %x: {T} {role("batch", "x0")}, %s: tensor<f32> {role("loss_seed", "l")})
    -> ({T} {role("grad", "w")}, tensor<f32> {role("loss", "l")}, {type} {role("output", "o")}) {{
  %z = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : {T}
  %l = linalg.dot ins(%w, %x : {T}, {T}) outs(%z : tensor<f32>) -> tensor<f32>
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : {T}) dimensions = [0]
  %g = arith.mulf %b, %x : {T}
  {compute}
  return %g, %l, %o : {T}, tensor<f32>, {type}
}}
"""


SIGN = """%half = arith.constant dense<0.5> : tensor<4xf32>
  %o = math.copysign %half, %g : tensor<4xf32>"""
MASK = """%zeros = arith.constant dense<0.0> : tensor<4xf32>
  %o = arith.cmpf ogt, %g, %zeros : tensor<4xf32>"""
INPUT = "%o = arith.mulf %b, %w : tensor<4xf32>"
HAND = """%t = amp.scale_loss %s using @mine : tensor<f32>
  %gs, %l = call @fb(%w, %x, %t) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
  %g, %f = amp.unscale %gs using @mine : (tensor<4xf32>) -> tensor<4xf32>"""
MINE = "amp.scaler @mine {initial_scale = 1024.0 : f64}\n"

CALL_FB = f"%g, %l = call @fb(%w, %x, %s) : ({T}, {T}, tensor<f32>) -> ({T}, tensor<f32>)"
CALL_STEP = f"%n = call @step(%w, %g) : ({T}, {T}) -> {T}"


def train(body, arguments=(), results=(), returns="%n, %l"):
    """A train step over w, x0 and the seed; `arguments` and `results` as (name, type, role)."""
    more = "".join(f", %{name}: {type} {role(what, name)}" for name, type, what in arguments)
    types = "".join(f", {type} {role(what, name)}" for name, type, what in results)
    plain = "".join(f", {type}" for _, type, _ in results)
    return f"""
func.func @train(%w: {T} {role("param", "w")}, %x: {T} {role("batch", "x0")}, %s: tensor<f32> {role("loss_seed", "l")}{more})
    -> ({T} {role("param", "w")}, tensor<f32> {role("loss", "l")}{types}) {{
{body}
  return {returns} : {T}, tensor<f32>{plain}
}}
"""


S = "tensor<2x2xf32>"
FUSED = f"""%z = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : {T}
  %l = linalg.dot ins(%w, %x : {T}, {T}) outs(%z : tensor<f32>) -> tensor<f32>
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : {T}) dimensions = [0]"""
SHAPED = f"""%bs = tensor.expand_shape %b [[0, 1]] output_shape [2, 2] : {T} into {S}
  %xs = tensor.expand_shape %x [[0, 1]] output_shape [2, 2] : {T} into {S}
  %gs = arith.mulf %bs, %xs : {S}
  %ws = tensor.expand_shape %w [[0, 1]] output_shape [2, 2] : {T} into {S}"""
BACK = f"%n = tensor.collapse_shape %ns [[0, 1]] : {S} into {T}"


COUNTER = [("t", "tensor<f32>", "opt_state")]
STEPS = [("k", "tensor<f32>", "opt_state")]
MOMENTUM = [("m", T, "opt_state")]
HISTORY = [(name, T, "opt_state") for name in ("h1", "h2", "h3")]
ANY = "tensor<?xf32>"
SUBTRACT_ANY = f"""%c0 = arith.constant 0 : index
  %sum = arith.addf %gd, %gd : {ANY}
  %count = tensor.dim %sum, %c0 : {ANY}
  %places = tensor.empty(%count) : {ANY}
  %nd = linalg.map {{ arith.subf }} ins(%wd, %gd : {ANY}, {ANY}) outs(%places : {ANY})"""
RATE = [("r", "tensor<f32>", "hyper")]
# The squares of the gradient are added to %r, and %by is the old %r in each place.
ADAPTED_RATE = f"""%nothing = arith.constant dense<0.0> : tensor<f32>
  %squares = linalg.dot ins(%g, %g : {T}, {T}) outs(%nothing : tensor<f32>) -> tensor<f32>
  %r1 = arith.addf %r, %squares : tensor<f32>
  %places = tensor.empty() : {T}
  %by = linalg.broadcast ins(%r : tensor<f32>) outs(%places : {T}) dimensions = [0]"""
FLAG = [("x1", I1, "batch")]
READ_FLAG = f"%c = tensor.extract %x1[] : {I1}"

# %h is %g, halved until its second element is at most 0.1.
ONE_INDEX = "%c1 = arith.constant 1 : index\n  "
HALVED = f"""{ONE_INDEX}%limit = arith.constant 0.1 : f32
  %half = arith.constant dense<0.5> : {T}
  %h = scf.while (%a = %g) : ({T}) -> {T} {{
    %f = tensor.extract %a[%c1] : {T}
    %more = arith.cmpf ogt, %f, %limit : f32
    scf.condition(%more) %a : {T}
  }} do {{
  ^bb0(%a: {T}):
    %b = arith.mulf %a, %half : {T}
    scf.yield %b : {T}
  }}"""
HALVE_BLOCKS = f"""
func.func private @halve(%g: {T}) -> {T} {{
  {ONE_INDEX}%limit = arith.constant 0.1 : f32
  %half = arith.constant dense<0.5> : {T}
  cf.br ^head(%g : {T})
^head(%a: {T}):
  %f = tensor.extract %a[%c1] : {T}
  %more = arith.cmpf ogt, %f, %limit : f32
  cf.cond_br %more, ^body, ^end
^body:
  %b = arith.mulf %a, %half : {T}
  cf.br ^head(%b : {T})
^end:
  return %a : {T}
}}"""
HALVE_CALLS = f"""
func.func private @halve(%g: {T}) -> {T} {{
  {ONE_INDEX}%limit = arith.constant 0.1 : f32
  %half = arith.constant dense<0.5> : {T}
  %f = tensor.extract %g[%c1] : {T}
  %more = arith.cmpf ogt, %f, %limit : f32
  %h = scf.if %more -> ({T}) {{
    %b = arith.mulf %g, %half : {T}
    %r = func.call @halve(%b) : ({T}) -> {T}
    scf.yield %r : {T}
  }} else {{
    scf.yield %g : {T}
  }}
  return %h : {T}
}}"""
# 16 times the second element and 3; of an infinity, the largest number there is.
COUNT_ROUNDS = f"""%c0 = arith.constant 0 : index
  {ONE_INDEX}%sixteen = arith.constant -16.0 : f32
  %f = tensor.extract %g[%c1] : {T}
  %scaled = arith.mulf %f, %sixteen : f32
  %four = arith.constant 4.0 : f32
  %shifted = arith.subf %scaled, %four : f32
  %minus = arith.fptosi %shifted : f32 to i64
  %ones = arith.constant -1 : i64
  %not = arith.xori %minus, %ones : i64
  %count = arith.index_cast %not : i64 to index"""

# 100 divided by twice what 16 times an element and 4 is, both cut off; of an infinity, by
# zero: the smallest number there is, doubled.
ROUNDED_ABS = """%sixteen = arith.constant 16.0 : f32
  %size = math.absf %f : f32
  %scaled = arith.mulf %size, %sixteen : f32
  %four = arith.constant 4.0 : f32
  %shifted = arith.addf %scaled, %four : f32
  %whole = arith.fptosi %shifted : f32 to i64
  %one = arith.constant 1 : i64
  %by = arith.shli %whole, %one : i64"""
DIVIDE_ABS = f"""{ROUNDED_ABS}
  %hundred = arith.constant 100 : i64
  %parts = arith.divsi %hundred, %by : i64
  %share = arith.sitofp %parts : i64 to f32"""
DIVIDE = f"""{ONE_INDEX}%f = tensor.extract %g[%c1] : {T}
  {DIVIDE_ABS}"""

# Eight times the size of the second element, cut off, and -1: the least integer and -1 of an
# infinity.
LEAST = f"""%c0 = arith.constant 0 : index
  {ONE_INDEX}%eight = arith.constant 8.0 : f32
  %f = tensor.extract %g[%c1] : {T}
  %size = math.absf %f : f32
  %scaled = arith.mulf %size, %eight : f32
  %whole = arith.fptosi %scaled : f32 to i64
  %zero = arith.constant 0.0 : f32
  %minus = arith.constant -1.0 : f32
  %data = tensor.extract %x[%c0] : {T}
  %nought = arith.mulf %data, %zero : f32
  %negative = arith.addf %nought, %minus : f32
  %by = arith.fptosi %negative : f32 to i64"""
BOUNDS = f"""%c0 = arith.constant 0 : index
  {ONE_INDEX}%c2 = arith.constant 2 : index"""
# 1 or 2 by 8 times the size of the second element; of an infinity, 2^43.
STRIDE = f"""{ONE_INDEX}%eight = arith.constant 8.0 : f32
  %f = tensor.extract %g[%c1] : {T}
  %size_of_f = math.absf %f : f32
  %eights = arith.mulf %size_of_f, %eight : f32
  %whole = arith.fptosi %eights : f32 to i64
  %more = arith.index_cast %whole : i64 to index
  %c20 = arith.constant 20 : index
  %far = arith.shrui %more, %c20 : index
  %odd = arith.andi %more, %c1 : index
  %next = arith.addi %odd, %c1 : index
  %stride = arith.addi %far, %next : index"""
CHECK = f"""
func.func private @check(%g: {T}) {{
  {ONE_INDEX}%large = arith.constant 1.0e+03 : f32
  %f = tensor.extract %g[%c1] : {T}
  %a = math.absf %f : f32
  %d = arith.cmpf olt, %a, %large : f32
  cf.br ^next
^next:
  cf.assert %d, "a gradient is large"
  return
}}"""
SUBTRACT = f"""%e = tensor.empty() : {T}
  %b = linalg.fill ins(%share : f32) outs(%e : {T}) -> {T}
  %n = arith.subf %w, %b : {T}"""

KINDS = {
    # The forms that design.md knows.
    "call": FB + STEP + train(f"{CALL_FB}\n{CALL_STEP}"),
    "own-scaler": "amp.scaler @mine {initial_scale = 1024.0 : f64}\n" + FB + STEP + train(f"{CALL_FB}\n{CALL_STEP}"),
    # In one function with the backward pass, without marks, in other shapes and types
    # than the parameter has.
    "fused-view": train(
        f"""{FUSED}
  %g = arith.mulf %b, %x : {T}
  %gs = tensor.expand_shape %g [[0, 1]] output_shape [2, 2] : {T} into {S}
  %ws = tensor.expand_shape %w [[0, 1]] output_shape [2, 2] : {T} into {S}
  %ns = arith.subf %ws, %gs : {S}
  {BACK}"""),
    "fused-wide": train(
        f"""{FUSED}
  %g = arith.mulf %b, %x : {T}
  %gw = arith.extf %g : {T} to tensor<4xf64>
  %ww = arith.extf %w : {T} to tensor<4xf64>
  %nw = arith.subf %ww, %gw : tensor<4xf64>
  %n = arith.truncf %nw : tensor<4xf64> to {T}"""),
    "fused-shaped": train(f"{FUSED}\n  {SHAPED}\n  %ns = arith.subf %ws, %gs : {S}\n  {BACK}"),
    "fused-shaped-wide": train(
        f"""{FUSED}
  {SHAPED}
  %gw = arith.extf %gs : {S} to tensor<2x2xf64>
  %ww = arith.extf %ws : {S} to tensor<2x2xf64>
  %nw = arith.subf %ww, %gw : tensor<2x2xf64>
  %ns = arith.truncf %nw : tensor<2x2xf64> to {S}
  {BACK}"""),
    # Written out in the train step.
    "inline": FB + train(f"{CALL_FB}\n%n = arith.subf %w, %g : {T}"),
    "inline-momentum": FB + train(
        f"""{CALL_FB}
  %half = arith.constant dense<0.5> : {T}
  %d = arith.mulf %m, %half : {T}
  %m1 = arith.addf %d, %g : {T}
  %one = arith.constant dense<1.0> : tensor<f32>
  %t1 = arith.addf %t, %one : tensor<f32>
  %n = arith.subf %w, %m1 : {T}""", MOMENTUM + COUNTER, MOMENTUM + COUNTER, "%n, %l, %m1, %t1"),
    # The count of steps beside a called step, which reads it.
    "state-inline": FB + f"""
func.func @step(%w: {T} {role("param", "w")}, %g: {T} {role("grad", "w")}, %t: tensor<f32> {role("hyper", "t")}) -> ({T} {role("param", "w")}) {{
  %e = tensor.empty() : {T}
  %b = linalg.broadcast ins(%t : tensor<f32>) outs(%e : {T}) dimensions = [0]
  %d = arith.divf %g, %b : {T}
  %n = arith.subf %w, %d : {T}
  return %n : {T}
}}""" + train(
        f"""{CALL_FB}
  %one = arith.constant dense<1.0> : tensor<f32>
  %t1 = arith.addf %t, %one : tensor<f32>
  %n = call @step(%w, %g, %t1) : ({T}, {T}, tensor<f32>) -> {T}""", COUNTER, COUNTER, "%n, %l, %t1"),
    # Behind a function without roles that cannot be inlined.
    "behind-helper": FB + STEP + f"""
func.func private @apply(%w: {T}, %g: {T}) -> {T} {{
  {CALL_STEP}
  cf.br ^end
^end:
  return %n : {T}
}}""" + train(f"{CALL_FB}\n%n = call @apply(%w, %g) : ({T}, {T}) -> {T}"),
    # In other blocks.
    "blocks": FB + STEP + train(
        f"""{CALL_FB}
  {READ_FLAG}
  %half = arith.constant dense<0.5> : {T}
  cf.cond_br %c, ^small, ^end(%g : {T})
^small:
  %h = arith.mulf %g, %half : {T}
  cf.br ^end(%h : {T})
^end(%q: {T}):
  %n = call @step(%w, %q) : ({T}, {T}) -> {T}""", FLAG),
    "blocks-inline": FB + train(
        f"""{READ_FLAG}
  cf.cond_br %c, ^a, ^b
^a:
  %g0, %l0 = call @fb(%w, %x, %s) : ({T}, {T}, tensor<f32>) -> ({T}, tensor<f32>)
  cf.br ^end(%g0, %l0 : {T}, tensor<f32>)
^b:
  %y = arith.addf %x, %x : {T}
  %g1, %l1 = call @fb(%w, %y, %s) : ({T}, {T}, tensor<f32>) -> ({T}, tensor<f32>)
  cf.br ^end(%g1, %l1 : {T}, tensor<f32>)
^end(%q: {T}, %l: tensor<f32>):
  %n = arith.subf %w, %q : {T}""", FLAG),
    # Two steps in a loop of blocks, called and written out; blocks that a switch chooses.
    **{f"blocks-loop{name}": FB + STEP + train(
        f"""%c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant dense<0.0> : tensor<f32>
  cf.br ^head(%c0, %w, %z : index, {T}, tensor<f32>)
^head(%i: index, %n: {T}, %l: tensor<f32>):
  %more = arith.cmpi slt, %i, %c2 : index
  cf.cond_br %more, ^body, ^end
^body:
  %g, %q = call @fb(%n, %x, %s) : ({T}, {T}, tensor<f32>) -> ({T}, tensor<f32>)
  %k = {update} : {type}
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %k, %q : index, {T}, tensor<f32>)
^end:""") for name, update, type in (("-called", "call @step(%n, %g)", f"({T}, {T}) -> {T}"),
                                     ("-inline", "arith.subf %n, %g", T))},
    # A count goes round beside them.
    "blocks-loop-count": FB + train(
        f"""%c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant dense<0.0> : tensor<f32>
  %one = arith.constant dense<1.0> : tensor<f32>
  cf.br ^head(%c0, %w, %t, %z : index, {T}, tensor<f32>, tensor<f32>)
^head(%i: index, %n: {T}, %u: tensor<f32>, %l: tensor<f32>):
  %more = arith.cmpi slt, %i, %c2 : index
  cf.cond_br %more, ^body, ^end
^body:
  %g, %q = call @fb(%n, %x, %s) : ({T}, {T}, tensor<f32>) -> ({T}, tensor<f32>)
  %k = arith.subf %n, %g : {T}
  %v = arith.addf %u, %one : tensor<f32>
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %k, %v, %q : index, {T}, tensor<f32>, tensor<f32>)
^end:""", COUNTER, COUNTER, "%n, %l, %u"),
    "blocks-switch": FB + STEP + train(
        f"""{CALL_FB}
  {READ_FLAG}
  %half = arith.constant dense<0.5> : {T}
  %at = arith.extui %c : i1 to i32
  cf.switch %at : i32, [default: ^end(%g : {T}), 1: ^small]
^small:
  %h = arith.mulf %g, %half : {T}
  cf.br ^end(%h : {T})
^end(%q: {T}):
  %n = call @step(%w, %q) : ({T}, {T}) -> {T}""", FLAG),
    # In a branch that runs, with a count that stands outside of it.
    "branch": FB + STEP + train(
        f"""{CALL_FB}
  {READ_FLAG}
  %one = arith.constant dense<1.0> : tensor<f32>
  %t1 = arith.addf %t, %one : tensor<f32>
  %n = scf.if %c -> ({T}) {{
    %k = func.call @step(%w, %g) : ({T}, {T}) -> {T}
    scf.yield %k : {T}
  }} else {{
    %k = arith.subf %w, %g : {T}
    scf.yield %k : {T}
  }}""", COUNTER + FLAG, COUNTER, "%n, %l, %t1"),
    # Two steps in a loop; all of them have the infinite batch.
    "loop-inline": FB + train(
        f"""%c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n, %l = scf.for %i = %c0 to %c2 step %c1 iter_args(%v = %w, %p = %s) -> ({T}, tensor<f32>) {{
    %g, %q = func.call @fb(%v, %x, %s) : ({T}, {T}, tensor<f32>) -> ({T}, tensor<f32>)
    %k = arith.subf %v, %g : {T}
    scf.yield %k, %q : {T}, tensor<f32>
  }}"""),
    # The gradient of a round is used by the next.
    "loop-pipelined": FB + STEP + train(
        f"""{CALL_FB}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n, %gn = scf.for %i = %c0 to %c2 step %c1 iter_args(%v = %w, %p = %g) -> ({T}, {T}) {{
    %k = func.call @step(%v, %p) : ({T}, {T}) -> {T}
    %h, %q = func.call @fb(%k, %x, %s) : ({T}, {T}, tensor<f32>) -> ({T}, tensor<f32>)
    scf.yield %k, %h : {T}, {T}
  }}"""),
    # Loops that end when the gradient says so: with an infinity, never.
    "while": FB + train(f"{CALL_FB}\n{HALVED}\n%n = arith.subf %w, %h : {T}"),
    "while-in-loop": FB + train(
        f"""{CALL_FB}
  %c0 = arith.constant 0 : index
  {ONE_INDEX}%c2 = arith.constant 2 : index
  %one = arith.constant dense<1.0> : tensor<f32>
  %n, %t1 = scf.for %i = %c0 to %c2 step %c1 iter_args(%v = %w, %u = %t) -> ({T}, tensor<f32>) {{
    {HALVED.removeprefix(ONE_INDEX)}
    %k = arith.subf %v, %h : {T}
    %u1 = arith.addf %u, %one : tensor<f32>
    scf.yield %k, %u1 : {T}, tensor<f32>
  }}""", COUNTER, COUNTER, "%n, %l, %t1"),
    "while-blocks": FB + HALVE_BLOCKS + train(
        f"{CALL_FB}\n%h = call @halve(%g) : ({T}) -> {T}\n%n = arith.subf %w, %h : {T}"),
    "while-calls": FB + HALVE_CALLS + train(
        f"{CALL_FB}\n%h = call @halve(%g) : ({T}) -> {T}\n%n = arith.subf %w, %h : {T}"),
    "loop-counted": FB + train(
        f"""{CALL_FB}
  {COUNT_ROUNDS}
  %n = scf.for %i = %c0 to %count step %c1 iter_args(%v = %w) -> ({T}) {{
    %k = arith.subf %v, %x : {T}
    scf.yield %k : {T}
  }}"""),
    # Divided by what an infinity makes zero, read where it has no place: in the step, in
    # the body of an operation, and in a helper that stays a call.
    "divided": FB + train(
        f"""{CALL_FB}
  {DIVIDE}
  %zero = arith.constant 0.0 : f32
  %nought = arith.mulf %f, %zero : f32
  %first = arith.fptosi %nought : f32 to i64
  %at = arith.index_cast %first : i64 to index
  %place = tensor.extract %x[%at] : {T}
  %more = arith.addf %share, %place : f32
  %e = tensor.empty() : {T}
  %b = linalg.fill ins(%more : f32) outs(%e : {T}) -> {T}
  %n = arith.subf %w, %b : {T}"""),
    "divided-body": FB + train(
        f"""{CALL_FB}
  %e = tensor.empty() : {T}
  %b = linalg.map ins(%g : {T}) outs(%e : {T}) (%f: f32, %o: f32) {{
    {DIVIDE_ABS}
    linalg.yield %share : f32
  }}
  %n = arith.subf %w, %b : {T}"""),
    "divided-helper": FB + f"""
func.func private @share(%g: {T}) -> {T} {{
  cf.br ^next
^next:
  {DIVIDE}
  %e = tensor.empty() : {T}
  %b = linalg.fill ins(%share : f32) outs(%e : {T}) -> {T}
  return %b : {T}
}}""" + train(f"{CALL_FB}\n%b = call @share(%g) : ({T}) -> {T}\n%n = arith.subf %w, %b : {T}"),
    # An infinity, which becomes the least integer, by -1, which no gradient comes into.
    "least": FB + train(
        f"""{CALL_FB}
  {LEAST}
  %parts = arith.divsi %whole, %by : i64
  %rest = arith.remsi %whole, %by : i64
  %floor = arith.floordivsi %whole, %by : i64
  %ceil = arith.ceildivsi %whole, %by : i64
  %sum = arith.addi %parts, %rest : i64
  %more = arith.addi %floor, %ceil : i64
  %all = arith.addi %sum, %more : i64
  %share = arith.sitofp %all : i64 to f32
  {SUBTRACT}"""),
    "least-body": FB + train(
        f"""{CALL_FB}
  {LEAST}
  %e = tensor.empty() : {T}
  %b = linalg.map ins(%g : {T}) outs(%e : {T}) (%a: f32, %o: f32) {{
    %times = arith.mulf %a, %eight : f32
    %int = arith.fptosi %times : f32 to i64
    %parts = arith.divsi %int, %by : i64
    %share = arith.sitofp %parts : i64 to f32
    linalg.yield %share : f32
  }}
  %n = arith.subf %w, %b : {T}"""),
    "least-helper": FB + """
func.func private @quotient(%i: i64, %by: i64) -> i64 {
  cf.br ^next
^next:
  %q = arith.divsi %i, %by : i64
  return %q : i64
}""" + train(
        f"""{CALL_FB}
  {LEAST}
  %parts = call @quotient(%whole, %by) : (i64, i64) -> i64
  %share = arith.sitofp %parts : i64 to f32
  {SUBTRACT}"""),
    # Vectors: the infinity divides, is a place that is said to be in bounds, and lets a mask
    # through to places that are none.
    "vector-divided": FB + train(
        f"""{CALL_FB}
  {ONE_INDEX}%f = tensor.extract %g[%c1] : {T}
  {ROUNDED_ABS}
  %bys = vector.broadcast %by : i64 to vector<4xi64>
  %hundreds = arith.constant dense<100> : vector<4xi64>
  %parts = arith.divsi %hundreds, %bys : vector<4xi64>
  %rests = arith.remui %hundreds, %bys : vector<4xi64>
  %all = arith.addi %parts, %rests : vector<4xi64>
  %sum = vector.extract %all[0] : i64 from vector<4xi64>
  %share = arith.sitofp %sum : i64 to f32
  {SUBTRACT}"""),
    "vector-places": FB + train(
        f"""{CALL_FB}
  {STRIDE}
  %zero = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%stride], %zero {{in_bounds = [true]}} : {T}, vector<1xf32>
  %n = vector.transfer_write %v, %w[%stride] {{in_bounds = [true]}} : vector<1xf32>, {T}"""),
    "vector-places-body": FB + train(
        f"""{CALL_FB}
  {STRIDE}
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {T}
  %b = linalg.map ins(%g : {T}) outs(%e : {T}) (%a: f32, %o: f32) {{
    %v = vector.transfer_read %x[%stride], %zero {{in_bounds = [true]}} : {T}, vector<1xf32>
    %k = vector.extract %v[0] : f32 from vector<1xf32>
    linalg.yield %k : f32
  }}
  %n = arith.subf %w, %b : {T}"""),
    # What combines the rounds of scf.parallel divides by what they give, or by what stands
    # around it.
    "divided-reduce": FB + train(
        f"""{CALL_FB}
  {BOUNDS}
  %start = arith.constant 100000 : i64
  %parts = scf.parallel (%i) = (%c0) to (%c2) step (%c1) init (%start) -> i64 {{
    %f = tensor.extract %g[%c1] : {T}
    {ROUNDED_ABS}
    scf.reduce(%by : i64) {{
    ^bb0(%a: i64, %b: i64):
      %q = arith.divsi %a, %b : i64
      scf.reduce.return %q : i64
    }}
  }}
  %share = arith.sitofp %parts : i64 to f32
  {SUBTRACT}"""),
    "divided-reduce-around": FB + train(
        f"""{CALL_FB}
  {BOUNDS}
  %f = tensor.extract %g[%c1] : {T}
  {ROUNDED_ABS}
  %start = arith.constant 100000 : i64
  %parts = scf.parallel (%i) = (%c0) to (%c2) step (%c1) init (%start) -> i64 {{
    scf.reduce(%one : i64) {{
    ^bb0(%a: i64, %b: i64):
      %q = arith.divsi %a, %by : i64
      scf.reduce.return %q : i64
    }}
  }}
  %share = arith.sitofp %parts : i64 to f32
  {SUBTRACT}"""),
    # What goes round comes from before the loop.
    "divided-reduce-start": FB + train(
        f"""{CALL_FB}
  {BOUNDS}
  %f = tensor.extract %g[%c1] : {T}
  {ROUNDED_ABS}
  %hundreds = arith.constant 100000 : i64
  %parts = scf.parallel (%i) = (%c0) to (%c2) step (%c1) init (%by) -> i64 {{
    scf.reduce(%hundreds : i64) {{
    ^bb0(%a: i64, %b: i64):
      %q = arith.divsi %b, %a : i64
      scf.reduce.return %q : i64
    }}
  }}
  %share = arith.sitofp %parts : i64 to f32
  {SUBTRACT}"""),
    # Elements at distances that the gradient gives, read and written.
    "stride": FB + train(
        f"""{CALL_FB}
  {STRIDE}
  %d = tensor.extract_slice %x[0] [2] [%stride] : {T} to tensor<2xf32>
  %n = tensor.insert_slice %d into %w[0] [2] [%stride] : tensor<2xf32> into {T}"""),
    "stride-forall": FB + train(
        f"""{CALL_FB}
  {STRIDE}
  %d = tensor.extract_slice %x[0] [2] [1] : {T} to tensor<2xf32>
  %n = scf.forall (%i) in (1) shared_outs(%o = %w) -> ({T}) {{
    scf.forall.in_parallel {{
      tensor.parallel_insert_slice %d into %o[0] [2] [%stride] : tensor<2xf32> into {T}
    }}
  }}"""),
    # A dimension that the gradient names.
    "dimension": FB + train(
        f"""{CALL_FB}
  {STRIDE}
  %row = tensor.expand_shape %x [[0, 1]] output_shape [1, 4] : {T} into tensor<1x4xf32>
  %size = tensor.dim %row, %far : tensor<1x4xf32>
  %i = arith.index_cast %size : index to i64
  %share = arith.sitofp %i : i64 to f32
  {SUBTRACT}"""),
    # Assertions behind functions that stay calls: on the gradient, and on nothing that it
    # comes into where it leads to them.
    "asserted-helper": FB + CHECK + train(
        f"""{CALL_FB}
  func.call @check(%g) : ({T}) -> ()
  %n = arith.subf %w, %g : {T}"""),
    "asserted-helper-result": FB + CHECK + f"""
func.func private @checked(%g: {T}) -> {T} {{
  cf.br ^next
^next:
  call @check(%g) : ({T}) -> ()
  return %g : {T}
}}""" + train(f"{CALL_FB}\n%h = call @checked(%g) : ({T}) -> {T}\n%n = arith.subf %w, %h : {T}"),
    "asserted-helper-branch": FB + f"""
func.func private @never() {{
  %false = arith.constant false
  cf.br ^next
^next:
  cf.assert %false, "a gradient is large"
  return
}}""" + train(
        f"""{CALL_FB}
  {ONE_INDEX}%large = arith.constant 1.0e+03 : f32
  %f = tensor.extract %g[%c1] : {T}
  %a = math.absf %f : f32
  %d = arith.cmpf ogt, %a, %large : f32
  scf.if %d {{
    func.call @never() : () -> ()
  }}
  %n = arith.subf %w, %g : {T}"""),
    "asserted-helper-blocks": FB + f"""
func.func private @check(%g: {T}) {{
  {ONE_INDEX}%large = arith.constant 1.0e+03 : f32
  %false = arith.constant false
  %f = tensor.extract %g[%c1] : {T}
  %a = math.absf %f : f32
  %d = arith.cmpf ogt, %a, %large : f32
  cf.cond_br %d, ^bad, ^end
^bad:
  cf.assert %false, "a gradient is large"
  cf.br ^end
^end:
  return
}}""" + train(
        f"""{CALL_FB}
  func.call @check(%g) : ({T}) -> ()
  %n = arith.subf %w, %g : {T}"""),
    # The overflow of the count is that of the gradients that leave the loop.
    "loop-counted-steps": FB + train(
        f"""{CALL_FB}
  {COUNT_ROUNDS}
  %n, %p = scf.for %i = %c0 to %count step %c1 iter_args(%v = %w, %q = %x) -> ({T}, {T}) {{
    %half = arith.constant dense<0.5> : {T}
    %y = arith.mulf %q, %half : {T}
    %h, %k = func.call @fb(%v, %y, %s) : ({T}, {T}, tensor<f32>) -> ({T}, tensor<f32>)
    %r = arith.subf %v, %h : {T}
    scf.yield %r, %h : {T}, {T}
  }}
  %m1 = arith.addf %m, %p : {T}""", MOMENTUM, MOMENTUM, "%n, %l, %m1"),
    "loop-affine": FB + train(
        f"""{CALL_FB}
  %n = affine.for %i = 0 to 2 iter_args(%v = %w) -> ({T}) {{
    %k = arith.subf %v, %g : {T}
    affine.yield %k : {T}
  }}"""),
    "loop-affine-backward": FB.replace(
        f"%g = arith.mulf %b, %x : {T}",
        f"""%h = arith.mulf %b, %x : {T}
  %g = affine.for %i = 0 to 2 iter_args(%a = %h) -> ({T}) {{
    %k = arith.addf %a, %h : {T}
    affine.yield %k : {T}
  }}""") + STEP + train(f"{CALL_FB}\n{CALL_STEP}"),
    # A loop of which each round writes a slice: of the weights, of the gradient.
    "forall": FB + train(
        f"""{CALL_FB}
  %n = scf.forall (%i) in (4) shared_outs(%o = %w) -> ({T}) {{
    %a = tensor.extract_slice %o[%i] [1] [1] : {T} to tensor<1xf32>
    %b = tensor.extract_slice %g[%i] [1] [1] : {T} to tensor<1xf32>
    %d = arith.subf %a, %b : tensor<1xf32>
    scf.forall.in_parallel {{
      tensor.parallel_insert_slice %d into %o[%i] [1] [1] : tensor<1xf32> into {T}
    }}
  }}"""),
    "forall-clip": FB + STEP + f"""
func.func private @clip(%g: {T}) -> {T} {{
  %e = tensor.empty() : {T}
  %h = scf.forall (%i) in (4) shared_outs(%o = %e) -> ({T}) {{
    %k = arith.constant dense<0.125> : tensor<1xf32>
    %b = tensor.extract_slice %g[%i] [1] [1] : {T} to tensor<1xf32>
    %d = arith.minimumf %b, %k : tensor<1xf32>
    scf.forall.in_parallel {{
      tensor.parallel_insert_slice %d into %o[%i] [1] [1] : tensor<1xf32> into {T}
    }}
  }}
  return %h : {T}
}}""" + train(f"{CALL_FB}\n%h = call @clip(%g) : ({T}) -> {T}\n%n = call @step(%w, %h) : ({T}, {T}) -> {T}"),
    # A round writes to a place that the gradient gives.
    "forall-place": FB + train(
        f"""{CALL_FB}
  {LEAST}
  %p = arith.index_cast %whole : i64 to index
  %d = tensor.extract_slice %x[0] [1] [1] : {T} to tensor<1xf32>
  %n = scf.forall (%i) in (1) shared_outs(%o = %w) -> ({T}) {{
    scf.forall.in_parallel {{
      tensor.parallel_insert_slice %d into %o[%p] [1] [1] : tensor<1xf32> into {T}
    }}
  }}"""),
    # A state that is another's old value, that is another's new value, a history.
    "old-weights": FB + train(f"{CALL_FB}\n%n = arith.subf %w, %g : {T}", MOMENTUM, MOMENTUM, "%n, %l, %w"),
    "old-weights-call": FB + STEP + train(f"{CALL_FB}\n{CALL_STEP}", MOMENTUM, MOMENTUM, "%n, %l, %w"),
    "new-weights": FB + train(f"{CALL_FB}\n%n = arith.subf %w, %g : {T}", MOMENTUM, MOMENTUM, "%n, %l, %n"),
    "new-weights-call": FB + STEP + train(f"{CALL_FB}\n{CALL_STEP}", MOMENTUM, MOMENTUM, "%n, %l, %n"),
    "history": FB + train(
        f"""{CALL_FB}
  %d = arith.addf %h1, %g : {T}
  %n = arith.subf %w, %d : {T}""", HISTORY, HISTORY, "%n, %l, %g, %h1, %h2"),
    "rotation": FB + train(f"{CALL_FB}\n%n = arith.subf %w, %g : {T}", HISTORY, HISTORY, "%n, %l, %h2, %h3, %h1"),
    "old-weights-loop": FB + STEP + train(
        f"""%c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n, %q, %l = scf.for %i = %c0 to %c2 step %c1 iter_args(%v = %w, %o = %m, %p = %s) -> ({T}, {T}, tensor<f32>) {{
    %g, %k = func.call @fb(%v, %x, %s) : ({T}, {T}, tensor<f32>) -> ({T}, tensor<f32>)
    %r = func.call @step(%v, %g) : ({T}, {T}) -> {T}
    scf.yield %r, %v, %k : {T}, {T}, tensor<f32>
  }}""", MOMENTUM, MOMENTUM, "%n, %l, %q"),
    # Decay before the step that is called: both are the step.
    "decay-call": FB + STEP + train(
        f"""{CALL_FB}
  %k = arith.constant dense<0.875> : {T}
  %d = arith.mulf %w, %k : {T}
  %n = call @step(%d, %g) : ({T}, {T}) -> {T}"""),
    # A buffer that holds the gradient for the next step.
    "buffered": FB + train(f"{CALL_FB}\n%n = arith.subf %w, %p : {T}", [("p", T, "buffer")], [("p", T, "buffer")], "%n, %l, %g"),
    # Sizes of a gradient are none of its data: here and in a helper.
    "size": FB + train(
        f"""{CALL_FB}
  %gd = tensor.cast %g : {T} to {ANY}
  %wd = tensor.cast %w : {T} to {ANY}
  {SUBTRACT_ANY}
  %n = tensor.cast %nd : {ANY} to {T}"""),
    "size-helper": FB + f"""
func.func private @subtract(%wd: {ANY}, %gd: {ANY}) -> {ANY} {{
  cf.br ^next
^next:
  {SUBTRACT_ANY}
  return %nd : {ANY}
}}""" + train(
        f"""{CALL_FB}
  %gd = tensor.cast %g : {T} to {ANY}
  %wd = tensor.cast %w : {T} to {ANY}
  %nd = call @subtract(%wd, %gd) : ({ANY}, {ANY}) -> {ANY}
  %n = tensor.cast %nd : {ANY} to {T}"""),
    # So is a random state, and a learning rate that the step adapts or counts.
    "drawn": FB + train(
        f"""{CALL_FB}
  {ADAPTED_RATE}
  %n = arith.subf %w, %by : {T}""", [("r", "tensor<f32>", "rng")], [("r", "tensor<f32>", "rng")], "%n, %l, %r1"),
    "drawn-loop": FB + train(
        f"""{BOUNDS}
  %n, %p1, %l = scf.for %i = %c0 to %c2 step %c1 iter_args(%v = %w, %q = %p, %k = %s) -> ({T}, {T}, tensor<f32>) {{
    %g, %o = func.call @fb(%v, %x, %s) : ({T}, {T}, tensor<f32>) -> ({T}, tensor<f32>)
    %half = arith.constant dense<0.5> : {T}
    %d = arith.addf %g, %q : {T}
    %m = arith.subf %v, %d : {T}
    %r = arith.mulf %g, %half : {T}
    scf.yield %m, %r, %o : {T}, {T}, tensor<f32>
  }}""", [("p", T, "rng")], [("p", T, "rng")], "%n, %l, %p1"),
    "rate": FB + train(
        f"""{CALL_FB}
  {ADAPTED_RATE}
  %d = arith.mulf %by, %g : {T}
  %n = arith.subf %w, %d : {T}""", RATE, RATE, "%n, %l, %r1"),
    "rate-count": FB + train(
        f"""{CALL_FB}
  %half = arith.constant dense<0.5> : tensor<f32>
  %r1 = arith.mulf %r, %half : tensor<f32>
  %n = arith.subf %w, %g : {T}""", RATE, RATE, "%n, %l, %r1"),
    "rate-fused": train(
        f"""{FUSED}
  %g = arith.mulf %b, %x : {T}
  {ADAPTED_RATE}
  %d = arith.mulf %by, %g : {T}
  %n = arith.subf %w, %d : {T}""", RATE, RATE, "%n, %l, %r1"),
    # Which of two updates is taken, by the gradient: arith.select and scf.if.
    "chosen": FB + train(
        f"""{CALL_FB}
  %c0 = arith.constant 0 : index
  %e = tensor.extract %g[%c0] : {T}
  %h = arith.constant 0.25 : f32
  %c = arith.cmpf ogt, %e, %h : f32
  %one = arith.constant dense<1.0> : {T}
  %half = arith.constant dense<0.5> : {T}
  %d = arith.select %c, %one, %half : {T}
  %n = scf.if %c -> ({T}) {{
    %k = arith.addf %w, %d : {T}
    scf.yield %k : {T}
  }} else {{
    %k = arith.subf %w, %d : {T}
    scf.yield %k : {T}
  }}"""),
    # The step's own test of what was unscaled, and the update of one element, which the gradient chooses.
    "own-check": FB + train(
        f"""{CALL_FB}
  %z = arith.constant dense<0.0> : tensor<f32>
  %d = linalg.dot ins(%g, %g : {T}, {T}) outs(%z : tensor<f32>) -> tensor<f32>
  %e = tensor.extract %d[] : tensor<f32>
  %c = math.isfinite %e : f32
  %n, %t1 = scf.if %c -> ({T}, tensor<f32>) {{
    %one = arith.constant dense<1.0> : tensor<f32>
    %k = arith.subf %w, %g : {T}
    %q = arith.addf %t, %one : tensor<f32>
    scf.yield %k, %q : {T}, tensor<f32>
  }} else {{
    scf.yield %w, %t : {T}, tensor<f32>
  }}""", COUNTER, COUNTER, "%n, %l, %t1"),
    "one-element": FB + train(
        f"""{CALL_FB}
  %low = arith.constant -1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %best, %at = scf.for %i = %c0 to %c4 step %c1 iter_args(%v = %low, %o = %c0) -> (f32, index) {{
    %e = tensor.extract %g[%i] : {T}
    %a = math.absf %e : f32
    %c = arith.cmpf ogt, %a, %v : f32
    %p = arith.select %c, %a, %v : f32
    %q = arith.select %c, %i, %o : index
    scf.yield %p, %q : f32, index
  }}
  %e = tensor.extract %w[%at] : {T}
  %d = tensor.extract %g[%at] : {T}
  %k = arith.subf %e, %d : f32
  %n = tensor.insert %k into %w[%at] : {T}"""),
    # What a backward pass gives beside its gradients: their sign, where they are positive,
    # and the gradient of the input, which a second pass is made with.
    "sign-output": fb_with("fb", T, SIGN) + train(
        f"""%g, %l, %o = call @fb(%w, %x, %s) : ({T}, {T}, tensor<f32>) -> ({T}, tensor<f32>, {T})
  %n = arith.subf %w, %o : {T}"""),
    "mask-output": fb_with("fb", "tensor<4xi1>", MASK) + train(
        f"""%g, %l, %o = call @fb(%w, %x, %s) : ({T}, {T}, tensor<f32>) -> ({T}, tensor<f32>, tensor<4xi1>)
  %half = arith.constant dense<0.5> : {T}
  %d = arith.addf %w, %half : {T}
  %n = arith.select %o, %d, %w : tensor<4xi1>, {T}"""),
    "input-gradient": fb_with("fbx", T, INPUT) + FB + train(
        f"""%g, %k, %o = call @fbx(%w, %x, %s) : ({T}, {T}, tensor<f32>) -> ({T}, tensor<f32>, {T})
  %eps = arith.constant dense<0.0625> : {T}
  %d = arith.mulf %o, %eps : {T}
  %y = arith.addf %x, %d : {T}
  %h, %l = call @fb(%w, %y, %s) : ({T}, {T}, tensor<f32>) -> ({T}, tensor<f32>)
  %n = arith.subf %w, %h : {T}"""),
    # Scaled by hand: what was found goes to the scaler by way of other operations.
    "hand-all-reduce": MINE + FB + STEP + train(
        f"""{HAND}
  %all = amp.all_reduce_found_inf %f
  amp.update_scale @mine, %all
  {CALL_STEP}"""),
    "hand-union": MINE + FB + STEP + train(
        f"""{HAND}
  %y = arith.addf %x, %x : {T}
  %hs, %k = call @fb(%w, %y, %t) : ({T}, {T}, tensor<f32>) -> ({T}, tensor<f32>)
  %h, %e = amp.unscale %hs using @mine : ({T}) -> {T}
  %sum = arith.addf %g, %h : {T}
  %any = arith.ori %f, %e : {I1}
  %all = amp.all_reduce_found_inf %any
  amp.update_scale @mine, %all
  %half = call @step(%w, %sum) : ({T}, {T}) -> {T}
  %n = call @step(%half, %g) : ({T}, {T}) -> {T}"""),
    "hand-or": MINE + FB + STEP + train(
        f"""{HAND}
  %no = arith.constant dense<false> : {I1}
  %any = arith.ori %f, %no : {I1}
  amp.update_scale @mine, %any
  {CALL_STEP}"""),
    "hand-next": MINE + FB + STEP + train(
        f"""{HAND}
  %h, %k = amp.unscale %gs using @mine found(%f) : ({T}) -> {T}
  amp.update_scale @mine, %k
  {CALL_STEP}"""),
    # Skipped by hand, by what was found: the count beside it, which reads no gradient, or
    # an average of the weights goes with the step.
    **{f"hand-skip-{name}": MINE + FB + STEP + train(
        f"""{HAND}
  amp.update_scale @mine, %f
  %one = arith.constant dense<1.0> : tensor<f32>
  %k1 = arith.addf %k, %one : tensor<f32>
  {skip}""", STEPS, STEPS, "%n, %l, %k1") for name, skip in (
        ("select", f"""%fi = tensor.extract %f[] : {I1}
  %u = arith.subf %w, %g : {T}
  %n = arith.select %fi, %w, %u : {T}"""),
        ("call", f"""%fi = tensor.extract %f[] : {I1}
  %u = call @step(%w, %g) : ({T}, {T}) -> {T}
  %n = arith.select %fi, %w, %u : {T}"""),
        ("branch", f"""%fi = tensor.extract %f[] : {I1}
  %n = scf.if %fi -> ({T}) {{
    scf.yield %w : {T}
  }} else {{
    %u = arith.subf %w, %g : {T}
    scf.yield %u : {T}
  }}"""),
        ("branch-call", f"""%fi = tensor.extract %f[] : {I1}
  %n = scf.if %fi -> ({T}) {{
    scf.yield %w : {T}
  }} else {{
    %u = func.call @step(%w, %g) : ({T}, {T}) -> {T}
    scf.yield %u : {T}
  }}"""),
        ("not", f"""%yes = arith.constant true
  %all = amp.all_reduce_found_inf %f
  %fi = tensor.extract %all[] : {I1}
  %no = arith.xori %fi, %yes : i1
  %go = arith.andi %no, %yes : i1
  %i = arith.extui %go : i1 to i32
  %z = arith.constant 0 : i32
  %c = arith.cmpi ne, %i, %z : i32
  %u = arith.subf %w, %g : {T}
  %n = arith.select %c, %u, %w : {T}"""))},
    "hand-skip-average": MINE + FB + train(
        f"""{HAND}
  amp.update_scale @mine, %f
  %fi = tensor.extract %f[] : {I1}
  %u = arith.subf %w, %g : {T}
  %n = arith.select %fi, %w, %u : {T}
  %half = arith.constant dense<0.5> : {T}
  %a = arith.mulf %m, %half : {T}
  %b = arith.mulf %n, %half : {T}
  %m1 = arith.addf %a, %b : {T}""", MOMENTUM, MOMENTUM, "%n, %l, %m1"),
    # What all rounds have found is known behind the loop.
    "hand-skip-loop": MINE + FB + train(
        f"""%c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %no = arith.constant dense<false> : {I1}
  %zeros = arith.constant dense<0.0> : {T}
  %sum, %any, %l = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %zeros, %o = %no, %p = %s) -> ({T}, {I1}, tensor<f32>) {{
    %t = amp.scale_loss %s using @mine : tensor<f32>
    %gs, %q = func.call @fb(%w, %x, %t) : ({T}, {T}, tensor<f32>) -> ({T}, tensor<f32>)
    %g, %f = amp.unscale %gs using @mine : ({T}) -> {T}
    amp.update_scale @mine, %f
    %b = arith.addf %a, %g : {T}
    %r = arith.ori %o, %f : {I1}
    scf.yield %b, %r, %q : {T}, {I1}, tensor<f32>
  }}
  %fi = tensor.extract %any[] : {I1}
  %one = arith.constant dense<1.0> : tensor<f32>
  %k1 = arith.addf %k, %one : tensor<f32>
  %n = scf.if %fi -> ({T}) {{
    scf.yield %w : {T}
  }} else {{
    %u = arith.subf %w, %sum : {T}
    scf.yield %u : {T}
  }}""", STEPS, STEPS, "%n, %l, %k1"),
    # Unscaled by a function that is called.
    "hand-helper": MINE + FB + STEP + f"""
func.func private @unscale(%gs: {T}) -> {T} {{
  %g, %f = amp.unscale %gs using @mine : ({T}) -> {T}
  amp.update_scale @mine, %f
  return %g : {T}
}}""" + train(
        f"""%t = amp.scale_loss %s using @mine : tensor<f32>
  %gs, %l = call @fb(%w, %x, %t) : ({T}, {T}, tensor<f32>) -> ({T}, tensor<f32>)
  %g = call @unscale(%gs) : ({T}) -> {T}
  {CALL_STEP}"""),
    # Called by reference.
    "references": FB + STEP + train(
        f"""%backward = constant @fb : ({T}, {T}, tensor<f32>) -> ({T}, tensor<f32>)
  %optimizer = constant @step : ({T}, {T}) -> {T}
  %g, %l = call_indirect %backward(%w, %x, %s) : ({T}, {T}, tensor<f32>) -> ({T}, tensor<f32>)
  %n = call_indirect %optimizer(%w, %g) : ({T}, {T}) -> {T}"""),
    # Assertions on gradients, which an overflow does not fulfil: on a step that is
    # taken, in a branch and in a loop.
    "checked": FB + STEP + train(
        f"""{CALL_FB}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  {READ_FLAG}
  %e = tensor.extract %g[%c0] : {T}
  %large = arith.constant 1.0e+03 : f32
  scf.for %i = %c0 to %c4 step %c1 {{
    %k = tensor.extract %g[%i] : {T}
    %a = math.absf %k : f32
    %d = arith.cmpf olt, %a, %large : f32
    cf.assert %d, "a gradient is large"
  }}
  %sum = arith.addf %e, %e : f32
  %all = math.isfinite %sum : f32
  %bad = arith.xori %all, %c : i1
  scf.if %bad {{
    %d = math.isfinite %e : f32
    cf.assert %d, "a sum of gradients is not finite"
  }}
  {CALL_STEP}""", FLAG),
    # Unscaling that was delayed, and a gradient that is read before the last sum.
    "delayed": FB + train(
        f"""%a, %l = call @fb(%w, %x, %s) {{amp.delay_unscale}} : ({T}, {T}, tensor<f32>) -> ({T}, tensor<f32>)
  %b, %k = call @fb(%w, %x, %s) : ({T}, {T}, tensor<f32>) -> ({T}, tensor<f32>)
  %g = arith.addf %a, %b : {T}
  %n = arith.subf %w, %g : {T}"""),
}


def window(body):
    """A step over a sum, of which x1 says whether the window ends with this call."""
    return FB + STEP + train(
        f"""{CALL_FB}
  {READ_FLAG}
  %sum = arith.addf %acc, %g : {T}
  %zeros = arith.constant dense<0.0> : {T}
  {body}""", [("acc", T, "accumulator")] + FLAG, [("acc", T, "accumulator")], "%n, %l, %next")


# What the sum is reset to at a window's end may be what an infinity survives: sum - sum.
REST = f"%rest = arith.subf %sum, %sum : {T}"
CALLED = f"%k = func.call @step(%w, %sum) : ({T}, {T}) -> {T}"
INLINE = f"%k = arith.subf %w, %sum : {T}"


def branch(update, zero):
    return f"""%n, %next = scf.if %c -> ({T}, {T}) {{
    {update}
    {REST}
    scf.yield %k, {zero} : {T}, {T}
  }} else {{
    scf.yield %w, %sum : {T}, {T}
  }}"""


def switch(update, zero):
    return f"""%at = arith.index_castui %c : i1 to index
  %n, %next = scf.index_switch %at -> {T}, {T}
  case 1 {{
    {update}
    {REST}
    scf.yield %k, {zero} : {T}, {T}
  }}
  default {{
    scf.yield %w, %sum : {T}, {T}
  }}"""


def selects(update, zero):
    return f"""{update}
  {REST}
  %n = arith.select %c, %k, %w : {T}
  %next = arith.select %c, {zero}, %sum : {T}"""


def blocks(update, zero):
    return f"""cf.cond_br %c, ^step, ^end(%w, %sum : {T}, {T})
^step:
  {update}
  {REST}
  cf.br ^end(%k, {zero} : {T}, {T})
^end(%n: {T}, %next: {T}):"""


def loop(update, zero):
    inside = branch(update, zero).replace("%n, %next", "%n0, %next0").replace("%w", "%v").replace("%sum", "%o")
    return f"""%c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n, %next = scf.for %i = %c0 to %c1 step %c1 iter_args(%v = %w, %o = %sum) -> ({T}, {T}) {{
    {inside}
    scf.yield %n0, %next0 : {T}, {T}
  }}"""


def in_step(form):
    """The same inside of the optimizer step, which takes the sum and the gradient."""
    body = form("%k = arith.subf %w, %sum : " + T, "%zeros")
    return FB + f"""
func.func @window(%w: {T} {role("param", "w")}, %acc: {T} {role("accumulator", "w")}, %g: {T} {role("grad", "w")},
                  %x1: {I1} {role("batch", "x1")}) -> ({T} {role("param", "w")}, {T} {role("accumulator", "w")}) {{
  {READ_FLAG}
  %sum = arith.addf %acc, %g : {T}
  %zeros = arith.constant dense<0.0> : {T}
  {body}
  return %n, %next : {T}, {T}
}}
""" + train(
        f"""{CALL_FB}
  %n, %next = call @window(%w, %acc, %g, %x1) : ({T}, {T}, {T}, {I1}) -> ({T}, {T})""",
        [("acc", T, "accumulator")] + FLAG, [("acc", T, "accumulator")], "%n, %l, %next")


WINDOWS = {f"{form.__name__} {name} {zero}": window(form(update, zero))
           for form in (branch, switch, selects, blocks, loop)
           for name, update, zero in (("called", CALLED, "%rest"), ("inline", INLINE, "%zeros"))}
WINDOWS |= {f"{form.__name__} in the step": in_step(form) for form in (branch, selects)}
# Bounded by value, the infinity is a number in the sum.
BOUNDED = f"""%most = arith.constant dense<1.0e+05> : {T}
  %bounded = arith.minimumf %g, %most : {T}
  %sum = arith.addf %acc, %bounded : {T}"""
WINDOWS |= {f"{form.__name__} bounded": window(form(INLINE, "%zeros")).replace(
    f"%sum = arith.addf %acc, %g : {T}", BOUNDED) for form in (branch, switch, selects, blocks, loop)}


def check_window(folder, text, where):
    module = os.path.join(folder, "window.mlir")
    with open(module, "w") as file:
        file.write(text)
    x = [[0.125 * i, 0.25, -0.0625 * i, 0.1875] for i in range(1, 7)]
    bad = [0.25, 1e36, 0.125, 0.0625]
    ends = [False, True] * 3
    for level in ("O1", "O2"):
        plain = run(module, level, x, ends)
        expect(where, not any(r["skipped"] for r in plain.log), "a finite step was skipped")
        exact = np.array([1.0, -2.0, 0.5, 3.0], np.float32) - np.sum(np.array(x, np.float32), axis=0)
        name = "master/w" if level == "O2" else "param/w"
        expect(where, np.array_equal(plain.state[name], exact), f"{plain.state[name]} is not {exact}")
        for at in (2, 3):  # the first and the last micro-batch of the second window
            batches = x[:at] + [bad] + x[at + 1:]
            for steps in (4, 6):
                got = run(module, level, batches[:steps], ends)
                want = run(module, level, x[:2] + x[4:steps], ends)
                changed = amprun.differing(got.state, want.state)
                expect(where, not changed, f"a dropped window and none differ in {changed} after {steps} calls")
            kept = run(module, level, batches, ends, "--keep-finite-sums=true")
            zero = x[:at] + [[0.0] * 4] + x[at + 1:]
            changed = amprun.differing(kept.state, run(module, level, zero, ends).state)
            expect(where, not changed, f"a micro-batch left out and a zero one differ in {changed}")


# The count that decides where a window ends is a state of the optimizer by its role.
COUNTED = FB + train(
    f"""{CALL_FB}
  %sum = arith.addf %acc, %g : {T}
  %zeros = arith.constant dense<0.0> : {T}
  %one = arith.constant dense<1> : tensor<i64>
  %t1 = arith.addi %t, %one : tensor<i64>
  %at = tensor.extract %t1[] : tensor<i64>
  %odd = arith.trunci %at : i64 to i1
  %n, %next = scf.if %odd -> ({T}, {T}) {{
    scf.yield %w, %sum : {T}, {T}
  }} else {{
    {INLINE}
    scf.yield %k, %zeros : {T}, {T}
  }}""", [("acc", T, "accumulator"), ("t", "tensor<i64>", "opt_state")],
    [("acc", T, "accumulator"), ("t", "tensor<i64>", "opt_state")], "%n, %l, %next, %t1")


def check_count(folder):
    """A window that is dropped at its end counts as one: the next has two micro-batches."""
    module = os.path.join(folder, "count.mlir")
    with open(module, "w") as file:
        file.write(COUNTED)
    x = [[0.125 * i, 0.25, -0.0625 * i, 0.1875] for i in range(1, 7)]
    for at in (2, 3):
        batches = x[:at] + [[0.25, 1e36, 0.125, 0.0625]] + x[at + 1:]
        exact = START - np.sum(np.array(x[:2] + x[4:], np.float32), axis=0)
        for level in ("O1", "O2"):
            got = run(module, level, batches, False)
            name = "master/w" if level == "O2" else "param/w"
            expect("count", np.array_equal(got.state[name], exact), f"{level}: {got.state[name]} is not {exact}")
            expect("count", got.state["opt_state/t"] == 6, f"{level}: {got.state['opt_state/t']} calls")


# A loss that is a state too.
LOSS_STATE = FB + train(f"{CALL_FB}\n%n = arith.subf %w, %g : {T}",
                        [("b", "tensor<f32>", "opt_state")], [("b", "tensor<f32>", "opt_state")], "%n, %l, %l")


def check_loss_state(folder):
    """A skipped step reports the loss that it had, and keeps the one of the step before."""
    module = os.path.join(folder, "loss.mlir")
    with open(module, "w") as file:
        file.write(LOSS_STATE)
    x = [[0.125, 0.25, -0.0625, 0.1875], [1e36, 1.0, 1.0, 1.0]]
    first = np.float32(1.0 * 0.125 - 2.0 * 0.25 - 0.5 * 0.0625 + 3.0 * 0.1875)
    got = run(module, "O1", x, False)
    expect("loss state", got.log[1]["skipped"], "the infinite step was not skipped")
    expect("loss state", got.state["opt_state/b"] == first, f"kept {got.state['opt_state/b']}, not {first}")
    expect("loss state", got.log[1]["loss"] > 8e35, f"reported {got.log[1]['loss']}")


# Two optimizers, written out; the second backward pass is at the new w: its loss is
# (w * v).y, of which only v is trained.
SECOND = f"""
func.func @second(%w: {T} {role("param", "w")}, %v: {T} {role("param", "v")}, %x: {T} {role("batch", "x1")}, %s: tensor<f32> {role("loss_seed", "k")})
    -> ({T} {role("grad", "v")}, tensor<f32> {role("loss", "k")}) {{
  %z = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : {T}
  %p = arith.mulf %w, %v : {T}
  %l = linalg.dot ins(%p, %x : {T}, {T}) outs(%z : tensor<f32>) -> tensor<f32>
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : {T}) dimensions = [0]
  %h = arith.mulf %b, %x : {T}
  %g = arith.mulf %h, %w : {T}
  return %g, %l : {T}, tensor<f32>
}}
"""
TWO_OPTIMIZERS = FB + SECOND + train(
    f"""{CALL_FB}
  %n = arith.subf %w, %g : {T}
  %g2, %l2 = call @second(%n, %v, %x1, %k) : ({T}, {T}, {T}, tensor<f32>) -> ({T}, tensor<f32>)
  %nv = arith.subf %v, %g2 : {T}
  %nm = arith.addf %m, %g2 : {T}""",
    [("v", T, "param"), ("m", T, "opt_state"), ("k", "tensor<f32>", "loss_seed"), ("x1", T, "batch")],
    [("v", T, "param"), ("m", T, "opt_state"), ("k", "tensor<f32>", "loss")], "%n, %l, %nv, %nm, %l2")


def check_two_optimizers(folder):
    """An optimizer takes the overflows of the gradients that it consumes, on every level:
    where only w's overflow, w stays and v goes on at the old w."""
    module = os.path.join(folder, "two.mlir")
    with open(module, "w") as file:
        file.write(TWO_OPTIMIZERS)
    # Exact in half.
    x = np.array([[0.25, 0.5, -0.25, 0.125], [1e36, 1.0, 1.0, 1.0]], np.float32)
    y = np.array([[0.5, -0.25, 0.25, 0.5], [0.25, 0.5, 0.25, -0.5]], np.float32)
    w, v, m = START.copy(), np.array([1.0, 0.5, -1.0, 0.25], np.float32), np.zeros(4, np.float32)
    arrays = {"steps": np.int64(2), "losses": np.zeros(2), "arg0": w, "arg3": v, "arg4": m}
    for step in range(2):
        arrays[f"step{step}_x0"], arrays[f"step{step}_x1"] = x[step], y[step]
    w = w - x[0]
    for step in range(2):
        v, m = v - w * y[step], m + w * y[step]
    for level in ("O1", "O2", "O3"):
        for losses in (1, 2):
            got = amprun.run(module, level, arrays, "--loss-scale=dynamic", "--max-loss-scale=1024", f"--num-losses={losses}")
            for name, want in (("w", w), ("v", v), ("m", m)):
                key = next(k for k in (f"master/{name}", f"param/{name}", f"opt_state/{name}") if k in got.state)
                have = amprun.to_float(got.state[key])
                expect(f"two optimizers {level} {losses}", np.array_equal(have, want), f"{key}: {have} is not {want}")


START = np.array([1.0, -2.0, 0.5, 3.0], np.float32)
# Start values of states, the arguments after the seed.
STATES = {"inline-momentum": [np.zeros(4, np.float32), np.float32(0)],
          "state-inline": [np.float32(0)], "branch": [np.float32(0)], "own-check": [np.float32(0)],
          **{kind: [np.array([0.5, 0.25, -1.0, 2.0], np.float32)] for kind in
             ("buffered", "old-weights", "old-weights-call", "new-weights", "new-weights-call", "old-weights-loop")},
          **{kind: [np.array([i, 0.25, -i, 2.0], np.float32) for i in (1, 2, 3)] for kind in ("history", "rotation")},
          **{f"hand-skip-{kind}": [np.float32(0)] for kind in
             ("select", "call", "branch", "branch-call", "not", "loop")},
          "hand-skip-average": [np.array([0.5, 0.25, -1.0, 2.0], np.float32)],
          **{kind: [np.float32(0.5)] for kind in ("drawn", "rate", "rate-count", "rate-fused")},
          "drawn-loop": [np.array([0.5, 0.25, -1.0, 2.0], np.float32)],
          "blocks-loop-count": [np.float32(0)], "while-in-loop": [np.float32(0)],
          "loop-counted-steps": [np.zeros(4, np.float32)],
          "window": [np.zeros(4, np.float32)], "loss": [np.float32(0)],
          "count": [np.zeros(4, np.float32), np.int64(0)]}


def run(module, level, batches, flag, *options):
    arrays = {"steps": np.int64(len(batches)), "losses": np.zeros(len(batches))}
    arrays["arg0"] = START
    for number, start in enumerate(STATES.get(os.path.basename(module).split(".")[0], [])):
        arrays[f"arg{number + 3}"] = start
    for step, x in enumerate(batches):
        arrays[f"step{step}_x0"] = np.array(x, np.float32)
        arrays[f"step{step}_x1"] = np.array(flag[step] if isinstance(flag, list) else flag, bool)
    if level != "O0":
        # The seed itself goes through half at O2.
        options = ("--loss-scale=dynamic", "--max-loss-scale=1024", *options)
    return amprun.run(module, level, arrays, *options)


def expect(kind, holds, what):
    if not holds:
        sys.exit(f"{kind}: {what}")


def main():
    good = [[0.125, 0.25, -0.0625, 0.1875], [0.25, -0.125, 0.1875, 0.03125], [0.0625, 0.0625, -0.25, 0.125]]
    bad = [good[0], [0.25, 1e36, 0.125, 0.0625], good[2]]
    runs = 0
    named = [kind for kind in sys.argv[1:] if kind != "--all"]
    for number, kind in enumerate(named or KINDS):
        with tempfile.TemporaryDirectory() as folder:
            module = os.path.join(folder, kind + ".mlir")
            with open(module, "w") as file:
                file.write(KINDS[kind])
            for flag in (False, True) if "%x1" in KINDS[kind] else (False,):
                plain = run(module, "O0", good, flag)
                # One of both in turn where all forms are run: forms beside each other are alike.
                for level in ("O1", "O2") if sys.argv[1:] else (("O1", "O2")[number % 2],):
                    where = f"{kind} {level} {flag}"
                    finite = run(module, level, good, flag)
                    expect(where, not any(r["skipped"] for r in finite.log), "a finite step was skipped")
                    name = "master/w" if level == "O2" else "param/w"
                    for there, here in [(k, name if k == "param/w" else k) for k in plain.state]:
                        a, b = plain.state[there], amprun.to_float(finite.state[here])
                        expect(where, np.allclose(a, b, rtol=2**-10, atol=2**-8), f"{there}: O0 has {a}, got {b}")
                    before = run(module, level, bad[:1], flag)
                    after = run(module, level, bad[:2], flag)
                    expect(where, after.log[1]["skipped"], "the infinite step was not skipped")
                    changed = amprun.differing(before.state, after.state)
                    expect(where, not changed, f"a skipped step changed {changed}")
                    moved = amprun.differing(before.state, run(module, level, good[:2], flag).state)
                    expect(where, moved, "a step changes nothing by itself")
                    # Gradients of these batches are exact at any scale.
                    on = run(module, level, bad, flag)
                    without = run(module, level, [bad[0], bad[2]], flag)
                    changed = amprun.differing(on.state, without.state)
                    expect(where, not changed, f"a run with a skipped step and one without it differ in {changed}")
                    runs += 1
    if not named:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in WINDOWS.items():
                check_window(folder, text, name)
            check_count(folder)
            check_loss_state(folder)
            check_two_optimizers(folder)
    print(f"{runs} forms, levels and branches")


if __name__ == "__main__":
    main()
