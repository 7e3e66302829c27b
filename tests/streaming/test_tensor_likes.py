import numpy as np
import pytest

from abotn.errors import EvaluationInputError
from abotn.streaming import (
    PixelEvaluator,
    PointEvaluator,
    ScenarioEvaluator,
    SensorEvaluator,
    TimestepEvaluator,
)


class DeviceTensor:
    """Numbers that numpy cannot see before they were detached and brought to the host."""

    def __init__(self, values, moves, *, where="device", grad=True, narrow=True):
        self.values, self.moves = np.asarray(values), moves
        self.where, self.grad, self.narrow = where, grad, narrow

    def _with(self, **changes):
        state = {"where": self.where, "grad": self.grad, "narrow": self.narrow, **changes}
        return DeviceTensor(self.values, self.moves, **state)

    def detach(self):
        return self._with(grad=False)

    def cpu(self):
        self.moves.append(self.values.shape)
        return self._with(where="host")

    def float(self):
        return self._with(narrow=False)

    def numpy(self):
        if self.grad or self.where != "host":
            raise RuntimeError("cannot be converted")
        if self.narrow:
            raise TypeError("no such type in numpy")
        return self.values

    def __array__(self, *_, **__):
        raise RuntimeError("cannot be converted")

    def __len__(self):
        return len(self.values)

    def __getitem__(self, key):
        return DeviceTensor(self.values[key], self.moves)


def test_a_batch_is_brought_over_once(layout):
    scenario, moves = layout.anomaly(), []
    layout.mask(scenario, 0, [[1, 0]])
    evaluator = PixelEvaluator("front")
    scores = DeviceTensor([[[2.0, 1.0]], [[0.0, 0.5]], [[0.0, 0.0]]], moves)
    evaluator.update(scores, [scenario] * 3, [0, 1, 2])
    assert moves == [(3, 1, 2)]
    assert evaluator.compute()["auroc"] == 1.0


def test_clouds_are_brought_over_one_by_one_or_together(layout):
    scenario, moves = layout.anomaly(), []
    layout.points(scenario, 0, [True, False])
    evaluator = PointEvaluator()
    clouds = [DeviceTensor([2.0, 1.0], moves), DeviceTensor([0.0], moves)]
    evaluator.update(clouds, [scenario] * 2, [0, 1])
    evaluator.update(DeviceTensor([[0.0, 0.5]], moves), [scenario], [2])
    assert moves == [(2,), (1,), (1, 2)]
    assert evaluator.compute()["auroc"] == 1.0


@pytest.mark.parametrize("make", [TimestepEvaluator, lambda: SensorEvaluator("front")])
def test_scores_and_timestep_numbers_may_be_tensors(layout, make):
    scenario, moves = layout.anomaly(), []
    layout.timesteps(scenario, [False, True, False, True])
    layout.sensor(scenario, "front", [False, True, False, True])
    evaluator = make()
    timesteps = DeviceTensor([0, 1], moves, narrow=False)
    evaluator.update(DeviceTensor([0.1, 0.9], moves), [scenario] * 2, timesteps)
    evaluator.update([DeviceTensor(0.3, moves), DeviceTensor([0.8], moves)], [scenario] * 2, [2, 3])
    assert evaluator.compute()["auroc"] == 1.0
    assert evaluator.to_dataframe()["score"].tolist() == [0.1, 0.9, 0.3, 0.8]


def test_a_scenario_score_may_be_a_tensor():
    evaluator = ScenarioEvaluator()
    evaluator.update(DeviceTensor(0.5, []), "/data/test/normal/Town01/0")
    assert evaluator.to_dataframe()["score"].tolist() == [0.5]


def test_a_tensor_of_another_shape_is_named(layout):
    with pytest.raises(EvaluationInputError, match=r"pixel_scores: expected shape \(B, H, W\)"):
        PixelEvaluator("front").update(DeviceTensor([[1.0]], []), [layout.normal()], [0])


def test_tensors_of_torch(layout):
    torch = pytest.importorskip("torch", reason="torch is no dependency")
    scenario = layout.anomaly()
    layout.mask(scenario, 0, [[1, 0]])
    layout.timesteps(scenario, [False, True])
    scores = torch.tensor([[[2.0, 1.0]]], requires_grad=True)
    for batch in (scores, scores.to(torch.bfloat16), scores.half()):
        evaluator = PixelEvaluator("front")
        evaluator.update(batch, [scenario], torch.tensor([0]))
        assert evaluator.compute()["auroc"] == 1.0
    steps = TimestepEvaluator()
    steps.update(torch.tensor([0.1, 0.9]), [scenario] * 2, torch.tensor([0, 1]))
    steps.update([torch.tensor(0.1), torch.tensor([0.9])], [scenario] * 2, [0, 1])
    assert steps.compute()["auroc"] == 1.0
