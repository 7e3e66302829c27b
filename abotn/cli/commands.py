"""The commands by name: where each lives, and its line in the help. Imports nothing."""

COMMANDS = {
    "demo": (
        "abotn.cli.demo_command:demo",
        "Roll three agents out on generated scenes, and report.",
    ),
    "run": ("abotn.cli.run_command:run", "Roll an agent out over a dataset."),
    "watch": ("abotn.cli.watch_command:watch", "Show a run that is going on."),
    "evaluate": ("abotn.cli.evaluate_command:evaluate", "Score the records of a run."),
    "report": ("abotn.cli.report_command:report", "Write tables of one or several runs."),
    "plot": ("abotn.cli.plot_command:plot", "Draw pictures of runs for papers and pages."),
    "compare": ("abotn.cli.compare_command:compare", "Compare runs over the tasks they share."),
    "gate": ("abotn.cli.gate_command:gate", "Pass or fail an evaluation, for CI."),
    "power": ("abotn.cli.power_command:power", "Plan how many tasks would show a difference."),
    "history": (
        "abotn.cli.history_command:history",
        "List a metric, evaluation by evaluation.",
    ),
    "log": ("abotn.cli.log_command:log", "Log an evaluation to W&B, MLflow or TensorBoard."),
    "anomaly": ("abotn.cli.anomaly_command:anomaly", "Evaluate anomaly scores in files."),
    "scenes": ("abotn.cli.scenes_command:scenes", "Generate, convert and check scenes."),
    "metrics": ("abotn.cli.metrics_command:metrics", "List and describe metrics and groupings."),
    "plugins": ("abotn.cli.plugins_command:plugins", "List the installed plugins."),
    "doctor": ("abotn.cli.doctor_command:doctor", "Check an agent or a render server."),
    "serve-render": ("abotn.cli.serve_render_command:serve_render", "Serve views over HTTP."),
    "serve-agent": ("abotn.cli.serve_agent_command:serve_agent", "Serve an agent over HTTP."),
    "validate": ("abotn.cli.validate_command:validate", "Check files against their schemas."),
}

SUMMARY = "How good is this navigation agent, and how sure are we?"


def help_text() -> str:
    """Return the text of ``abotn --help``."""
    width = max(map(len, COMMANDS)) + 2
    rows = "\n".join(f"  {name:<{width}}{line}" for name, (_, line) in COMMANDS.items())
    return (
        f"Usage: abotn [OPTIONS] COMMAND [ARGS]...\n\n  {SUMMARY}\n\n"
        "Options:\n"
        "  --version  Show the version and exit.\n"
        "  --debug    Show the traceback of an error.\n"
        "  --help     Show this message and exit.\n\n"
        f"Commands:\n{rows}\n\n"
        "Help on one command: abotn COMMAND --help\n"
    )
