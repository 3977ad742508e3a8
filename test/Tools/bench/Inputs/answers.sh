#!/bin/sh
# Stands in for contraction-bench where it computes something else, or ends.
echo "nobody" >&2
read -r _ || exit
[ "$ANSWER" = none ] && { echo "contraction-bench: no idea" >&2; exit 1; }
echo '{"name": "x", "peak": {"f32": 1e9, "bf16": 1e9}, "triad": 1e9,
"seconds": {"openblas": 1}, "sum": {"f16 generated": 7}}' | tr -d '\n'
echo
