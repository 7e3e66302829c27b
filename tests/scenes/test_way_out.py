"""Every error of a loader says, in its one line, what to do about it."""

import json

import numpy as np
import pytest
from PIL import Image

from abotn.errors import AbotnError, DataError, hinted
from abotn.json_files import write_json
from abotn.records.files import read_manifest, read_trajectory
from abotn.records.readers import read_records
from abotn.results.files import read_evaluation
from abotn.scenes import trajectory_file
from abotn.scenes.map_images import check_occupancy_size, read_height, read_occupancy
from abotn.scenes.meta_text import read_meta
from abotn.scenes.ros_map import load_ros_map

CORNERS = "Top Left: (0, 1)\nTop Right: (1, 1)\nBottom Left: (0, 0)\nBottom Right: (1, 0)\n"
ROS = "image: map.pgm\nresolution: {}\norigin: [0, 0, 0]\noccupied_thresh: 0.6\nfree_thresh: 0.2\n"


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("name", "content", "load"),
    [
        ("traj_0.json", "{", trajectory_file.read_trajectory),
        ("traj_0.json", "[]", trajectory_file.read_trajectory),
        ("traj_0.json", "", trajectory_file.read_trajectory),
        ("traj_0.json", '{"trajectory": []}', trajectory_file.read_trajectory),
        ("traj_0.json", '{"trajectory": [[NaN, 1]]}', trajectory_file.read_trajectory),
        ("traj_0.json", '{"trajectory": [{"x": 1}]}', trajectory_file.read_trajectory),
        ("traj_0.json", '{"trajectory": [[0, 0]], "label": 3}', trajectory_file.read_trajectory),
        ("meta.txt", "", read_meta),
        ("meta.txt", b"\xff\xfe\xff", read_meta),
        ("meta.txt", CORNERS, read_meta),
        ("meta.txt", CORNERS + CORNERS, read_meta),
        ("meta.txt", CORNERS + "Image size in pixels: 0, 4\n", read_meta),
        ("map.png", "no image", read_occupancy),
        ("map.png", "", lambda path: check_occupancy_size(path, (2, 2))),
        ("height.tiff", "no image", read_height),
        ("map.yaml", "a: [", load_ros_map),
        ("map.yaml", "3", load_ros_map),
        ("map.yaml", "{}", load_ros_map),
        ("map.yaml", ROS.format(0), load_ros_map),
        ("trajectory.json", "{", read_trajectory),
        ("trajectory.json", "{}", read_trajectory),
        ("run.json", "{", lambda path: read_manifest(path.parent)),
        ("evaluation.json", "{}", read_evaluation),
        ("r/s/t/result.json", "{", lambda path: read_records(path.parents[2])),
        ("r/s/t/other.json", "{", lambda path: read_records(path.parents[2])),
    ],
)
def test_what_cannot_be_read_names_the_way_out(tmp_path, name, content, load):
    path = write(tmp_path / name, content)
    Image.fromarray(np.full((2, 2), 254, np.uint8)).save(tmp_path / "map.pgm")
    with pytest.raises(AbotnError) as caught:
        load(path)
    assert caught.value.hint
    line = str(caught.value)
    assert line.count(caught.value.hint) == 1
    assert line.endswith(f"({caught.value.hint})")
    assert str(tmp_path) in line


def test_a_hint_of_ones_own_stays(tmp_path):
    with pytest.raises(DataError, match=r"wrong \(own\)$"), hinted("other"):
        raise DataError("wrong", hint="own")
    with pytest.raises(DataError, match=r"wrong \(other\)$"), hinted("other"):
        raise DataError("wrong")
    with pytest.raises(ValueError, match=r"^wrong$"), hinted("other"):
        raise ValueError("wrong")
    write_json(tmp_path / "a.json", {"trajectory": [[0, 1]]})
    assert len(trajectory_file.read_trajectory(tmp_path / "a.json")["trajectory"]) == 1
    assert json.loads((tmp_path / "a.json").read_text()) == {"trajectory": [[0, 1]]}
