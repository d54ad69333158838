"""Whether published records can be given originals of their own."""

from __future__ import annotations

from collections import defaultdict, deque


def matches(wanted: list[list[int]]) -> bool:
    """Whether each can be given one of its candidates, all different."""
    taken: dict[int, int] = {}

    def place(who: int, tried: set[int]) -> bool:
        for candidate in wanted[who]:
            if candidate not in tried:
                tried.add(candidate)
                if candidate not in taken or place(taken[candidate], tried):
                    taken[candidate] = who
                    return True
        return False

    return all(place(who, set()) for who in sorted(range(len(wanted)), key=lambda who: len(wanted[who])))


def enough_people(classes: list[tuple[list[int], int]], owners: list[str], k: int) -> bool:
    """Whether each class can be given as many of its candidates as it has copies, all different, those of at least k people each.

    A flow: a class takes k candidates through people, of whom each gives one, and the others without regard to people.
    """
    room: dict[object, dict[object, int]] = defaultdict(dict)

    def edge(one: object, other: object, n: int) -> None:
        room[one][other] = n
        room[other].setdefault(one, 0)

    for number, (candidates, copies) in enumerate(classes):
        edge("in", ("people", number), k)
        edge("in", ("rest", number), copies - k)
        for candidate in candidates:
            edge(("people", number), ("person", number, owners[candidate]), 1)
            edge(("person", number, owners[candidate]), candidate, 1)
            edge(("rest", number), candidate, 1)
            edge(candidate, "out", 1)
    wanted = sum(copies for _, copies in classes)
    return wanted == sum(1 for _ in iter(lambda: _augmented(room), False))


def _augmented(room: dict[object, dict[object, int]]) -> bool:
    """Send one more through the network, where there is a way."""
    before: dict[object, object] = {"in": "in"}
    waiting = deque(["in"])
    while waiting and "out" not in before:
        at: object = waiting.popleft()
        for to, left in room[at].items():
            if left > 0 and to not in before:
                before[to] = at
                waiting.append(to)  # type: ignore[arg-type]
    if "out" not in before:
        return False
    at = "out"
    while at != "in":
        room[before[at]][at] -= 1
        room[at][before[at]] += 1
        at = before[at]
    return True
