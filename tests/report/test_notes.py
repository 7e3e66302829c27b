from abotn.report import ReportOptions, build_report
from abotn.report.significance import PairedTest, Significance
from abotn.results.types import EvaluationResult, GroupResult


def notes_of(report):
    return [note for table in report.tables for note in table.notes] + list(report.notes)


def replaced(result, **fields):
    return EvaluationResult(**{**vars(result), **fields})


def test_a_modified_protocol_is_marked_with_what_was_modified(three_runs):
    note = "† straight_line: modified protocol pointbench-outdoor (arrive_threshold = 1.0)."
    report = build_report(three_runs)
    assert all(note in table.notes for table in report.tables)
    assert not any("†" in note for note in notes_of(build_report(three_runs[::2])))


def test_runs_that_are_hard_to_compare_are_named(make):
    one = make.evaluation()
    protocol = {"name": "strict", "values": {"arrive_threshold": 0.5}, "modified": []}
    other = make.with_provenance(
        one, protocol=protocol, dataset={"fingerprint": "f" * 64}, on_error="exclude"
    )
    bare = make.with_provenance(one, protocol=None)
    notes = build_report([("a", one), ("b", other), ("c", bare)]).tables[0].notes
    care = "Compare with care, the runs have different"
    assert f"{care} protocols: pointbench-outdoor (a); strict (b); unknown (c)." in notes
    assert f"{care} data sets: 0123456789ab (a, c); ffffffffffff (b)." in notes
    policy = "treatments of records that ended as errors: failure (a, c); exclude (b)."
    assert f"{care} {policy}" in notes


def test_other_values_under_one_protocol_are_named(make):
    changed = make.modified(make.evaluation(), require_stop=True)
    notes = build_report([("a", make.evaluation()), ("b", changed)]).tables[0].notes
    assert (
        "Compare with care, the runs have different values of require_stop "
        "under pointbench-outdoor: no (a); yes (b)." in notes
    )


def test_other_parameters_of_a_metric_are_named(make):
    one, other = make.evaluation(), make.evaluation()
    strict = make.metric("success_new", 0.5, parameters={"collision_threshold": 1})
    other = replaced(other, metrics=(other.metrics[0], strict))
    notes = build_report([("a", one), ("b", other)]).tables[0].notes
    assert (
        "Compare with care, the runs have different parameters of success_new: "
        "collision_threshold = 3 (a); collision_threshold = 1 (b)." in notes
    )
    assert "Parameters of success_new in a: collision_threshold = 3." in notes


def test_runs_alike_in_everything_need_no_care(make):
    report = build_report([("a", make.evaluation(0.5)), ("b", make.evaluation(0.25))])
    assert not any("care" in note for note in notes_of(report))


def test_intervals_are_explained(three_runs):
    notes = build_report(three_runs).tables[0].notes
    assert "Intervals of success, success_new: 95 % Wilson score over records." in notes
    assert (
        "Intervals of collision_length: 95 % BCa bootstrap, 10000 resamples of records, seed 0."
        in notes
    )
    silent = build_report(three_runs, ReportOptions(intervals="none"))
    assert not any("ntervals" in note for note in notes_of(silent))
    assert not any(cell.interval for t in silent.tables for row in t.rows for cell in row.cells)


def test_what_is_odd_about_an_interval_is_said(make):
    def run(count):
        flat = make.interval(
            1.0, 1.0, "t", resampled="episode_id", degenerate=True, note="all units are equal"
        )
        noted = make.interval(0.0, 0.5, note=f"{count} values in 5 clusters count as 9.")
        metrics = (
            make.metric("success", 1.0, flat),
            make.metric("spl_new", 0.25, noted),
            make.metric("tcr_new", 0.5, ci_reason="one record"),
            make.metric("dcr_new", 0.5),
        )
        return replaced(make.evaluation(groups={}), metrics=metrics)

    table = build_report([("a", run(40)), ("b", run(20))]).tables[0]
    assert table.rows[0].cells[1].plain == "1.000 [1.000, 1.000]‡"
    assert list(table.notes) == [
        "Intervals of success: 95 % Student's t over scenes.",
        "Intervals of spl_new: 95 % Wilson score over records.",
        "Intervals of spl_new: 20 to 40 values in 5 clusters count as 9.",
        "No interval of tcr_new: one record.",
        "No interval of dcr_new: none was asked for.",
        "‡ All values are equal, so the records say little about the spread.",
    ]


def test_nothing_is_left_out_in_silence(make):
    metrics = (
        make.metric("success", 0.5, error_count=2),
        make.metric("spl_new", 0.5, undefined_count=3),
    )
    result = make.with_provenance(
        make.evaluation(skipped={"ndtw": "needs trajectory", "sdtw": "needs trajectory"}),
        on_error="exclude",
        excluded_scenes={"park3": 12},
    )
    runs = [("a", replaced(result, metrics=metrics)), ("b", make.evaluation(damaged=()))]
    report = build_report(runs)
    notes = report.tables[0].notes
    assert "Records that ended as errors and count as failures of success in a: 2 of 40." in notes
    assert "Records without a value of spl_new in a: 3 of 40." in notes
    assert list(report.notes) == [
        "Scenes left out (a): park3 (12 records).",
        "Records that ended as errors, left out (a): 2.",
        "Damaged records, left out (a): park/traj_1/result.json: not valid JSON.",
        "Metrics that cannot be computed (a): ndtw, sdtw (needs trajectory).",
    ]
    asked = build_report(runs, ReportOptions(metrics=("success",)))
    assert not any("cannot be computed" in note for note in asked.notes)


def test_many_skipped_metrics_are_counted(make):
    skipped = {f"m{i}": "needs x" for i in range(9)}
    notes = build_report([("a", make.evaluation(skipped=skipped, damaged=()))]).notes
    assert notes == (
        "Metrics that cannot be computed: 9, each with its reason in the evaluation's skipped.",
    )


def test_remarks_on_intervals_stand_only_under_the_first_table(make):
    noted = make.interval(0.0, 0.5, note="few units")
    metrics = (make.metric("success", 0.25, noted), make.metric("other", 0.25, noted))
    report = build_report([("a", replaced(make.evaluation(groups={}), metrics=metrics))])
    assert "Intervals: few units." in report.tables[0].notes
    assert not any("few units" in note for note in report.tables[1].notes)


def test_many_damaged_records_are_counted(make):
    damaged = tuple({"path": f"p{i}", "reason": "r"} for i in range(7))
    (note,) = build_report([("a", make.evaluation(damaged=damaged))]).notes
    assert note.endswith("p4: r; and 2 more.")


def test_metrics_of_plugins_name_their_distribution(make):
    source = {"distribution": "abotn-x", "version": "0.1"}
    metrics = (
        make.metric("success", 0.5, source={**source, "overrides": "abotn 1.0"}),
        make.metric("detour", 0.5, source=source),
    )
    report = build_report([("a", replaced(make.evaluation(groups={}), metrics=metrics))])
    overridden = "Source: abotn-x 0.1, in place of the definition of abotn 1.0."
    assert overridden in report.tables[0].notes
    assert "Source: abotn-x 0.1." in report.tables[1].notes


def test_significant_differences_are_marked_and_explained(three_runs):
    tests = {
        ("planner", "success"): PairedTest(0.01, "mcnemar_exact", "40 tasks"),
        ("planner", "success_new"): PairedTest(0.2, "mcnemar_exact", "40 tasks"),
        ("straight_line", "success"): PairedTest(0.03, "mcnemar_exact", "38 tasks"),
    }
    found = Significance("random", tests)
    main = build_report(three_runs, ReportOptions(significance=found)).tables[0]
    assert [cell.mark for cell in main.rows[0].cells] == ["", "*", "", ""]
    assert main.rows[0].cells[1].plain == "0.938* [0.813, 1.000]"
    assert main.rows[1].cells[1].mark == ""
    assert main.caption.endswith(
        "* differs from random: p below 0.05 after Holm's correction for the 3 paired tests of "
        "this table."
    )
    assert "Tests against random: exact McNemar test, 38 to 40 tasks that both have." in (
        main.notes
    )


def with_run(make, result, **facts):
    """The evaluation of a run whose protocol lets a task take 100 steps."""
    protocol = result.provenance["protocol"]
    protocol = {**protocol, "values": {**protocol["values"], "default_max_steps": 100}}
    run = {"max_steps": 100, "attempts": 1, "renderer": {"kind": "none"}, **facts}
    return make.with_provenance(result, protocol=protocol, run=run)


def test_fewer_steps_than_the_protocol_gives_are_a_modification(make):
    whole, short = (with_run(make, make.evaluation(), max_steps=n) for n in (100, 8))
    report = build_report([("whole", whole), ("short", short)])
    note = "† short: modified protocol pointbench-outdoor (max_steps = 8 instead of 100)."
    assert all(note in table.notes for table in report.tables)
    assert [row.cells[0].text for row in report.tables[0].rows] == ["whole", "short†"]
    assert report.tables[-1].rows[1].cells[1].text == "pointbench-outdoor (modified)"
    care = "Compare with care, the runs have different values of max_steps: 100 (whole); 8 (short)."
    assert care in report.tables[0].notes


def test_steps_under_an_overridden_default_are_named_once(make):
    protocol = make.modified(make.evaluation(), default_max_steps=60).provenance["protocol"]
    run = {"max_steps": 60}
    result = make.with_provenance(make.evaluation(), protocol=protocol, run=run)
    (note,) = [note for note in notes_of(build_report([("a", result)])) if note[0] == "†"][:1]
    assert note == "† a: modified protocol pointbench-outdoor (default_max_steps = 60)."


def test_runs_of_other_attempts_or_renderers_are_hard_to_compare(make):
    one = with_run(make, make.evaluation(), seed=0)
    other = with_run(
        make, make.evaluation(), seed=1, attempts=3, renderer={"kind": "http", "url": "http://x"}
    )
    notes = build_report([("a", one), ("b", other), ("c", make.evaluation())]).tables[0].notes
    care = "Compare with care, the runs have different"
    assert f"{care} numbers of attempts per task: 1 (a); 3 (b)." in notes
    assert f"{care} renderers: none (a); http (b)." in notes
    assert not any(" max_steps: " in note or "seed:" in note for note in notes)


def test_a_table_of_groups_says_which_metric_has_which_method(make):
    scenes = {"resampled": "episode_id"}
    metrics = (
        make.metric("success", 0.5, make.interval(0.25, 0.75, **scenes)),
        make.metric("spl_new", 0.5, make.interval(0.25, 0.75, **scenes)),
        make.metric("collision_length", 0.5, make.interval(0.25, 0.75, "bca", **scenes), unit="m"),
    )
    groups = {"scene": (GroupResult("hall", 40, metrics),)}
    report = build_report([("a", replaced(make.evaluation(groups=groups), metrics=metrics))])
    notes = next(table for table in report.tables if table.key == "by-scene").notes
    assert notes[:2] == (
        "Intervals of success, spl_new: 95 % Wilson score over scenes.",
        "Intervals of collision_length: 95 % BCa bootstrap over scenes.",
    )
    assert (
        "Intervals of collision_length: 95 % BCa bootstrap, 10000 resamples of scenes, seed 0."
        in (report.tables[0].notes)
    )


def test_notes_name_other_clusters_by_their_column(make):
    ci = make.interval(0.25, 0.75, "percentile", resampled="weather")
    result = replaced(make.evaluation(groups={}), metrics=(make.metric("success", 0.5, ci),))
    (note,) = build_report([("a", result)]).tables[0].notes[:1]
    assert note == "Intervals: 95 % percentile bootstrap over groups by weather."


def baseline_notes(make, units, metrics):
    runs = [(name, make.evaluation()) for name in ("a", "b")]
    tests = {
        ("a", name): PairedTest(0.03125, "sign_flip_exact", "30 tasks", "episode_id", units)
        for name in metrics
    }
    options = ReportOptions(metrics=tuple(metrics), significance=Significance("b", tests))
    return build_report(runs, options).tables[0].notes


def test_marks_against_a_baseline_name_the_scenes_that_were_flipped(make):
    notes = baseline_notes(make, 6, ["success", "success_new"])
    text = "sign-flip test over all patterns of 6 scenes, 30 tasks that both have."
    assert f"Tests against b: {text}" in notes
    assert (
        "6 scenes allow no p below 0.031, so nothing can stand out among 2 tests: "
        "compare fewer metrics, or more scenes." in notes
    )
    assert not any("stand out" in note for note in baseline_notes(make, 6, ["success"]))
    assert not any("stand out" in note for note in baseline_notes(make, 9, ["success"]))


def test_a_metric_of_two_methods_names_the_runs_of_each(make):
    def run(method):
        metrics = (
            make.metric("success", 0.5, make.interval(0.25, 0.75)),
            make.metric("spl_new", 0.5, make.interval(0.25, 0.75, method)),
        )
        return replaced(make.evaluation(groups={}), metrics=metrics)

    notes = build_report([("a", run("wilson")), ("b", run("t"))]).tables[0].notes
    assert notes[:2] == (
        "Intervals of success, spl_new (a): 95 % Wilson score over records.",
        "Intervals of spl_new (b): 95 % Student's t over records.",
    )


def test_runs_modified_alike_share_a_line(make):
    runs = [(name, make.modified(make.evaluation(), require_stop=True)) for name in "ab"]
    notes = build_report(runs).tables[0].notes
    assert [note for note in notes if "†" in note] == [
        "† a, b: modified protocol pointbench-outdoor (require_stop = yes)."
    ]
