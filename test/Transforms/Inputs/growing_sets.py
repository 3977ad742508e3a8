#!/usr/bin/env python3
"""Prints a program in which what is known of an operation contains what is known of the
one before, N times over.

    growing_sets.py N statistics | repeated | batch-norm | name | branches
"""

import sys

T, S = "tensor<4x4xf32>", "tensor<f32>"


def statistics(count):
    """The sum of the statistics of x times each y, and that many products of x with it."""
    place = lambda: f"{{amp.scope_id = {len(lines)} : i64}}"
    lines = [f"func.func @f(%x: {T}, %y0: {T}) -> {T} {{", f"  %e = tensor.empty() : {T}",
             f"  %zero = arith.constant dense<0.0> : {S}", f"  %a0 = arith.constant dense<1.0> : {S}"]
    for i in range(count):
        lines += [f"  %y{i + 1} = math.tanh %y{i} : {T}", f"  %q{i} = arith.mulf %x, %y{i + 1} {place()} : {T}",
                  f"  %t{i} = linalg.reduce {{ arith.addf }} ins(%q{i} : {T}) outs(%zero : {S}) "
                  f"dimensions = [0, 1] {place()}",
                  f"  %a{i + 1} = arith.addf %a{i}, %t{i} {place()} : {S}"]
    lines.append(f"  %b = linalg.broadcast ins(%a{count} : {S}) outs(%e : {T}) dimensions = [0, 1]")
    for i in range(count):
        lines += [f"  %n{i} = arith.mulf %x, %b {place()} : {T}",
                  f"  %r{i} = arith.subf %{f'r{i - 1}' if i else 'x'}, %n{i} : {T}"]
    return lines + [f"  return %r{count - 1} : {T}", "}"]


def repeated(count):
    """The same sum of N statistics, added N times."""
    lines = statistics(count)[:4 + 4 * count]
    lines += [f"  %s{i + 1} = arith.addf %{f's{i}' if i else 't0'}, %a{count} {{amp.scope_id = 0 : i64}} : {S}"
              for i in range(count)]
    return lines + [f"  %b = linalg.broadcast ins(%s{count} : {S}) outs(%e : {T}) dimensions = [0, 1]",
                    f"  %n = arith.mulf %x, %b {{amp.scope_id = 0 : i64}} : {T}", f"  return %n : {T}", "}"]


def batch_norm(count):
    """A batch normalisation without origin that grows by one operation at a time."""
    name = '{amp.role = "param", amp.name = "bn.weight", amp.kind = "batch_norm"}'
    lines = [f"func.func @evaluate(%w: {T} {name}, %x: {T} {{amp.role = \"batch\", amp.name = \"x0\"}}) -> "
             f"({T} {{amp.role = \"output\", amp.name = \"y\"}}) {{", f"  %v0 = arith.mulf %x, %w : {T}"]
    for i in range(count):
        lines += [f"  %l{i} = arith.mulf %x, %w : {T}", f"  %v{i + 1} = arith.addf %v{i}, %l{i} : {T}"]
    return lines + [f"  %y = arith.mulf %v{count}, %w : {T}", f"  return %y : {T}", "}"]


def name(count):
    """A step with a state whose name has N parts before its parameter's."""
    role = lambda role, name, rest="": f'{T} {{amp.role = "{role}", amp.name = "{name}"{rest}}}'
    param = role("param", "bn.weight", ', amp.kind = "batch_norm"')
    state = role("opt_state", "a." * count + "bn.weight.exp_avg")
    return [f"func.func @step(%w: {param}, %m: {state}, %g: {role('grad', 'bn.weight')}) -> ({param}, {state}) {{",
            f"  %n = arith.addf %m, %g : {T}", f"  %v = arith.subf %w, %n : {T}", f"  return %v, %n : {T}, {T}", "}"]


def branches(count):
    """A step that takes N updates in turn, each in a branch with its backward pass."""
    role = lambda type, role, name: f'{type} {{amp.role = "{role}", amp.name = "{name}"}}'
    param, batch, seed = role(T, "param", "w"), role(T, "batch", "x0"), role(S, "loss_seed", "loss")
    lines = [f"func.func @backward(%w: {param}, %x: {batch}, %s: {seed}) -> ({role(T, 'grad', 'w')}) {{",
             f"  %e = tensor.empty() : {T}",
             f"  %b = linalg.broadcast ins(%s : {S}) outs(%e : {T}) dimensions = [0, 1]",
             f"  %h = arith.mulf %x, %w : {T}", f"  %g = arith.mulf %b, %h : {T}", f"  return %g : {T}", "}",
             f"func.func @train(%w0: {param}, %x: {batch}, %s: {seed}, %k: {role('i1', 'hyper', 'k')}) -> ({param}) {{"]
    for i in range(count):
        lines += [f"  %w{i + 1} = scf.if %k -> {T} {{",
                  f"    %g{i} = func.call @backward(%w{i}, %x, %s) : ({T}, {T}, {S}) -> {T}",
                  f"    %n{i} = arith.subf %w{i}, %g{i} : {T}", f"    scf.yield %n{i} : {T}", "  } else {",
                  f"    scf.yield %w{i} : {T}", "  }"]
    return lines + [f"  return %w{count} : {T}", "}"]


count, kind = int(sys.argv[1]), sys.argv[2]
kinds = {"statistics": statistics, "repeated": repeated,
         "batch-norm": batch_norm, "name": name, "branches": branches}
print("\n".join(kinds[kind](count)))
