# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loss scalers against every run of scaler_apex_simple.json, row by row and
exactly, and what the class adds: state, health, errors."""

from __future__ import annotations

import copy
import math
import pickle

import mlir_amp
import oracles
import pytest
from mlir_amp.scaler import LossScaler

# Intended differences, see the module: Apex never grows from a counter loaded
# past the window, and divides by 0 after the 1091st halving.
DIFFERING = {"apex-s-122", "apex-s-125"}

# The floor is above the ceiling or above the start.
CONTRADICTING = {f"apex-s-{i:03}" for i in (*range(87, 93), *range(99, 105))}

ORACLE = oracles.read_object("scaler_apex_simple.json")


def make(run: dict, **more) -> LossScaler:
    """The scaler of a run's configuration."""
    config = run["config"]
    scaler = LossScaler(
        # Dynamic is the default of O1 and O2, the levels that leave it out.
        loss_scale=config.get("loss_scale", "dynamic"),
        scale_window=config.get("scale_window", 2000),
        min_loss_scale=config.get("min_loss_scale"),
        max_loss_scale=config.get("max_loss_scale", 2.0**24),
        name=run["id"],
        **more,
    )
    if "load" in config:
        scaler.load_state_dict(config["load"][0])
    return scaler


def bypasses(run: dict) -> bool:
    """Whether Apex's scale_loss yields the loss as it is and never asks the
    scaler: at a fixed scale of 1, but for O2, which has master weights."""
    config = run["config"]
    return config["opt_level"] != "O2" and config.get("loss_scale") == 1.0


def step(scaler: LossScaler, run: dict, overflow: int) -> list:
    skip = False if bypasses(run) else scaler.update(bool(overflow))
    return [overflow, scaler.scale, scaler.unskipped, int(skip)]


def test_recorded_runs_are_all_there() -> None:
    assert len(ORACLE["traces"]) == 127 and len(ORACLE["long"]) == 1


@pytest.mark.parametrize("run", ORACLE["traces"], ids=lambda run: run["id"])
def test_run_of_apex(run: dict) -> None:
    if run["id"] in DIFFERING:
        return  # the two tests below
    scaler = make(run)
    assert [scaler.scale, scaler.unskipped] == run["initial"][0]
    for i, expected in enumerate(run["steps"]):
        assert step(scaler, run, expected[0]) == expected, f"step {i}"
    assert scaler.state_dict() == run["final_state_dict"]["loss_scaler0"]


@pytest.mark.parametrize("run", ORACLE["traces"], ids=lambda run: run["id"])
def test_contradicting_bounds_are_refused_on_request(run: dict) -> None:
    if run["id"] in CONTRADICTING:
        with pytest.raises(mlir_amp.InvalidArgument, match="expected min scale not"):
            make(run, apex_bounds=False)
    else:
        make(run, apex_bounds=False)


def test_counter_loaded_past_the_window_grows_at_once() -> None:
    run = ORACLE["traces"][122]
    scaler = make(run)
    rows = [step(scaler, run, row[0]) for row in run["steps"]]
    assert [row[1] for row in rows[:7]] == [8192.0] * 4 + [16384.0] * 3
    # From Apex's first overflow on, the same run at four times the scale.
    for ours, apex in zip(rows[7:], run["steps"][7:], strict=True):
        assert ours == [apex[0], 4 * apex[1], *apex[2:]]


def test_scale_is_held_where_apex_divides_by_zero() -> None:
    run = ORACLE["traces"][125]
    scaler = make(run)
    assert run["error"]["type"] == "ZeroDivisionError"
    *rows, last = run["steps"]
    for i, expected in enumerate(rows):
        assert step(scaler, run, expected[0]) == expected, f"step {i}"
    assert last[1] == 0.0
    assert step(scaler, run, last[0]) == [1, 5e-324, 0, 1]
    assert scaler.state["held_at_bottom"]
    assert scaler.program_scale == 2.0**-126
    verdict, text = scaler.health(patience=10)
    assert verdict == "stuck-at-bottom"
    assert text.startswith("scaler 'apex-s-125' is held at 4.94066e-324")


def test_default_window_over_7000_steps() -> None:
    (run,) = ORACLE["long"]
    scaler = make(run)
    overflows = set(run["overflow_steps"])
    changes = {row[0]: row[1:] for row in run["steps_where_something_changed"]}
    scale, unskipped = scaler.scale, scaler.unskipped
    for i in range(run["n_steps"]):
        row = step(scaler, run, int(i in overflows))
        assert row == changes.pop(i, [0, scale, unskipped + 1, 0]), f"step {i}"
        _, scale, unskipped, _ = row
    assert not changes


def test_defaults() -> None:
    scaler = LossScaler()
    assert scaler.dynamic and scaler.scale == 65536.0 and scaler.unskipped == 0
    assert scaler.config["growth_interval"] == 2000
    assert scaler.config["max_scale"] == 2.0**24
    assert scaler.config["min_scale"] == 0.0
    assert scaler.health().verdict == "healthy"
    assert "loss_scaler0" in repr(scaler)


def test_static_scale_never_skips() -> None:
    scaler = LossScaler(128.0)
    assert not scaler.update(True)
    assert scaler.scale == 128.0
    assert scaler.health().verdict == "static-overflow"


def test_accumulated_overflow_counts_once() -> None:
    scaler = LossScaler()
    scaler.accumulate(True)
    scaler.accumulate(False)
    assert scaler.state["found_inf"]
    assert scaler.update(False) and not scaler.update(False)
    scaler.accumulate(True)
    scaler.clear()
    assert not scaler.update(False)


def test_state_round_trip() -> None:
    scaler = LossScaler(scale_window=3)
    for overflow in (0, 1, 0, 0):
        scaler.update(bool(overflow))
    scaler.accumulate(True)
    other = LossScaler(scale_window=3)
    other.state = scaler.state
    assert other.state == scaler.state
    assert [other.update(), other.scale] == [scaler.update(), scaler.scale]


def test_copies_and_pickles_go_on_alone() -> None:
    scaler = LossScaler(scale_window=2, name="copied")
    scaler.update(True)
    for twin in (copy.deepcopy(scaler), pickle.loads(pickle.dumps(scaler))):
        assert twin.state == scaler.state and twin.config == scaler.config
        twin.update(True)
        assert twin.scale == scaler.scale / 2


@pytest.mark.parametrize(
    "arguments, text",
    [
        ({"loss_scale": 0.0}, "initial scale"),
        ({"loss_scale": math.nan}, "initial scale"),
        ({"init_scale": -1.0}, "initial scale"),
        ({"scale_factor": 1.0}, "growth factor"),
        ({"scale_factor": 0.0}, "growth factor"),
        ({"backoff_factor": 1.0}, "backoff factor"),
        ({"scale_window": 0}, "growth interval"),
        ({"min_loss_scale": -1.0}, "min scale"),
        ({"max_loss_scale": 0.0}, "max scale"),
    ],
)
def test_numbers_out_of_range_are_named(arguments: dict, text: str) -> None:
    with pytest.raises(mlir_amp.InvalidArgument, match=text) as caught:
        LossScaler(**arguments)
    assert caught.value.status == "invalid argument"
    assert isinstance(caught.value, (mlir_amp.AmpError, ValueError))


def test_refused_states_change_nothing() -> None:
    scaler = LossScaler()
    before = scaler.state
    for scale, unskipped in ((0.0, 0), (1.0, -1)):
        with pytest.raises(mlir_amp.RuntimeFault, match="ampRtScalerLoad: scaler"):
            scaler.load_state_dict({"loss_scale": scale, "unskipped": unskipped})
    with pytest.raises(mlir_amp.RuntimeFault, match="ampRtScalerSetState"):
        scaler.state = {**before, "steps": -1}
    with pytest.raises(ValueError, match="state of a scaler, but it has no 'steps'"):
        scaler.state = {"scale": 1.0, "hysteresis": 1, "unskipped": 0}  # type: ignore
    assert scaler.state == before


def test_numbers_change_and_the_state_stays() -> None:
    scaler = LossScaler(scale_window=3)
    scaler.update(False)
    state = scaler.state
    scaler.configure(growth_interval=2, growth_factor=4.0)
    assert scaler.state == state and scaler.config["growth_interval"] == 2
    assert not scaler.update(False) and scaler.scale == 4 * 65536.0
    config = scaler.config
    with pytest.raises(mlir_amp.InvalidArgument, match="growth factor"):
        scaler.configure(growth_factor=1.0)
    with pytest.raises(TypeError):
        scaler.configure(colour=1)
    assert scaler.config == config


def test_presets_are_named() -> None:
    assert LossScaler().config["preset"] == "apex"
    scaler = LossScaler(max_loss_scale=math.inf, preset="torch", scale_factor=1.1)
    assert copy.deepcopy(scaler).config == scaler.config
    scaler.update(True)
    assert scaler.scale != 65536.0 / 1.1  # in float32
    with pytest.raises(mlir_amp.InvalidArgument, match="preset 'torch' has no bounds"):
        LossScaler(preset="torch")
    with pytest.raises(ValueError, match="expected preset 'apex' or 'torch'"):
        LossScaler(preset="jmp")  # type: ignore


def test_faults_pickle() -> None:
    with pytest.raises(mlir_amp.RuntimeFault) as caught:
        LossScaler(0.0)
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is mlir_amp.InvalidArgument
    assert (str(again), again.status) == (str(caught.value), "invalid argument")
