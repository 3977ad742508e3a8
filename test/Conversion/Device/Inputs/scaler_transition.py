"""Transitions of loss scalers by `amp-keep-scalers-on-device`, beside the rules as Apex and torch state them.

  scaler_transition.py write MODULE   a function that advances a scaler
  scaler_transition.py run MODULE     the converted function with records for arguments, on all cases
  scaler_transition.py check OUTPUT   what it printed, against the rules below

A case is a record (AmpRtScalerRecord in amp-rt/Scaler.h) and whether the step overflowed. The rules are written from
Apex's `LossScaler.update_scale` and torch's `_amp_update_scale_`, with the two differences that amp-rt/Scaler.h names.
"""

import math
import random
import re
import struct
import sys

FIELDS = (
    "scale unskipped steps skipped overflows skipped_in_a_row steps_at_floor last_skipped_step flags"
    " preset mode config_flags growth_interval growth_factor backoff_factor min_scale max_scale"
).split()
FLOATS = {"scale", "growth_factor", "backoff_factor", "min_scale", "max_scale"}
TORCH, STATIC, STATIC_SKIPS, HELD, FOUND_INF = 1, 1, 2, 2, 4


def expect(condition, text):
    if not condition:
        sys.exit(text)


def f32(x):
    try:
        return struct.unpack("f", struct.pack("f", x))[0]
    except OverflowError:
        return math.inf


def advance(r, found):
    r = dict(r)
    torch, dynamic = r["preset"] == TORCH, r["mode"] != STATIC
    overflow = found or bool(r["flags"] & FOUND_INF)
    skip = overflow and (dynamic or bool(r["config_flags"] & STATIC_SKIPS))
    at_floor = dynamic and r["scale"] <= max(r["min_scale"], 2.0**-126)
    r["flags"] = 0
    if skip:
        if dynamic:
            lowered = r["scale"] * r["backoff_factor"]
            lowered = f32(lowered) if torch else lowered
            if r["min_scale"]:
                lowered = max(lowered, r["min_scale"])
            if lowered == 0:
                lowered, r["flags"] = 2.0**-149 if torch else 5e-324, HELD
            r["scale"] = lowered
        r["unskipped"] = 0
        r["skipped"] += 1
        r["skipped_in_a_row"] += 1
        r["steps_at_floor"] += at_floor
        r["last_skipped_step"] = r["steps"]
    else:
        r["unskipped"] += 1
        r["skipped_in_a_row"] = r["steps_at_floor"] = 0
    if dynamic and r["unskipped"] >= r["growth_interval"]:
        grown = r["scale"] * r["growth_factor"]
        grown = f32(grown) if torch else min(grown, r["max_scale"])
        if math.isfinite(grown):
            r["scale"] = grown
        r["unskipped"] = 0
    r["overflows"] += overflow
    r["steps"] += 1
    return r


def program_scale(r):
    return f32(min(max(r["scale"], 2.0**-126), f32(3.4028234663852886e38)))


def make_cases():
    draw = random.Random(3)
    cases = []
    for number in range(400):
        torch = number % 3 == 0
        scale = draw.choice([5e-324, 2.0**-149, 2.0**-127, 2.0**-126, 1.0, 3.7, 65536.0, 2.0**24, 2.0**127, 2.0**1023])
        steps = draw.choice([0, 7, 2**53 + 1])
        skipped = draw.randint(0, min(steps, 5))
        case = dict(
            scale=f32(scale) if torch and scale < 2.0**128 else (2.0**127 if torch else scale),
            unskipped=draw.choice([0, 1, 2, 2**53 + 1]),
            steps=steps,
            skipped=skipped,
            overflows=skipped,
            skipped_in_a_row=skipped,
            steps_at_floor=draw.randint(0, skipped),
            last_skipped_step=steps - 1 if skipped else -1,
            flags=draw.choice([0, 0, HELD, FOUND_INF]),
            preset=TORCH if torch else 0,
            mode=0 if torch else draw.choice([0, 0, STATIC]),
            config_flags=draw.choice([0, 1, STATIC_SKIPS, 3]),
            growth_interval=draw.choice([1, 2, 3, 2000]),
            growth_factor=draw.choice([2.0, 1.5, 1.1, 2.0**20]),
            backoff_factor=draw.choice([0.5, 0.25, 0.3, 2.0**-30]),
            min_scale=0.0 if torch else draw.choice([0.0, 0.0, 1.0, 4096.0, 2.0**-130]),
            max_scale=math.inf if torch else draw.choice([math.inf, 2.0**24, 4.0]),
        )
        if case["scale"] == 0:
            case["scale"] = 2.0**-149
        cases.append((case, draw.random() < 0.4))
    return cases


def to_bits(r):
    return [struct.unpack("<q", struct.pack("<d", r[f]))[0] if f in FLOATS else int(r[f]) for f in FIELDS]


def write(path):
    with open(path, "w") as file:
        file.write(
            """func.func private @ampRtScalerScale(i64) -> f32
func.func private @ampRtScalerUpdateFromProgram(i64, i1)
func.func @next(%scaler: i64, %found: tensor<i1>) -> tensor<f32> {
  %s = call @ampRtScalerScale(%scaler) : (i64) -> f32
  %before = tensor.from_elements %s : tensor<f32>
  %f = tensor.extract %found[] : tensor<i1>
  call @ampRtScalerUpdateFromProgram(%scaler, %f) : (i64, i1) -> ()
  return %before : tensor<f32>
}
"""
        )


def run(path):
    text = open(path).read()
    reads = re.findall(r"(%\S+) = amp.read_scaler %arg0\n", text)
    expect(len(reads) == 1, "expected one read of the record: " + text)
    text = re.sub(r"%\S+ = amp.read_scaler %arg0\n", "\n", text)
    text = re.sub(re.escape(reads[0]) + r"\b", "%record", text)
    written = re.findall(r"amp.write_scaler %arg0, (%\S+)\n", text)
    expect(len(written) == 1, "expected one write of the record: " + text)
    text = re.sub(r"amp.write_scaler %arg0, %\S+\n", "\n", text)
    text = text.replace("%arg0: i64", "%record: tensor<17xi64>")
    text = text.replace("-> tensor<f32> {", "-> (tensor<f32>, tensor<17xi64>) {")
    text = re.sub(r"return (%\S+) : tensor<f32>", rf"return \1, {written[0]} : tensor<f32>, tensor<17xi64>", text)
    text = re.sub(r"func.func private @ampRt.*\n", "", text)
    cases = make_cases()
    rows = ", ".join(str(to_bits(record)) for record, _ in cases)
    flags = ", ".join("true" if found else "false" for _, found in cases)
    count = len(cases)
    main = f"""
  func.func @main() {{
    %records = arith.constant dense<[{rows}]> : tensor<{count}x17xi64>
    %flags = arith.constant dense<[{flags}]> : tensor<{count}xi1>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c17 = arith.constant 17 : index
    %count = arith.constant {count} : index
    scf.for %i = %c0 to %count step %c1 {{
      %record = tensor.extract_slice %records[%i, 0] [1, 17] [1, 1] : tensor<{count}x17xi64> to tensor<17xi64>
      %flag = tensor.extract %flags[%i] : tensor<{count}xi1>
      %found = tensor.from_elements %flag : tensor<i1>
      %r:2 = func.call @next(%record, %found) : (tensor<17xi64>, tensor<i1>) -> (tensor<f32>, tensor<17xi64>)
      %s = tensor.extract %r#0[] : tensor<f32>
      %bits = arith.bitcast %s : f32 to i32
      vector.print %bits : i32
      scf.for %j = %c0 to %c17 step %c1 {{
        %member = tensor.extract %r#1[%j] : tensor<17xi64>
        vector.print %member : i64
      }}
    }}
    return
  }}
"""
    end = text.rindex("}")
    print(text[:end] + main + "}")


def check(path):
    numbers = [int(line) for line in open(path)]
    cases = make_cases()
    expect(len(numbers) == 18 * len(cases), f"expected 18 numbers for each case, but got {len(numbers)}")
    reached = dict.fromkeys("held grown skipped rounded floor static_skips accumulated bounded kept".split(), 0)
    for number, (record, found) in enumerate(cases):
        got = numbers[18 * number : 18 * number + 18]
        after = advance(record, found)
        scale = struct.unpack("<i", struct.pack("<f", program_scale(record)))[0]
        expected = [scale] + to_bits(after)
        expect(got == expected, f"case {number}: {record}, {found}:\n  got {got}\n  not {expected}")
        reached["held"] += after["flags"] == HELD
        reached["grown"] += after["scale"] > record["scale"]
        reached["skipped"] += after["skipped"] > record["skipped"]
        reached["floor"] += after["steps_at_floor"] > record["steps_at_floor"]
        reached["static_skips"] += record["mode"] == STATIC and after["skipped"] > record["skipped"]
        reached["accumulated"] += bool(record["flags"] & FOUND_INF) and not found
        reached["bounded"] += after["scale"] in (record["min_scale"], record["max_scale"])
        due = record["mode"] != STATIC and after["unskipped"] == 0 and after["skipped"] == record["skipped"]
        reached["kept"] += due and after["scale"] == record["scale"] != record["max_scale"]
        exact = record["scale"] * (record["growth_factor"] if after["scale"] > record["scale"] else record["backoff_factor"])
        reached["rounded"] += record["preset"] == TORCH and after["scale"] not in (record["scale"], exact)
    expect(min(reached.values()) >= 5, f"expected each kind of transition: {reached}")
    print("agrees:", reached)


if __name__ == "__main__":
    {"write": write, "run": run, "check": check}[sys.argv[1]](sys.argv[2])
