"""Copies a step and says in the copy that it is for another libamp-rt.

    patch-runtime-version.py STEP.so VERSION COPY.so

VERSION is a number of AMP_RT_VERSION's form, 0x00MMmmpp. Of ampProgram the second word is changed
(amp-rt/Program.h); it lies where the symbol's address is in the file.
"""

import re
import shutil
import subprocess
import sys

step, version, copy = sys.argv[1:]


def read(*options):
    return subprocess.run(["llvm-readelf", *options, step], capture_output=True, text=True, check=True).stdout


symbol = int(re.search(r"([0-9a-f]+) +\d+ OBJECT .* ampProgram$", read("--dyn-syms"), re.M)[1], 16)
places = [symbol - int(address, 16) + int(offset, 16)
          for offset, address, size in re.findall(r"LOAD +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+)", read("-l"))
          if 0 <= symbol - int(address, 16) < int(size, 16)]
shutil.copy(step, copy)
with open(copy, "r+b") as file:
    file.seek(places[0] + 4)
    assert file.read(4)[3] == 0
    file.seek(places[0] + 4)
    file.write(int(version, 16).to_bytes(4, "little"))
