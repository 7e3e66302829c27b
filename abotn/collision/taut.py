"""The shortest path through a mesh of rectangles.

Polyanya: a search over intervals of edges, each seen from the last bend of the path, so that the
result is the Euclidean shortest path and not one along cells.

Source: Cui, Harabor and Grastien 2017, "Compromise-free Pathfinding on a Navigation Mesh", IJCAI.
"""

from __future__ import annotations

from heapq import heappop, heappush
from math import hypot, inf
from typing import NamedTuple

from abotn.collision.mesh import Mesh, Portal

Point = tuple[float, float]

# Metres per metre of map below which an interval is a point, and two lengths are one.
_SLIVER = 1e-10


class _Node(NamedTuple):
    """An interval ``left .. right`` at height `line`, seen whole from `root`, to enter `box`."""

    root: Point
    travelled: float
    line: float
    left: float
    right: float
    bends_left: bool
    bends_right: bool
    box: int
    down: bool


class _Arrival(NamedTuple):
    """The goal in sight of `root`."""

    root: Point
    travelled: float


def taut_path(mesh: Mesh, start: Point, goal: Point) -> list[Point] | None:
    """The bends of the shortest path between two points, its ends included.

    Args:
        mesh: Free space.
        start: ``(x, y)`` metres from the map's top-left corner, y growing down.
        goal: Likewise.

    Returns:
        At least two points, or None when one of them is not in free space or no path exists.
    """
    goals = mesh.boxes_at(*goal)
    starts = mesh.boxes_at(*start)
    # Without this, a search for what cannot be reached would look at everything that can.
    if not mesh.parts(goals) & mesh.parts(starts):
        return None
    return _Search(mesh, start, goal, set(goals)).run(starts)


class _Search:
    def __init__(self, mesh: Mesh, start: Point, goal: Point, goals: set[int]) -> None:
        self.boxes = mesh.boxes
        self.start, self.goal, self.goals = start, goal, goals
        self.best: dict[Point, float] = {start: 0.0}
        self.before: dict[Point, Point] = {}
        self.seen: dict[tuple[Point, int], float] = {}
        self.queue: list[tuple[float, int, _Node | _Arrival]] = []
        self.pushed = 0
        widest = max(max(box.right, box.bottom) for box in self.boxes)
        self.sliver = _SLIVER * max(widest, 1.0)

    def run(self, starts: list[int]) -> list[Point] | None:
        for box in starts:
            self._from_within(self.start, 0.0, box)
        while self.queue:
            node = heappop(self.queue)[2]
            if node.travelled > self.best[node.root] + self.sliver:
                continue
            if isinstance(node, _Arrival):
                return self._traced(node.root)
            self._expand(node)
        return None

    def _expand(self, node: _Node) -> None:
        box = self.boxes[node.box]
        if node.root[1] == node.line:
            self._from_within(node.root, node.travelled, node.box)
            return
        far = box.bottom if node.down else box.top
        ratio = (far - node.root[1]) / (node.line - node.root[1])
        low = min(max(node.root[0] + (node.left - node.root[0]) * ratio, box.left), box.right)
        high = max(min(node.root[0] + (node.right - node.root[0]) * ratio, box.right), box.left)
        ahead, behind = (box.below, box.above) if node.down else (box.above, box.below)
        self._look(node.root, node.travelled, ahead, far, low, high, down=node.down)
        if node.bends_left:
            bend, travelled = self._bend(node, node.left)
            if self._reached(bend, travelled, node.root):
                self._look(bend, travelled, ahead, far, box.left, low, down=node.down)
                self._along(bend, travelled, behind, node.line, down=not node.down, left=True)
        if node.bends_right:
            bend, travelled = self._bend(node, node.right)
            if self._reached(bend, travelled, node.root):
                self._look(bend, travelled, ahead, far, high, box.right, down=node.down)
                self._along(bend, travelled, behind, node.line, down=not node.down, left=False)
        if node.box in self.goals:
            self._arrive(node)

    def _from_within(self, root: Point, travelled: float, box: int) -> None:
        """From a point of the box itself everything in it is in sight."""
        if travelled >= self.seen.get((root, box), inf):
            return
        self.seen[root, box] = travelled
        if box in self.goals:
            self._push_arrival(root, travelled)
        here = self.boxes[box]
        for line, portals, down in ((here.top, here.above, False), (here.bottom, here.below, True)):
            if root[1] != line:
                self._look(root, travelled, portals, line, here.left, here.right, down=down)
                continue
            self._along(root, travelled, portals, line, down=down, left=True)
            self._along(root, travelled, portals, line, down=down, left=False)
            for portal in portals:
                if portal.left <= root[0] <= portal.right:
                    self._push(_Node(root, travelled, line, *portal, down))

    def _look(
        self,
        root: Point,
        travelled: float,
        portals: tuple[Portal, ...],
        line: float,
        low: float,
        high: float,
        *,
        down: bool,
    ) -> None:
        """Parts of portals between `low` and `high`, in straight sight of the root."""
        for left, right, bends_left, bends_right, to in portals:
            if right <= low or left >= high:
                continue
            # A line that grazes one corner may end at the next: it must not miss it by an ulp.
            begin = low if low > left + self.sliver else left
            end = high if high < right - self.sliver else right
            if end - begin <= self.sliver:
                continue
            bends = bends_left and begin == left, bends_right and end == right
            self._push(_Node(root, travelled, line, begin, end, *bends, to, down))

    def _along(
        self,
        root: Point,
        travelled: float,
        portals: tuple[Portal, ...],
        line: float,
        *,
        down: bool,
        left: bool,
    ) -> None:
        """Portals on the root's own line: the path follows the line to their nearer end."""
        for portal in portals:
            if portal.right < root[0] if left else portal.left > root[0]:
                near = portal.right if left else portal.left
                if portal.bends_right if left else portal.bends_left:
                    bend = (near, line)
                    length = travelled + abs(near - root[0])
                    if self._reached(bend, length, root):
                        self._push(_Node(bend, length, line, *portal, down))

    def _arrive(self, node: _Node) -> None:
        across = self._crossing(node, self.goal)
        if across < node.left - self.sliver:
            if node.bends_left:
                self._push_arrival(*self._bend(node, node.left))
        elif across > node.right + self.sliver:
            if node.bends_right:
                self._push_arrival(*self._bend(node, node.right))
        else:
            self._push_arrival(node.root, node.travelled)

    def _bend(self, node: _Node, at: float) -> tuple[Point, float]:
        length = hypot(at - node.root[0], node.line - node.root[1])
        return (at, node.line), node.travelled + length

    def _reached(self, bend: Point, travelled: float, root: Point) -> bool:
        """Whether this is the best way to the bend so far; remembers it if so."""
        known = self.best.get(bend)
        if known is not None and travelled > known + self.sliver:
            return False
        if known is None or travelled < known:
            self.best[bend] = travelled
            if bend != root:
                self.before[bend] = root
        return True

    def _push(self, node: _Node) -> None:
        goal_y = self.goal[1]
        if (goal_y < node.line) if node.down else (goal_y > node.line):
            goal_y = 2.0 * node.line - goal_y
        across = min(max(self._crossing(node, (self.goal[0], goal_y)), node.left), node.right)
        length = hypot(across - node.root[0], node.line - node.root[1])
        length += hypot(across - self.goal[0], node.line - goal_y)
        self.pushed += 1
        heappush(self.queue, (node.travelled + length, self.pushed, node))

    def _push_arrival(self, root: Point, travelled: float) -> None:
        length = travelled + hypot(root[0] - self.goal[0], root[1] - self.goal[1])
        self.pushed += 1
        heappush(self.queue, (length, self.pushed, _Arrival(root, travelled)))

    @staticmethod
    def _crossing(node: _Node, target: Point) -> float:
        """Where the straight line from the root to the target crosses the node's line."""
        height = target[1] - node.root[1]
        if height == 0.0:
            return target[0]
        return node.root[0] + (target[0] - node.root[0]) * (node.line - node.root[1]) / height

    def _traced(self, root: Point) -> list[Point]:
        points = [self.goal, root]
        while root != self.start:
            root = self.before[root]
            points.append(root)
        return points[::-1]
