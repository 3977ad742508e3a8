"""The optimizers of the sample steps: their constants, and how to break them.

`broken(text, sample, fault)` is the text of a sample's module with one constant of its
@optimizer_step changed: what a compiler would give that lost a line of the optimizer.
"""

import re

# Constants as the modules spell them. JAX's programs add the update, so their rates have
# a sign. In gpt_tiny 1 - beta2 is the same constant as the rate and changes with it: half
# of both makes an update 1/sqrt(2) of what it was.
FAULTS = {
    # The demo's Adam; `powers` are those of beta2, of which f32 holds 0.99900001287.
    "cnn": {"rate": "2.000000e-03", "sign": "", "value": 0.002,
            "powers": ("9.990000e-01", "0.9990000128746033")},
    "mlp_digits": {"rate": "1.000000e-01", "sign": "", "value": 0.1},
    "cnn_digits": {"rate": "5.000000e-02", "sign": "", "value": 0.05},
    "resnet8": {"rate": "5.000000e-02", "sign": "", "value": 0.05,
                "decay": ("5.000000e-04", "0.000000e+00")},
    "gpt_tiny": {"rate": "1.000000e-03", "sign": "", "value": 0.001,
                 "decay": ("0.999989986", "1.000000e+00")},
    "jax_mlp_digits": {"rate": "-1.000000e-01", "sign": "-", "value": 0.1},
    "jax_cnn_digits": {"rate": "-5.000000e-02", "sign": "-", "value": 0.05},
    "jax_gpt_tiny": {"rate": "-1.000000e-03", "sign": "-", "value": 0.001,
                     "decay": ("9.99999974E-5", "0.000000e+00")},
}

MOMENTUM = "0.899999976"  # of SGD; Adam's beta1


def faults(sample):
    """Names of what can be broken in a sample."""
    return ["no-rate", "half-rate", "no-momentum"] + [
        fault for fault, key in (("no-decay", "decay"), ("f32-powers", "powers"))
        if key in FAULTS[sample]]


def optimizer_text(text):
    """Begin and end of @optimizer_step in a module."""
    begin = text.index("func.func @optimizer_step")
    return begin, text.index("\n  }\n", begin) + len("\n  }\n")


def broken(text, sample, fault):
    entry = FAULTS[sample]
    old, new = {
        "no-rate": (entry["rate"], "0.000000e+00"),
        "half-rate": (entry["rate"], f"{entry['sign']}{entry['value'] / 2:.6e}"),
        "no-momentum": (MOMENTUM, "0.000000e+00"),
        "no-decay": entry.get("decay"),
        "f32-powers": entry.get("powers"),
    }[fault]
    begin, end = optimizer_text(text)
    pattern = r"(arith\.constant (?:dense<)?)" + re.escape(old) + r"(>? : )"
    step, count = re.subn(pattern, lambda match: match[1] + new + match[2], text[begin:end])
    assert count, (sample, fault, old)
    return text[:begin] + step + text[end:]
