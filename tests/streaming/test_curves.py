import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from abotn.streaming.curves import FIGURES, ranking_figures, undefined_reason
from abotn.streaming.known_answers import exact_answer


def levels_of(scores, labels):
    """Counts per distinct score, by plain counting."""
    pairs, distinct = list(zip(scores, labels, strict=True)), sorted(set(scores))
    pos = [pairs.count((score, True)) for score in distinct]
    neg = [pairs.count((score, False)) for score in distinct]
    return np.array(pos), np.array(neg)


def test_an_example_by_hand():
    # Scores 1 2 2 3 4, labels 0 1 0 0 1. Pairs won: the positive 4 beats 3 negatives, the
    # positive 2 beats one and ties one: (3 + 1.5) / 6. Precisions from the top: 1 at recall 1/2
    # (score 4), 1/2 (score 3), then 1/2 at recall 1 (scores 2), 2/5.
    pos, neg = np.array([0, 1, 0, 1]), np.array([1, 1, 1, 0])
    figures = ranking_figures(pos, neg)
    assert figures["auroc"] == pytest.approx(4.5 / 6)
    assert figures["ap"] == pytest.approx(0.5 * 1 + 0.5 * 0.5)
    assert figures["aupr"] == pytest.approx(0.5 * 1 + 0.5 * (0.5 + 0.5) / 2)
    assert figures["fpr95"] == pytest.approx(2 / 3)


small = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=1, max_size=60)


@given(small)
@settings(max_examples=150)
def test_figures_equal_exact_fractions(pairs):
    scores, labels = zip(*pairs, strict=True)
    expected = exact_answer((float(s), y) for s, y in pairs)
    figures = ranking_figures(*levels_of(scores, labels))
    for name in FIGURES:
        if expected[name] is None:
            assert np.isnan(figures[name])
        else:
            assert figures[name] == pytest.approx(expected[name], abs=1e-12)


@given(small.filter(lambda pairs: len({y for _, y in pairs}) == 2))
@settings(max_examples=100)
def test_fractions_equal_scikit_learn(pairs):
    scores, labels = zip(*pairs, strict=True)
    answer = exact_answer((float(s), y) for s, y in pairs)
    precision, recall, _ = metrics.precision_recall_curve(labels, scores)
    fpr, tpr, _ = metrics.roc_curve(labels, scores, drop_intermediate=False)
    assert answer["auroc"] == pytest.approx(metrics.roc_auc_score(labels, scores))
    assert answer["ap"] == pytest.approx(metrics.average_precision_score(labels, scores))
    assert answer["aupr"] == pytest.approx(metrics.auc(recall, precision))
    assert answer["fpr95"] == pytest.approx(fpr[np.argmax(tpr >= 0.95)])


@pytest.mark.parametrize("n_pos", [19, 20, 21, 100, 1000])
def test_fpr95_is_met_by_exactly_19_of_20(n_pos):
    # Positives at distinct heights, one negative just below each: the highest threshold that
    # keeps 95 % of the positives is the ceil(0.95 n)-th, with one negative fewer above it.
    pos, neg = np.tile([0, 1], n_pos), np.tile([1, 0], n_pos)
    needed = -(-19 * n_pos // 20)
    assert ranking_figures(pos, neg)["fpr95"] == (needed - 1) / n_pos


def test_empty_levels_change_nothing():
    pos, neg = np.array([1, 0, 3, 2]), np.array([4, 2, 0, 1])
    spread = np.zeros((2, 40), int)
    spread[:, [3, 9, 20, 31]] = pos, neg
    dense, sparse = ranking_figures(pos, neg), ranking_figures(*spread)
    for name in FIGURES:
        assert dense[name] == pytest.approx(sparse[name], abs=1e-15)


def test_rows_are_figured_one_by_one():
    rng = np.random.default_rng(0)
    pos, neg = rng.integers(0, 5, (7, 30)), rng.integers(0, 5, (7, 30))
    pos[3] = 0
    together = ranking_figures(pos, neg)
    for i in range(7):
        alone = ranking_figures(pos[i], neg[i])
        for name in FIGURES:
            assert together[name][i] == alone[name] or (i == 3 and np.isnan(together[name][i]))


@pytest.mark.parametrize(("pos", "neg"), [([0, 0], [1, 2]), ([3, 0], [0, 0]), ([0], [0]), ([], [])])
def test_one_class_alone_is_undefined(pos, neg):
    figures = ranking_figures(np.array(pos), np.array(neg))
    assert all(np.isnan(figures[name]) for name in FIGURES)
    assert undefined_reason(sum(pos), sum(neg)) is not None


def test_reasons():
    assert undefined_reason(3, 4) is None
    assert undefined_reason(0, 4) == "no positives among 4"
    assert undefined_reason(3, 0) == "no negatives among 3"
    assert undefined_reason(0, 0) == "no scores"
