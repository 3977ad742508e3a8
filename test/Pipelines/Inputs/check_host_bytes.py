"""Holds the bytes that a step's kernels move on the host to 1.25 of the least.

    amp-opt ... --amp-to-host=count-traffic | check_host_bytes.py NAME

Prints NAME and the ratio; exit status 1 if it is larger, or the numbers are not there.
"""

import re
import sys

MOST = 1.25

numbers = dict(re.findall(r"amp\.(kernel|least)_traffic = (\d+)", sys.stdin.read()))
ratio = int(numbers["kernel"]) / int(numbers["least"])
print(f"{sys.argv[1]}: {ratio:.3f} of the least" + (f", not {MOST}" if ratio > MOST else ""))
sys.exit(ratio > MOST)
