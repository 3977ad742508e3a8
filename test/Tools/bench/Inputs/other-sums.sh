#!/bin/sh
# Stands in for contraction-bench where a library computes something else.
echo "nobody" >&2
read -r _ || exit
echo '{"name": "x", "rounds": {}, "sum": {"f32 generated": 7, "f32 library": 8}}'
