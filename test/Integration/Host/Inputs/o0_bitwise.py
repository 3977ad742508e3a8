"""O0 leaves every value of a program as it is, to the bit.

    o0_bitwise.py MODULE ARRAYS

The same host lowering runs the program compiled at O0 and the program that was
left alone (enabled=False): losses and every array of the state agree.
"""

import sys

import amprun

module, arrays = sys.argv[1:]
plain = amprun.run(module, "O0", arrays, "--enabled=False", steps=3)
level0 = amprun.run(module, "O0", arrays, steps=3)
names = amprun.differing(plain.state, level0.state)
if names:
    sys.exit(f"O0 differs from the plain program in {', '.join(names)}")
for a, b in zip(plain.log, level0.log):
    assert a["loss"] == b["loss"] and a["grad_norm"] == b["grad_norm"], (a, b)
print(f"{len(level0.state)} arrays and {len(level0.log)} losses agree")
