from pathlib import Path

import numpy as np
import pyarrow
import pytest
from PIL import Image
from pyarrow import feather

from abotn.streaming.generate import generate_anomaly_dataset


class Layout:
    """Writes label files of single scenarios below a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def anomaly(self, kind="spawn-props", town="Town01", name="scenario-0") -> str:
        return str(self.root / "test" / "anomaly" / town / kind / name)

    def normal(self, town="Town01", name="scenario-0") -> str:
        return str(self.root / "test" / "normal" / town / name)

    def mask(self, scenario_id, timestep, mask, sensor="front") -> Path:
        path = Path(scenario_id) / f"anomaly-{sensor}" / f"{timestep:06d}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(np.asarray(mask, np.uint8)).save(path)
        return path

    def table(self, path, **columns) -> Path:
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        feather.write_feather(pyarrow.table(columns or {"anomaly": [True]}), path)
        return path

    def points(self, scenario_id, timestep, labels) -> Path:
        path = Path(scenario_id) / "anomaly-lidar" / f"{timestep:06d}.feather"
        return self.table(path, anomaly=labels)

    def sensor(self, scenario_id, sensor, labels) -> Path:
        return self.table(Path(scenario_id) / f"anomaly-{sensor}/sensor.feather", anomaly=labels)

    def timesteps(self, scenario_id, labels) -> Path:
        return self.table(Path(scenario_id) / "anomaly-observation.feather", anomaly=labels)


@pytest.fixture
def layout(tmp_path) -> Layout:
    return Layout(tmp_path)


@pytest.fixture(scope="session")
def generated(tmp_path_factory):
    """A generated dataset: its folder and its known answers."""
    root = tmp_path_factory.mktemp("anomaly") / "data"
    return root, generate_anomaly_dataset(root, seed=3, scenarios=2)
