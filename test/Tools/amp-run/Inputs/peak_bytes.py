"""peak_bytes.py LOG TEXT more|same: each step's peak is the sum that the run's last lines give, or more."""

import json
import re
import sys

peaks = {json.loads(line)["peak_bytes"] for line in open(sys.argv[1])}
line, = re.findall("^memory: .*", open(sys.argv[2]).read(), re.M)
*parts, shown = [float(size) * 1024 ** " KM".index(unit)
                 for size, unit in re.findall(r"([\d.]+) ([ KM])i?B", line)]
assert len(parts) == 3 and len(peaks) == 1, (line, peaks)
peak, = peaks
# Each number of the text is rounded to a tenth of its unit.
rounding = 4 * 52 if max(parts) < 1 << 20 else 4 * 52 * 1024
assert abs(peak - shown) <= rounding, (peak, line)
extra = peak - sum(parts)
assert abs(extra) <= rounding if sys.argv[3] == "same" else extra >= -rounding, (peak, line)
