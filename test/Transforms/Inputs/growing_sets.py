#!/usr/bin/env python3
"""Prints a program in which what is known of an operation contains what is known of the
one before, N times over.

    growing_sets.py N statistics | repeated | batch-norm | name | branches | unions | helpers |
                      forward | cycle | recursion | endless | updates | lost | arguments |
                      scalers
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


def scaled(helpers, body):
    """A step scaled by hand that subtracts the %h that `body` computes from the gradient %u."""
    role = lambda type, role, name: f'{type} {{amp.role = "{role}", amp.name = "{name}"}}'
    param, seed = role(T, "param", "w"), role(S, "loss_seed", "loss")
    return ["amp.scaler @s {initial_scale = 1024.0 : f64}",
            f"func.func private @backward({param}, {seed}) -> ({role(T, 'grad', 'w')})", *helpers,
            f"func.func @train(%w: {param}, %s: {seed}) -> ({param}) {{",
            f"  %t = amp.scale_loss %s using @s : {S}", f"  %g = call @backward(%w, %t) : ({T}, {S}) -> {T}",
            f"  %u, %o0 = amp.unscale %g using @s : ({T}) -> {T}", *body,
            f"  %n = arith.subf %w, %h : {T}", f"  return %n : {T}", "}"]


def unions(count):
    """What is asked of all ranks is a union of a union with itself, and so on."""
    return scaled([], [f"  %o{i + 1} = arith.ori %o{i}, %o{i} : tensor<i1>" for i in range(count)] +
                  [f"  %all = amp.all_reduce_found_inf %o{count}", "  amp.update_scale @s, %all",
                   f"  %h = arith.addf %u, %u : {T}"])


CALL = ["  amp.update_scale @s, %o0", f"  %h = call @h0(%u) : ({T}) -> {T}"]


def helpers(count):
    """A helper that calls one that calls one; the last divides."""
    calls = [line for i in range(count) for line in (
        f"func.func private @h{i}(%a: {T}) -> {T} {{", f"  %r = call @h{i + 1}(%a) : ({T}) -> {T}",
        f"  return %r : {T}", "}")]
    return scaled(calls + [f"func.func private @h{count}(%a: {T}) -> {T} {{", "  %c7 = arith.constant 7 : i32",
                           "  %c0 = arith.constant 0 : index", f"  %e = tensor.extract %a[%c0, %c0] : {T}",
                           "  %i = arith.fptosi %e : f32 to i32", "  %q = arith.divsi %c7, %i : i32",
                           "  %f = arith.sitofp %q : i32 to f32",
                           f"  %r = tensor.insert %f into %a[%c0, %c0] : {T}", f"  return %r : {T}", "}"], CALL)


def choosing(last):
    """A helper of N blocks that a gradient chooses among; the last goes on with `last`."""
    def make(count):
        lines = [f"func.func private @h0(%a: {T}) -> {T} {{", "  %zero = arith.constant 0.0 : f32",
                 "  %c0 = arith.constant 0 : index", f"  %e = tensor.extract %a[%c0, %c0] : {T}",
                 "  %c = arith.cmpf ogt, %e, %zero : f32", "  cf.br ^b0"]
        for i in range(count):
            lines += [f"^b{i}:", f"  cf.cond_br %c, ^{f'b{i + 1}' if i + 1 < count else last}, ^end"]
        return scaled(lines + ["^end:", f"  return %a : {T}", "}"], CALL)
    return make


def recursion(last):
    """A function that calls N others one after the other, which call it under a condition, and
    of which each calls the one before; the first of all is `last` but for that."""
    def make(count):
        lines = []
        for i in range(count):
            lines += [f"func.func private @h{i}(%c: i1) {{", "  scf.if %c {",
                      "    func.call @all(%c) : (i1) -> ()", "  }",
                      f"  call @h{i - 1}(%c) : (i1) -> ()" if i else f"  {last}", "  return", "}"]
        return lines + ["func.func @all(%c: i1) {", *(f"  call @h{i}(%c) : (i1) -> ()" for i in range(count)),
                        "  return", "}"]
    return make


def updates(count, lost=False):
    """A step of N unscalings, of which each advances the scale with what those before found as
    well; the last may be given what loses it."""
    role = lambda type, role, name: f'{type} {{amp.role = "{role}", amp.name = "{name}"}}'
    param, seed = role(T, "param", "w"), role(S, "loss_seed", "loss")
    lines = ["amp.scaler @s {initial_scale = 1024.0 : f64}",
             f"func.func private @backward({param}, {seed}) -> ({role(T, 'grad', 'w')})",
             f"func.func @train(%n0: {param}, %s: {seed}) -> ({param}) {{",
             "  %f0 = arith.constant dense<false> : tensor<i1>"]
    for i in range(count):
        given = "f0" if lost and i + 1 == count else f"f{i + 1}"
        lines += [f"  %t{i} = amp.scale_loss %s using @s : {S}",
                  f"  %g{i} = call @backward(%n{i}, %t{i}) : ({T}, {S}) -> {T}",
                  f"  %u{i}, %o{i} = amp.unscale %g{i} using @s : ({T}) -> {T}",
                  f"  %f{i + 1} = arith.ori %f{i}, %o{i} : tensor<i1>",
                  f"  %a{i} = arith.andi %f{i + 1}, %{given} : tensor<i1>",
                  f"  amp.update_scale @s, {f'%a{i}' if given == 'f0' else f'%f{i + 1}'}",
                  f"  %d{i} = arith.subf %n{i}, %u{i} : {T}",
                  f"  %n{i + 1} = amp.apply_if_finite %f{i + 1} keep(%n{i}) {{",
                  f"    amp.yield %d{i} : {T}", f"  }} : {T}"]
    return lines + [f"  return %n{count} : {T}", "}"]


def arguments(count):
    """A step that adds N scaled gradients to each other in a helper, and unscales the sum."""
    role = lambda type, role, name: f'{type} {{amp.role = "{role}", amp.name = "{name}"}}'
    joined = lambda make: ", ".join(make(i) for i in range(count))
    params, types, seed = joined(lambda i: role(S, "param", f"w{i}")), joined(lambda i: S), role(S, "loss_seed", "loss")
    return ["amp.scaler @s {initial_scale = 1024.0 : f64}",
            f"func.func private @backward({params}, {seed}) -> ({joined(lambda i: role(S, 'grad', f'w{i}'))})",
            f"func.func private @h({joined(lambda i: f'%a{i}: {S}')}) -> {S} {{",
            *(f"  %s{i} = arith.addf %{f's{i - 1}' if i else 'a0'}, %a{i} : {S}" for i in range(count)),
            f"  return %s{count - 1} : {S}", "}",
            f"func.func @train({joined(lambda i: f'%w{i}: ' + role(S, 'param', f'w{i}'))}, %x: {seed}) -> "
            f"({role(S, 'param', 'w0')}) {{", f"  %t = amp.scale_loss %x using @s : {S}",
            f"  %g:{count} = call @backward({joined(lambda i: f'%w{i}')}, %t) : ({types}, {S}) -> ({types})",
            f"  %r = call @h({joined(lambda i: f'%g#{i}')}) : ({types}) -> {S}",
            f"  %u, %o = amp.unscale %r using @s : ({S}) -> {S}", "  amp.update_scale @s, %o",
            f"  %d = arith.subf %w0, %u : {S}", "  %n = amp.apply_if_finite %o keep(%w0) {",
            f"    amp.yield %d : {S}", f"  }} : {S}", f"  return %n : {S}", "}"]


def scalers(count):
    """A step of N losses, each with a scaler and a parameter of its own."""
    role = lambda type, role, name: f'{type} {{amp.role = "{role}", amp.name = "{name}"}}'
    joined = lambda make: ", ".join(make(i) for i in range(count))
    param = lambda i: role(T, "param", f"w{i}")
    lines = [f"amp.scaler @s{i} {{initial_scale = 1024.0 : f64}}" for i in range(count)]
    lines += [f"func.func private @backward({role(T, 'param', 'w')}, {role(S, 'loss_seed', 'loss')}) -> "
              f"({role(T, 'grad', 'w')})",
              f"func.func @train({joined(lambda i: f'%w{i}: {param(i)}')}, %s: {role(S, 'loss_seed', 'loss')}) -> "
              f"({joined(param)}) {{"]
    for i in range(count):
        lines += [f"  %t{i} = amp.scale_loss %s using @s{i} : {S}",
                  f"  %g{i} = call @backward(%w{i}, %t{i}) : ({T}, {S}) -> {T}",
                  f"  %u{i}, %o{i} = amp.unscale %g{i} using @s{i} : ({T}) -> {T}",
                  f"  amp.update_scale @s{i}, %o{i}", f"  %d{i} = arith.subf %w{i}, %u{i} : {T}",
                  f"  %n{i} = amp.apply_if_finite %o{i} keep(%w{i}) {{",
                  f"    amp.yield %d{i} : {T}", f"  }} : {T}"]
    return lines + [f"  return {joined(lambda i: f'%n{i}')} : {joined(lambda i: T)}", "}"]


count, kind = int(sys.argv[1]), sys.argv[2]
kinds = {"statistics": statistics, "repeated": repeated,
         "batch-norm": batch_norm, "name": name, "branches": branches, "unions": unions,
         "helpers": helpers, "forward": choosing("end"), "cycle": choosing("b0"),
         "recursion": recursion(""), "endless": recursion("call @h0(%c) : (i1) -> ()"),
         "updates": updates, "lost": lambda count: updates(count, True), "arguments": arguments,
         "scalers": scalers}
print("\n".join(kinds[kind](count)))
