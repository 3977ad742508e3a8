"""Checks what the fusion plan of a GPU has together, by what a train step computes.

    check_fusion_plan.py MOST < MODULE

MODULE is text that `amp-annotate-fusion-plan` printed, of operations that are
linalg.generic. It is read as a graph, without the plan, and each of these has to be in
one group:

product    its result, and what computes an element of its own from each element of it or
           of such a reader. Not asked for: a reader behind another product, one that needs
           the group's results in another way too, one of two products
softmax    a maximum of rows, what takes it from the row before exp, their sum, and the
           quotient. Not asked for where a reshape merges rows in between
norm       the sums from which a variance is, what takes its root, and what that scales
parameter  its new value, its states' and its half copy's

MOST is how much more than `amp.least_traffic` the plan may move. Prints how many of each
there are, and what is not together; exit status 1 if anything is not.
"""

import math
import re
import sys

# What keeps its place: it reads by index, asserts, or has effects.
FIXED = re.compile(r"tensor\.extract\b|cf\.assert|scf\.(for|while)|\bcall\b")


class Operation:
    def __init__(self, number, block, text, body, operands, maps):
        self.number, self.block = number, block
        self.name = re.search(r'(?:^|= )"?([\w.]+)', text.strip()).group(1)
        self.text, self.body = text, body
        group = re.search(r"amp\.fusion_group = (\d+)", text)
        self.group = int(group[1]) if group else None
        loops = re.search(r"iterator_types = \[(.*?)\]", text)
        self.isGeneric = self.name == "linalg.generic"
        self.isReduction = bool(loops) and "reduction" in loops[1]
        self.isElementwise = bool(loops) and not self.isReduction
        self.isFixed = not self.isGeneric and bool(FIXED.search(text + body)) or bool(
            FIXED.search(body))
        self.functions = re.findall(r"(?:arith|math|linalg|tensor)\.(\w+)", body)
        # Of each operand: who gives it, what its type is, and how it is indexed.
        self.operands, self.maps = operands, maps
        types = re.findall(r"tensor<([^<>]*)>", text.rsplit("->", 1)[-1])
        self.size = count_elements(types[0]) if types else 0
        self.readers = []

    @property
    def isProduct(self):
        if (not self.isReduction or len(self.maps) != 3 or
                self.functions[-3:] != ["mulf", "addf", "yield"] or
                not set(self.functions[:-3]) <= {"extf"}):
            return False
        a, b, c = (set(re.findall(r"d\d+", " ".join(results))) for results in self.maps)
        return bool((a ^ b) & c)

    def reads(self, producer):
        return any(source is producer for source, _, _ in self.operands)

    def computes_on_elements_of(self, producer):
        """One element of its own from each of the producer's."""
        return self.isElementwise and all(
            count_elements(shape) == self.size and is_permutation(indexing)
            for (source, shape, _), indexing in zip(self.operands, self.maps)
            if source is producer)


def count_elements(shape):
    return math.prod(int(extent) for extent in re.findall(r"(\d+)x", shape))


def is_permutation(results):
    dims = [result for result in results if result != "0"]
    return len(set(dims)) == len(dims) and all(re.fullmatch(r"d\d+", dim) for dim in dims)


def read_step(text):
    """The operations of @train_step and what it returns, by names of results."""
    aliases = dict(re.findall(r"^(#\w+) = affine_map<\(.*?\) -> \((.*?)\)>$", text, re.MULTILINE))
    start = text.index("func.func @train_step")
    lines = text[start:].split("\n  }\n")[0].split("\n")
    operations, given, divided = [], {}, set()
    branches, returned = [], []

    def find(value):
        return given.get(value) or given.get(value.split("#")[0])

    place = 1
    while place < len(lines):
        line = lines[place]
        indent = len(line) - len(line.lstrip())
        place += 1
        if line.strip().startswith("}"):
            continue
        body = []
        if line.endswith("{") and " scf.if " not in line:
            while not lines[place].startswith(" " * indent + "}"):
                body.append(lines[place])
                place += 1
            line += lines[place].strip()
            place += 1
        line = line.strip()
        if line.startswith("return "):
            returned = re.findall(r"%[\w#]+", line)
            continue
        if line.startswith("scf.yield"):
            branches.append([find(value) for value in re.findall(r"%[\w#]+", line)])
            continue
        operands = []
        maps = re.search(r"indexing_maps = \[(.*?)\], iterator", line)
        maps = [aliases[name].split(", ") if aliases[name] else [] for name in
                re.findall(r"#\w+", maps[1])] if maps else []
        for part in re.findall(r"\b(?:ins|outs)\((.*?)\)", line):
            values, types = part.split(" : ")
            # An output that the body does not use is not read.
            operands += zip(values.split(", "), re.findall(r"tensor<[^<>]*>|[fi]\d+|index", types))
        if not operands:
            operands = [(value, "") for value in
                        re.findall(r"%[\w#]+", re.sub(r"^%.*? = ", "", line))]
        operands = [(find(value), shape.removeprefix("tensor<"), value)
                    for value, shape in operands]
        isReshape = "tensor.expand_shape" in line or "tensor.collapse_shape" in line
        results = re.match(r"(%[\w:, %]+?) = ", line)
        if isReshape and operands[0][0]:
            given[results[1]] = operands[0][0]
            before, after = ([extent for extent in shape.split("x")[:-1] if extent != "1"]
                             for shape in re.findall(r"tensor<([^<>]*)>", line))
            if before != after or operands[0][2] in divided:
                divided.add(results[1])
            continue
        operation = Operation(len(operations), indent, line, "\n".join(body), operands, maps)
        operation.isDivided = any(value in divided for _, _, value in operands)
        operations.append(operation)
        for source, _, _ in operands:
            if source and operation not in source.readers:
                source.readers.append(operation)
        for result in results[1].split(", ") if results else []:
            given[result.split(":")[0]] = operation
        if " scf.if " in line:
            choice = results[1].split(":")[0]
            branches.append(choice)

    # What a taken step gives: the branch that computes, not the one that keeps.
    chosen = {}
    while branches:
        choice, *yields = branches[:3] if len(branches) > 2 else branches
        branches = branches[3:]
        taken = max(yields, key=lambda values: sum(value is not None for value in values),
                    default=[])
        for number, value in enumerate(taken):
            chosen[f"{choice}#{number}"] = value
            chosen.setdefault(choice, value)
    names = re.search(r"results = \[(\{.*?\})\]", lines[0])[1]
    names = re.findall(r'name = "(.*?)", role = "(\w+)"', names)
    return operations, [(name, role, chosen.get(value, find(value)))
                        for (name, role), value in zip(names, returned)]


def follow(start, size):
    """Operations behind `start` that have no more than `size` elements, one by one."""
    found, open_ = [start], [start]
    while open_:
        for reader in open_.pop().readers:
            if reader.isElementwise and reader.size <= size and reader not in found:
                found.append(reader)
                open_.append(reader)
    return found


class Checker:
    def __init__(self, operations):
        self.operations = operations
        self.failures = []
        self.counts = {"products": 0, "with readers": 0, "softmaxes": 0, "norms": 0,
                       "parameters": 0}

    def stands_between(self, first, second, test):
        return any(test(operation) for operation in
                   self.operations[first.number + 1 : second.number])

    def is_next_to(self, first, second):
        return not self.stands_between(first, second, lambda o: o.isProduct or o.isFixed)

    def expect_together(self, what, parts):
        if len({part.group for part in parts}) > 1 or parts[0].group is None:
            self.failures.append(f"{what} is in groups " + ", ".join(
                f"{part.group} ({'-'.join(part.functions[-3:])})" for part in parts))

    def needs_otherwise(self, reader, members):
        """Whether it needs a member through an operation that is none."""
        seen, open_ = set(), [s for s, _, _ in reader.operands if s and s not in members]
        first = min(member.number for member in members)
        while open_:
            operation = open_.pop()
            if operation in seen or operation.number < first:
                continue
            seen.add(operation)
            if operation in members:
                return True
            open_ += [source for source, _, _ in operation.operands if source]
        return False

    def check_product(self, product):
        self.counts["products"] += 1
        members = [product]
        for reader in self.operations[product.number + 1 :]:
            if reader.isProduct:
                break
            for member in members:
                if (reader.block != member.block or not reader.reads(member)
                        or not reader.computes_on_elements_of(member)):
                    continue
                others = [o for o in self.operations if o.isProduct and o is not product and
                          o.group is not None and o.group == reader.group]
                if others or reader.isFixed or self.needs_otherwise(reader, members):
                    break
                members.append(reader)
                break
        if len(members) > 1:
            self.counts["with readers"] += 1
            self.expect_together("a product", members)

    def check_softmax(self, maximum):
        parts = follow(maximum, maximum.size)
        exponentials, shifted = [], []
        for reader in (r for part in parts for r in part.readers if not r.isDivided):
            # The difference may be an operation of its own.
            found = [e for e in [reader] + reader.readers * reader.isElementwise
                     if "exp" in e.functions and self.is_next_to(maximum, e)]
            exponentials += [e for e in found if e not in exponentials]
            shifted += [reader] if found else []
        if not exponentials:
            return
        sums = [r for e in exponentials for r in [e] + e.readers
                if r.isReduction and not r.isProduct and self.is_next_to(maximum, r)]
        quotients = []
        for total in sums:
            behind = follow(total, maximum.size)
            quotients += [r for part in behind for r in part.readers
                          if "divf" in r.functions and any(r.reads(e) for e in exponentials)
                          and self.is_next_to(maximum, r)]
        self.counts["softmaxes"] += 1
        self.expect_together("a softmax",
                             [maximum] + shifted + exponentials + sums + quotients)

    def check_norm(self, variance):
        roots = [part for part in follow(variance, variance.size)
                 if {"rsqrt", "sqrt"} & set(part.functions)]
        if not roots or not self.is_next_to(variance, roots[0]):
            return
        scaled = [r for part in follow(roots[0], variance.size) for r in part.readers
                  if r.isElementwise and r.size > variance.size and self.is_next_to(roots[0], r)]
        # The mean: the sum that what is squared depends on.
        means, open_ = [], [source for source, _, _ in variance.operands if source]
        while open_:
            operation = open_.pop()
            if operation.isReduction and operation.size == variance.size:
                means.append(operation)
            elif operation.isElementwise and self.is_next_to(operation, variance):
                open_ += [source for source, _, _ in operation.operands if source]
        self.counts["norms"] += 1
        self.expect_together("a norm", means + [variance] + roots + scaled)

    def check_parameters(self, results):
        wide = [name for name, role, _ in results if role == "master"]
        names = wide or [name for name, role, _ in results if role == "param"]
        for name in names:
            parts = [value for other, role, value in results
                     if other == name or role == "opt_state" and
                     (other.startswith(name + ".") or other.endswith("." + name)
                      or re.fullmatch(r"\[\d\]\.\w+" + re.escape(name), other))]
            parts = [part for part in parts if part and part.isGeneric]
            if len(parts) > 1:
                self.counts["parameters"] += 1
                self.expect_together(f"parameter {name}", parts)


def main():
    most = float(sys.argv[1])
    text = sys.stdin.read()
    operations, results = read_step(text)
    checker = Checker(operations)
    for operation in operations:
        if operation.isProduct:
            checker.check_product(operation)
        elif operation.isReduction and {"maximumf", "maxnumf"} & set(operation.functions):
            checker.check_softmax(operation)
        elif operation.isReduction and operation.functions[-2:] == ["addf", "yield"]:
            checker.check_norm(operation)
    checker.check_parameters(results)
    least = int(re.search(r"amp\.least_traffic = (\d+)", text)[1])
    step = text[text.index("func.func @train_step") :].split("\n")[0]
    moved = int(re.search(r"amp\.fusion_bytes = \{after = (\d+)", step)[1])
    if moved > most * least:
        checker.failures.append(f"the plan moves {moved} bytes, the least is {least}")
    print(", ".join(f"{count} {what}" for what, count in checker.counts.items()))
    print(f"{moved / least:.3f} of the least")
    for failure in checker.failures:
        print(failure)
    return 1 if checker.failures else 0


if __name__ == "__main__":
    sys.exit(main())
