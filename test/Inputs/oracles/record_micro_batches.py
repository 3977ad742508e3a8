"""Records training_apex_micro.json: Apex runs that accumulate gradients.

    record_micro_batches.py APEX [--check]

APEX is a checkout of NVIDIA Apex at the parent of cb65b8ed, the last revision that has
apex.amp. Runs its code on CPU tensors that say they are on a device, one thread, with
Apex's own Python fallback for its fused kernels. Needs torch (CPU) and numpy; recorded
with torch 2.13.0.

A step takes `batch` rows as `micro_batches` equal parts, in order. For each part the mean
cross entropy divided by `micro_batches` goes through amp.scale_loss and backward; then
the optimizer steps once. `loss` is the mean over the parts. An injected value goes into
the gradient of the first part, before unscaling.

Orders of rows (order/sS-bB) and final weights are added to weights_and_batches.npz.

--check records single-batch runs of training_apex.json again and compares every number:
what makes this file a recording of the same Apex as that one.
"""

import json
import math
import multiprocessing
import os
import sys
import types

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
WEIGHTS = os.path.join(HERE, "weights_and_batches.npz")
ROWS = 32  # of a part: what the modules oracle_*.mlir take
COLUMNS = ["loss", "scale_before", "scale_after", "unskipped_after", "skipped",
           "unscaled_grad_norm"]


def make_run(model, seed, parts, steps, initialize, inject=(), keep_final=False):
    optimizer = {"mlp": "sgd", "cnn": "adam"}[model]
    name = f"{model}-s{seed}-micro{parts}-{initialize['opt_level']}"
    if "loss_scale" in initialize:
        name += f"-ls{initialize['loss_scale']}"
    name += f"-{optimizer}"
    if inject:
        name += "-inj" + "+".join(f"{step}{value}" for step, _, _, value in inject)
    run = {"id": name, "model": model, "seed": seed, "optimizer": optimizer,
           "optimizer_overrides": {}, "steps_total": steps, "batch": parts * ROWS,
           "micro_batches": parts, "initialize": initialize}
    if inject:
        run["inject"] = [{"step": step, "param": param, "index": index, "value": value}
                         for step, param, index, value in inject]
    if keep_final:
        run["final_weights_key"] = "final/" + name
    return run


def level(name, scale=None):
    return {"opt_level": name} if scale is None else {"opt_level": name, "loss_scale": scale}


INJECT = [(3, "fc1.weight", 3, "inf"), (9, "fc2.bias", 0, "nan")]
RUNS = [
    *(make_run("mlp", 1, 2, 30, level(name), keep_final=True) for name in ("O0", "O1", "O2", "O3")),
    make_run("mlp", 1, 2, 30, level("O0", "dynamic")),
    make_run("mlp", 1, 2, 30, level("O2", 128.0)),
    make_run("mlp", 1, 2, 30, level("O3", 128.0)),
    make_run("mlp", 1, 2, 30, level("O3", "dynamic")),
    *(make_run("mlp", 1, 2, 16, level(name, "dynamic"), INJECT) for name in ("O0", "O1", "O2", "O3")),
    *(make_run("mlp", 1, 4, 16, level(name)) for name in ("O0", "O2")),
    make_run("mlp", 2, 2, 30, level("O2")),
    make_run("cnn", 2, 2, 20, level("O0"), keep_final=True),
    make_run("cnn", 2, 2, 20, level("O1"), keep_final=True),
    make_run("cnn", 2, 2, 20, level("O2"), keep_final=True),
    make_run("cnn", 1, 2, 20, level("O2", 128.0)),
]


# ---- Apex on the CPU ----------------------------------------------------------------------


def import_apex(folder):
    """apex.amp from `folder`, on tensors that say they are on a device."""
    import torch

    apex = types.ModuleType("apex")
    apex.__path__ = [os.path.join(folder, "apex")]
    sys.modules["apex"] = apex
    apex.deprecated_warning = lambda text: None
    # Classes that amp names and these runs have none of.
    for package in ("apex.parallel", "apex.contrib", "apex.optimizers"):
        sys.modules[package] = types.ModuleType(package)
        sys.modules[package].__path__ = []
    for module, name in (("apex.optimizers", "FusedSGD"), ("apex.parallel.LARC", "LARC"),
                         ("apex.parallel", "DistributedDataParallel"),
                         ("apex.contrib.optimizers", "FP16_Optimizer")):
        fake = sys.modules.setdefault(module, types.ModuleType(module))
        setattr(fake, name, type(name, (), {}))

    true_type = torch.Tensor.type

    def device_type(self, *args, **kwargs):
        if args or kwargs:
            return true_type(self, *args, **kwargs)
        return true_type(self).replace("torch.", "torch.cuda.")

    torch.Tensor.type = device_type
    torch.Tensor.is_cuda = property(lambda self: True)
    torch.cuda.IntTensor = torch.IntTensor
    torch.cuda.current_device = lambda: 0
    from apex import amp
    from apex.amp import utils

    true_cast = utils.cached_cast

    def cached_cast(cast_fn, x, cache):
        # The parent of a cast is edge 0 of its graph node in today's torch, not edge 1.
        if not utils.is_nested(x) and x in cache:
            cast = cache[x]
            if x.requires_grad and cast.requires_grad:
                assert cast.grad_fn.next_functions[0][0].variable is x
            if not (torch.is_grad_enabled() and x.requires_grad != cast.requires_grad):
                return cast
            del cache[x]
        return true_cast(cast_fn, x, cache)

    utils.cached_cast = cached_cast
    return amp


def make_model(name):
    from torch import nn
    import torch.nn.functional as F

    class MLP(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc1, self.fc2 = nn.Linear(64, 128), nn.Linear(128, 10)

        def forward(self, x):
            return self.fc2(F.relu(self.fc1(x)))

    class CNN(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1, self.bn1 = nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8)
            self.conv2, self.bn2 = nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16)
            self.pool = nn.MaxPool2d(2)
            self.fc = nn.Linear(16 * 2 * 2, 10)

        def forward(self, x):
            x = self.pool(F.relu(self.bn1(self.conv1(x))))
            x = self.pool(F.relu(self.bn2(self.conv2(x))))
            return self.fc(x.flatten(1))

    return {"mlp": MLP, "cnn": CNN}[name]()


def number(value):
    value = float(value)
    return float("%.9g" % value) if math.isfinite(value) else str(value)


def record(folder, run, arrays, pipe):
    """One run, in a process of its own: O1 patches torch itself."""
    import torch
    import torch.nn.functional as F

    torch.set_num_threads(1)
    amp = import_apex(folder)
    model = make_model(run["model"])
    prefix = f"init/{run['model']}-s{run['seed']}/"
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(torch.from_numpy(arrays[prefix + name]))
    optimizer = {"sgd": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
                 "adam": lambda p: torch.optim.Adam(p, lr=2e-3)}[run["optimizer"]](model.parameters())
    names = dict(zip((n for n, _ in model.named_parameters()), range(1000)))
    model, optimizer = amp.initialize(model, optimizer, verbosity=0, **run["initialize"])
    scaler = amp._amp_state.loss_scalers[0]
    parameters = dict(model.named_parameters())

    digits = np.load(os.path.join(HERE, "digits.npz"))
    shape = (-1, 64) if run["model"] == "mlp" else (-1, 1, 8, 8)
    x = torch.from_numpy((digits["images"].reshape(-1, 64) / np.float32(16)).astype(np.float32))
    x, y = x.reshape(shape), torch.from_numpy(digits["labels"].astype(np.int64))
    split = int(digits["n_train"])
    order = arrays[f"order/s{run['seed']}-b{run['batch']}"].astype(np.int64)
    parts = run.get("micro_batches", 1)

    steps = []
    for step in range(run["steps_total"]):
        optimizer.zero_grad()
        losses, before, skipped = [], scaler.loss_scale(), False
        for part, rows in enumerate(order[step].reshape(parts, -1)):
            loss = F.cross_entropy(model(x[rows]).float(), y[rows])
            losses.append(loss.item())
            with amp.scale_loss(loss / parts if parts > 1 else loss, optimizer) as scaled:
                scaled.backward()
                for entry in run.get("inject", []) if part == 0 else []:
                    if entry["step"] == step:
                        gradient = parameters[entry["param"]].grad
                        gradient.view(-1)[entry["index"]] = float(entry["value"])
            skipped |= scaler.dynamic and scaler._has_overflow
        total = None
        if not skipped:
            total = math.sqrt(sum(float((p.grad.double() ** 2).sum())
                                  for p in amp.master_params(optimizer)))
        optimizer.step()
        steps.append([number(np.mean(np.array(losses, np.float32))), before, scaler.loss_scale(),
                      scaler._unskipped, int(skipped), None if total is None else number(total)])

    masters = dict(zip(names, (p.detach() for p in amp.master_params(optimizer))))
    norms = {name: number(p.double().norm()) for name, p in masters.items()}
    model.eval()
    with torch.no_grad():
        outputs = model(x[split:]).float()
    properties = {key: str(value) if isinstance(value, torch.dtype) else value
                  for key, value in amp._amp_state.opt_properties.options.items()}
    result = {**run, "properties": properties, "columns": COLUMNS, "steps": steps,
              "final_master_norm": number(math.sqrt(sum(float((p.double() ** 2).sum())
                                                        for p in masters.values()))),
              "final_master_norms": norms,
              "test_outputs": [[number(v) for v in row] for row in outputs[:8]],
              "test_loss": number(F.cross_entropy(outputs, y[split:])),
              "test_accuracy": number((outputs.argmax(1) == y[split:]).float().mean())}
    finals = {}
    if key := run.get("final_weights_key"):
        finals = {f"{key}/{name}": p.float().numpy() for name, p in masters.items()}
        finals.update({f"{key}/{name}": b.float().numpy() for name, b in model.named_buffers()
                       if not name.endswith("num_batches_tracked")})
    pipe.send((result, finals))


def record_apart(folder, run, arrays):
    receiver, sender = multiprocessing.get_context("spawn").Pipe(False)
    process = multiprocessing.get_context("spawn").Process(
        target=record, args=(folder, run, arrays, sender))
    process.start()
    sender.close()
    result = receiver.recv()
    process.join()
    return result


# ---- Files ------------------------------------------------------------------------------


def check(folder, arrays, ids):
    with open(os.path.join(HERE, "training_apex.json")) as file:
        recorded = {run["id"]: run for run in json.load(file)["runs"]}
    for name in ids:
        run = {key: value for key, value in recorded[name].items()
               if key in ("id", "model", "seed", "optimizer", "optimizer_overrides",
                          "steps_total", "batch", "initialize", "inject", "final_weights_key")}
        result, _ = record_apart(folder, run, arrays)
        wrong = [key for key in ("final_master_norm", "test_outputs", "test_loss", "test_accuracy")
                 if result[key] != recorded[name][key]]
        for step, (got, want) in enumerate(zip(result["steps"], recorded[name]["steps"])):
            if got != want and not wrong:
                wrong.append(f"step {step}: {got}, recorded {want}")
        print(name, "differs in " + ", ".join(wrong) if wrong else "is the same")


def render(tolerances, results):
    """The file's text: what amp-run allows the runs is not recorded but decided, so it is
    kept as it stands."""
    def lines(values, **options):
        return ",\n".join(json.dumps(value, **options) for value in values)

    return ('{\n"what": "Apex AMP training runs on digits that accumulate gradients; '
            'made by record_micro_batches.py",\n'
            f'"tolerances": [\n{lines(tolerances)}\n],\n'
            f'"runs": [\n{lines(results, separators=(",", ":"))}\n]\n}}\n')


def main():
    folder, *options = sys.argv[1:]
    with np.load(WEIGHTS) as archive:
        arrays = {name: archive[name] for name in archive.files}
    if options:
        check(folder, arrays, ["mlp-s1-O0-sgd", "mlp-s1-O1-sgd", "mlp-s1-O2-sgd", "mlp-s1-O3-ls128.0-sgd",
                               "cnn-s2-O2-adam", "mlp-s1-O2-lsdynamic-sgd-inj5inf+17nan+18-inf"])
        return
    for seed in (1, 2):
        rows = arrays[f"order/s{seed}-b{ROWS}"]
        for parts in (2, 4):
            # Consecutive recorded batches make one step.
            steps = len(rows) // parts
            arrays[f"order/s{seed}-b{parts * ROWS}"] = rows[:steps * parts].reshape(steps, -1)
    path = os.path.join(HERE, "training_apex_micro.json")
    results = []
    for run in RUNS:
        result, finals = record_apart(folder, run, arrays)
        arrays.update(finals)
        results.append(result)
        print(run["id"], result["steps"][-1], flush=True)
    with open(path) as file:
        text = render(json.load(file)["tolerances"], results)
    with open(path, "w") as file:
        file.write(text)
    np.savez_compressed(WEIGHTS, **arrays)


if __name__ == "__main__":
    main()
