"""Holds the table of `./dev bench step`, on standard input, to bounds.

    device_step.py ... | check_step_bytes.py [memory-bound]

Bytes moved are at most 1.25 of the least (unless the word says that it is not asked), so are those that memory
binds, and a step's workspace at O2 and O5 is less than at O0. One line for each row out of bounds; exit status 1 if there is one, or no row.
"""

import sys

MOST = 1.25

rows = [[cell.strip() for cell in line.strip("| \n").split("|")] for line in sys.stdin if line.startswith("| ")]
header, rows = rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]
workspace = header.index("of O0")
COLUMNS = [("ratio", "the least"), ("memory-bound", "the least that memory binds")]
if sys.argv[1:] == ["memory-bound"]:
    del COLUMNS[0]
wrong = 0
for row in rows:
    sample, level = row[:2]
    for column, least in COLUMNS:
        moved = row[header.index(column)]
        if float(moved) > MOST:
            print(f"wrong: {sample} at {level} moves {moved} of {least}, not {MOST}")
            wrong += 1
    if level != "O0" and not float(row[workspace]) < 1:
        print(f"wrong: {sample} at {level} has {row[workspace]} of the workspace at O0")
        wrong += 1
print(f"{len(rows)} steps, {wrong} out of bounds")
sys.exit(bool(wrong) or not rows)
