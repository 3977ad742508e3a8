"""Changes the entries of a cache of kernels.

    change_entries.py damage|replace FOLDER

damage: one is cut short, the others lose a bit. replace: each has other code, and the
hash of that.
"""

import hashlib
import os
import sys

how, folder = sys.argv[1:]
for number, name in enumerate(sorted(os.listdir(folder))):
    path = os.path.join(folder, name)
    with open(path, "rb") as file:
        content = bytearray(file.read())
    if how == "replace":
        code = b"planted"
        content = b"amp-kernel-1 " + hashlib.sha256(code).hexdigest().encode() + b"\n" + code
    elif number == 0:
        del content[len(content) // 2 :]
    else:
        content[-1] ^= 1
    with open(path, "wb") as file:
        file.write(content)
