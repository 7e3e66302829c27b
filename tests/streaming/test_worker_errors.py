import threading
import time
from concurrent.futures import Future

import numpy as np
import pytest

from abotn.errors import DataError, EvaluationInputError
from abotn.streaming import PixelEvaluator, PointEvaluator
from abotn.streaming.workers import BoundedWorkers

SCORES = np.zeros((1, 4, 4), np.float32)


def our_threads():
    return [t for t in threading.enumerate() if t.name.startswith("abotn-streaming")]


def raised_by(evaluator, scores, scenario, timestep):
    """The error of a bad timestep, whichever of update and compute meets it."""
    evaluator.update(scores, [scenario], [timestep])
    with pytest.raises((DataError, EvaluationInputError)) as caught:
        evaluator.compute()
    return caught


def test_a_mask_of_another_shape_is_named(layout):
    scenario = layout.anomaly()
    path = layout.mask(scenario, 3, np.ones((5, 4)))
    caught = raised_by(PixelEvaluator("front"), SCORES, scenario, 3)
    assert caught.type is DataError
    assert str(path) in str(caught.value)
    assert "the mask has shape (5, 4), the score map (4, 4)" in str(caught.value)
    assert "timestep 3" in str(caught.value)


def test_a_damaged_mask_is_named(layout):
    scenario = layout.anomaly()
    path = layout.mask(scenario, 0, np.ones((4, 4)))
    path.write_bytes(b"no image")
    assert str(path) in str(raised_by(PixelEvaluator("front"), SCORES, scenario, 0).value)


def test_a_point_count_that_differs_from_its_labels_is_named(layout):
    scenario = layout.anomaly()
    path = layout.points(scenario, 4, [True, False])
    caught = raised_by(PointEvaluator(), [np.zeros(3)], scenario, 4)
    assert str(path) in str(caught.value)
    assert "2 labels for 3 point scores" in str(caught.value)


@pytest.mark.parametrize("exact", [False, True])
def test_nan_scores_name_scenario_timestep_and_count(layout, exact):
    scores = SCORES.copy()
    scores[0, 1, :3] = np.nan
    caught = raised_by(PixelEvaluator("front", exact=exact), scores, layout.normal(), 7)
    assert f"{layout.normal()} timestep 7: 3 NaN scores" in str(caught.value)
    assert 'nan_policy="omit"' in str(caught.value)


@pytest.mark.parametrize("exact", [False, True])
def test_nan_scores_can_be_left_out_and_are_counted(layout, exact):
    scenario = layout.anomaly()
    layout.mask(scenario, 0, [[1, 1, 0, 0]])
    evaluator = PixelEvaluator("front", exact=exact, nan_policy="omit")
    evaluator.update(np.array([[[np.nan, 3.0, np.nan, 1.0]]]), [scenario], [0])
    evaluator.update(np.full((1, 1, 2), np.nan), [layout.normal()], [0])
    figures = evaluator.compute()
    assert (figures["n_nan"], figures["n_positive"], figures["n_negative"]) == (4, 1, 1)
    assert figures["auroc"] == 1.0


def test_after_an_error_threads_have_ended_and_the_rest_counts(layout):
    good, bad = layout.normal(), layout.anomaly()
    layout.mask(bad, 1, np.ones((2, 2)))
    evaluator = PixelEvaluator("front", num_workers=4)
    evaluator.update(np.repeat(SCORES, 3, axis=0), [good, bad, good], [0, 1, 2])
    with pytest.raises(DataError):
        evaluator.compute()
    assert our_threads() == []
    assert evaluator.compute()["n_timesteps"] == 2
    evaluator.update(SCORES, [good], [3])
    assert evaluator.compute()["n_samples"] == 3 * 16
    assert our_threads() == []


def test_update_raises_the_error_of_an_earlier_batch_and_takes_nothing(layout):
    bad, evaluator = layout.anomaly(), PixelEvaluator("front")
    layout.mask(bad, 0, np.ones((2, 2)))
    evaluator.update(SCORES, [bad], [0])
    while not evaluator._workers._jobs[0].done():
        time.sleep(0.001)
    with pytest.raises(DataError, match="the mask has shape"):
        evaluator.update(SCORES, [layout.normal()], [0])
    assert our_threads() == []
    assert evaluator.compute()["n_timesteps"] == 0


def test_several_errors_raise_the_earliest_and_count_the_others(layout):
    bad, evaluator = layout.anomaly(), PixelEvaluator("front")
    for timestep in range(3):
        layout.mask(bad, timestep, np.ones((2, 2)))
    evaluator.update(np.repeat(SCORES, 3, axis=0), [bad] * 3, [0, 1, 2])
    with pytest.raises(DataError, match=r"000000\.png.*2 more timesteps failed"):
        evaluator.compute()


def test_reset_forgets_errors_that_were_not_met(layout):
    bad, evaluator = layout.anomaly(), PixelEvaluator("front")
    layout.mask(bad, 0, np.ones((2, 2)))
    evaluator.update(SCORES, [bad], [0])
    evaluator.reset()
    assert evaluator.compute()["n_timesteps"] == 0
    assert our_threads() == []


def test_a_transform_that_breaks_names_the_timestep(layout):
    def breaks(values):
        if values.size == 16:
            raise ZeroDivisionError("by design")
        return values

    evaluator = PixelEvaluator("front", score_transform=breaks)
    caught = raised_by(evaluator, SCORES, layout.normal(), 5)
    assert "timestep 5" in str(caught.value)
    assert "ZeroDivisionError: by design" in str(caught.value)


def test_no_more_jobs_are_held_than_may_be_in_flight():
    held, most, lock = 0, 0, threading.Lock()

    def prepare():
        nonlocal held, most
        with lock:
            held, most = held + 1, max(most, held + 1)

    def job(_):
        nonlocal held
        time.sleep(0.002)
        with lock:
            held -= 1

    workers = BoundedWorkers(num_workers=8, max_inflight=3)
    for _ in range(40):
        workers.submit(job, prepare)
    workers.join()
    assert most == 3
    assert held == 0


def test_a_copy_that_fails_gives_its_place_back():
    workers = BoundedWorkers(num_workers=1, max_inflight=1)

    def prepare():
        raise MemoryError

    for _ in range(3):
        with pytest.raises(MemoryError):
            workers.submit(lambda _: None, prepare)
    workers.submit(lambda _: None, lambda: None)
    workers.join()


def test_errors_that_are_not_ours_keep_their_type():
    workers = BoundedWorkers(num_workers=1, max_inflight=2)
    for _ in range(2):
        workers.submit(lambda _: 1 / 0, lambda: None)
    with pytest.raises(ZeroDivisionError):
        workers.join()
    workers.join()


class Failing(Future):
    """A job that fails just after it was asked whether it is done."""

    def done(self):
        was_done = super().done()
        if not was_done:
            self.set_exception(DataError("failed meanwhile"))
        return was_done


def test_a_job_that_fails_while_the_others_are_looked_at_is_not_lost():
    workers = BoundedWorkers(num_workers=1, max_inflight=1)
    workers._jobs.append(Failing())
    workers.check()
    with pytest.raises(DataError, match="failed meanwhile"):
        workers.check()
    workers._jobs.append(Failing())
    workers.check()
    with pytest.raises(DataError, match="failed meanwhile"):
        workers.join()


def test_finished_jobs_are_dropped():
    workers = BoundedWorkers(num_workers=1, max_inflight=2)
    for _ in range(3):
        workers.submit(lambda _: None, lambda: None)
    for job in workers._jobs:
        job.result()
    workers.check()
    assert workers._jobs == []
    workers.join()


@pytest.mark.parametrize("exact", [False, True])
def test_a_timestep_counts_once(layout, exact):
    scenario = layout.normal()
    evaluator, other = (PixelEvaluator("front", num_workers=1, exact=exact) for _ in range(2))
    evaluator.update(SCORES, [scenario], [3])
    for batch in (([scenario], [3]), ([scenario + "/"] * 2, [4, 3]), ([scenario] * 2, [5, 5])):
        with pytest.raises(EvaluationInputError, match=r"scenario-0/? timestep \d: scored twice"):
            evaluator.update(np.repeat(SCORES, len(batch[0]), axis=0), *batch)
    assert evaluator.compute()["n_timesteps"] == 1
    other.update(np.repeat(SCORES, 2, axis=0), ["/mnt" + scenario] * 2, [3, 4])
    with pytest.raises(EvaluationInputError, match="scenario-0 timestep 3: scored twice"):
        evaluator.merge(other)
    assert evaluator.compute()["n_timesteps"] == 1
    other.load_state_dict(evaluator.state_dict())
    with pytest.raises(EvaluationInputError, match="scored twice"):
        other.update(SCORES, [scenario], [3])
    other.reset()
    other.update(SCORES, [scenario], [3])
    assert other.compute()["n_timesteps"] == 1


def test_a_timestep_that_failed_may_come_again(layout):
    scenario, evaluator = layout.anomaly(), PixelEvaluator("front", num_workers=1)
    layout.mask(scenario, 0, np.ones((2, 2)))
    evaluator.update(SCORES, [scenario], [0])
    with pytest.raises(DataError):
        evaluator.compute()
    layout.mask(scenario, 0, np.ones((4, 4)))
    evaluator.update(SCORES, [scenario], [0])
    assert evaluator.compute()["n_positive"] == 16


def test_a_batch_that_cannot_be_copied_may_come_again(layout, monkeypatch):
    evaluator = PixelEvaluator("front", num_workers=1)
    with monkeypatch.context() as patch:
        patch.setattr("abotn.streaming.sample._copy", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            evaluator.update(np.repeat(SCORES, 2, axis=0), [layout.normal()] * 2, [0, 1])
    evaluator.update(np.repeat(SCORES, 2, axis=0), [layout.normal()] * 2, [0, 1])
    assert evaluator.compute()["n_timesteps"] == 2


def test_a_far_timestep_takes_no_room(layout):
    evaluator = PointEvaluator(num_workers=1)
    evaluator.update([[0.5]], [layout.normal()], [10**12])
    state = evaluator.state_dict()
    assert [times.tolist() for times in state["seen"].values()] == [[10**12]]


def test_an_error_of_a_transform_names_the_timestep(layout):
    evaluator = PixelEvaluator("front", score_transform=np.log, score_range=(-5, 5))
    caught = raised_by(evaluator, SCORES - 1, layout.normal(), 5)
    assert "timestep 5: score_transform: score_transform gave NaN" in str(caught.value)


def test_a_damaged_state_keeps_an_error_that_was_not_met(layout):
    bad, evaluator = layout.anomaly(), PixelEvaluator("front")
    layout.mask(bad, 0, np.ones((2, 2)))
    state = evaluator.state_dict()
    evaluator.update(SCORES, [bad], [0])
    with pytest.raises(DataError, match="damaged"):
        evaluator.load_state_dict({**state, "store": {}})
    with pytest.raises(DataError, match="the mask has shape"):
        evaluator.compute()
    evaluator.update(SCORES, [bad], [0])
    evaluator.load_state_dict(state)
    assert evaluator.compute()["n_timesteps"] == 0
