"""Plain loops and exact fractions for the collision rules, written apart from the package."""

from __future__ import annotations

import heapq
import math
from fractions import Fraction
from itertools import pairwise

import numpy as np

from abotn.collision import OccupancyGrid
from abotn.geometry import MapGeometry


def grid_of(rows, top_left=None, top_right=None, bottom_left=None):
    """A grid from text, `#` obstacle and `.` free; cells of one metre, rows down, by default."""
    free = np.array([[c == "." for c in row] for row in rows])
    height, width = free.shape
    corners = (top_left or (0, 0), top_right or (width, 0), bottom_left or (0, height))
    return OccupancyGrid(free, MapGeometry.from_corners(*corners, width, height))


def blocked(free, column, row):
    height, width = free.shape
    return not (0 <= column < width and 0 <= row < height) or not free[row, column]


def exact_by_fractions(free, start, end):
    """Hit and share of a segment, by fractions, in map coordinates ``(column, row)``.

    Cut at every whole column and row; the middle of a piece names its cell. A piece along an edge
    is inside where both cells beside it are.
    """
    (x0, y0), (x1, y1) = start, end
    dx, dy = x1 - x0, y1 - y0
    if dx == 0 and dy == 0:
        return blocked(free, math.floor(x0), math.floor(y0)), Fraction(0)
    cuts = {Fraction(0), Fraction(1)}
    for origin, delta in ((x0, dx), (y0, dy)):
        if delta:
            low, high = sorted((origin, origin + delta))
            cuts |= {(k - origin) / delta for k in range(math.ceil(low), math.floor(high) + 1)}
    times = sorted(cuts)
    share = Fraction(0)
    for a, b in pairwise(times):
        x, y = x0 + (a + b) / 2 * dx, y0 + (a + b) / 2 * dy
        columns = [math.floor(x)] if x.denominator > 1 else [int(x) - 1, int(x)]
        rows = [math.floor(y)] if y.denominator > 1 else [int(y) - 1, int(y)]
        if all(blocked(free, c, r) for c in columns for r in rows):
            share += b - a
    return share > 0, share


def published_by_loops(grid, start, end):
    """The published rules, sample by sample."""
    free, geometry = grid.free, grid.geometry

    def pixel(point):
        u, v = geometry.to_map(point)
        return int(u), int(v)

    first, last = pixel(start), pixel(end)
    if first == last:
        u, v = first
        hit = blocked(free, u, v)
        for c in range(u - 2, u + 3):
            for r in range(v - 2, v + 3):
                on_map = 0 <= c < free.shape[1] and 0 <= r < free.shape[0]
                hit |= on_map and not free[r, c]
    else:
        count = max(2, int(math.dist(first, last) / 2.0))
        us = np.linspace(first[0], last[0], count).astype(int)
        vs = np.linspace(first[1], last[1], count).astype(int)
        hit = any(blocked(free, u, v) for u, v in zip(us, vs, strict=True))
    distance = math.dist(start, end)
    count = max(2, int(distance / 0.05))
    xs, ys = np.linspace(start[0], end[0], count), np.linspace(start[1], end[1], count)
    inside = [blocked(free, *pixel(p)) for p in zip(xs, ys, strict=True)]
    length, run = 0.0, None
    for i, bad in enumerate(inside):
        if bad and run is None:
            run = i
        if run is not None and (not bad or i == count - 1):
            length += math.dist((xs[run], ys[run]), (xs[i], ys[i]))
            run = None
    return hit, length


def distance_to_obstacles(free, x, y, column_metres, row_metres):
    """Metres from a place in the map to the nearest obstacle square, over all of them."""
    height, width = free.shape
    if blocked(free, math.floor(x), math.floor(y)):
        return 0.0
    best = min(x * column_metres, (width - x) * column_metres)
    best = min(best, y * row_metres, (height - y) * row_metres)
    for row, column in np.argwhere(~free):
        dx = max(column - x, x - column - 1, 0.0) * column_metres
        dy = max(row - y, y - row - 1, 0.0) * row_metres
        best = min(best, math.hypot(dx, dy))
    return best


def shortest_by_visibility(free, start, goal, column_metres, row_metres):
    """Length of the shortest path over a visibility graph, whose edges fractions have tested.

    Nodes are the ends and every convex corner; an edge crosses no obstacle and does not pass
    between two obstacles that touch at a corner. Ends are pairs of fractions in map coordinates.
    """
    wall = np.pad(~free, 1, constant_values=True)
    around = (wall[:-1, :-1], wall[:-1, 1:], wall[1:, :-1], wall[1:, 1:])
    count = sum(quarter.astype(int) for quarter in around)
    pinched = (count == 2) & (around[0] == around[3])
    nodes = [start, goal]
    nodes += [(Fraction(int(c)), Fraction(int(r))) for r, c in np.argwhere(count == 1)]
    pinches = [(int(c), int(r)) for r, c in np.argwhere(pinched)]
    links = [[] for _ in nodes]
    for i, a in enumerate(nodes):
        for j in range(i):
            b = nodes[j]
            apart = exact_by_fractions(free, a, b)[0] or _through(a, b, pinches)
            if a == b or not apart:
                dx, dy = float(b[0] - a[0]) * column_metres, float(b[1] - a[1]) * row_metres
                links[i].append((j, math.hypot(dx, dy)))
                links[j].append((i, math.hypot(dx, dy)))
    return _dijkstra(links)


def _through(a, b, pinches):
    for column, row in pinches:
        ax, ay, bx, by = column - a[0], row - a[1], b[0] - a[0], b[1] - a[1]
        if ax * by == ay * bx and 0 < ax * bx + ay * by < bx * bx + by * by:
            return True
    return False


def _dijkstra(links):
    queue, done = [(0.0, 0)], set()
    while queue:
        length, node = heapq.heappop(queue)
        if node == 1:
            return length
        if node not in done:
            done.add(node)
            for other, step in links[node]:
                heapq.heappush(queue, (length + step, other))
    return math.inf
