"""Prints what Apex printed in one case of special_cases.json.

    printed_selection.py FILE CASE
"""

import json
import sys

path, wanted = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    cases = json.load(file)["cases"]
(text,) = [case["printed"] for case in cases if case["case"] == wanted]
sys.stdout.write(text)
