"""What a change takes away: assertions of a test, guards, required keys; and which of two tests never runs."""

from __future__ import annotations

import pytest

from support.checking import check, run

ASSERTLESS = "python/assertless-test"
GUARD = "python/guard-removed"
RELAXED = "python/required-key-relaxed"
LOST = "python/test-never-collected"


def seen(text: str, item: str) -> list[int]:
    """The lines an item speaks of."""
    done = run(text, item)
    assert not done.failures
    return sorted({each.line for each in done.shown})


@pytest.mark.parametrize(
    "body",
    [
        "-    assert total([1]) == 1\n+    total([1])\n",
        "-    value = total([1])\n-    assert value\n+    value = total([1])\n+    value.close()\n",
        "-    self.assertEqual(total(), 1)\n+    total()\n",
    ],
)
def test_a_test_that_lost_its_last_check_is_seen(body: str) -> None:
    """That it only calls is no excuse, and neither is its name: it did check."""
    assert seen(f"//- test_a.py\n def test_valid_total(self):\n{body}", ASSERTLESS) == [1]


@pytest.mark.parametrize(
    "body",
    [
        "-    assert total([1]) == 1\n+    total([1])  # must not raise\n",
        "-    assert total([1]) == 1\n+    check_total([1])\n",
        "-    assert total([1]) == 1\n+    pass\n",
        "-    assert total([1]) == 1\n     assert total([2])\n",
        "-    total([1])\n+    total([2])\n",
        "-    assert total([1])\n+    same()\n \n def same():\n     assert total([1])\n",
    ],
    ids=["remark", "helper", "emptied", "one left", "never did", "moved into a helper"],
)
def test_a_test_that_still_checks_or_says_why_not_is_left_alone(body: str) -> None:
    """Only the loss of the last check counts."""
    assert seen(f"//- test_a.py\n def test_total():\n{body}", ASSERTLESS) == []


@pytest.mark.parametrize(
    "added",
    ["+    assert source\n", "+    assert isinstance(target, Path)\n", "+    assert os.path.exists(source)\n", ""],
)
def test_a_guard_is_not_replaced_by_one_about_something_else(added: str) -> None:
    """Another subject, or a line for the type checker."""
    text = (
        "//- a.py\n def copy(source, target):\n-    if os.path.exists(target):\n"
        f'-        raise RuntimeError("Destination exists")\n{added}     write(source, target)\n'
    )
    assert seen(text, GUARD) == [3]


@pytest.mark.parametrize(
    "added",
    [
        "+    assert not target.exists()\n",
        "+    if target.is_file():\n+        raise OSError(target)\n",
        '+    if lexists(where(target)):\n+        raise RuntimeError("there")\n',
        "+    refuse_existing(target)\n",
    ],
)
def test_a_guard_about_the_same_replaces_one(added: str) -> None:
    """By assertion, by another exception, by the same exception, by a call that sounds like a check."""
    text = (
        "//- a.py\n def copy(source, target):\n-    if target.exists():\n"
        f'-        raise RuntimeError("Destination exists")\n{added}     write(source, target)\n'
    )
    assert seen(text, GUARD) == []


@pytest.mark.parametrize(
    "lines",
    [
        ' if not text:\n-        raise ParseError(0, "empty")\n+        raise SyntaxError("empty")\n',
        " text = text.strip()\n-    assert text.args[0] == 'x'\n+    first, *rest = text\n+    assert first == 'x'\n",
        " text = text.strip()\n-    assert text[0] <= most\n+    text = [each for each in text if each <= most]\n",
    ],
)
def test_a_guard_that_is_worded_anew_in_its_place_is_left_alone(lines: str) -> None:
    """Another exception under the same condition, an assertion for an assertion."""
    assert seen(f"//- a.py\n def parse(text):\n    {lines}     return text\n", GUARD) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            (
                "-def trigger(addon, name, seen):\n-    if name not in Events:\n-        raise Unknown(name)\n"
                "+def trigger(addon, event, seen):\n     addon.mark(seen)\n     addon.log()\n"
                "-    addon.call(name)\n+    addon.call(event.name)\n"
            ),
            [],
        ),
        (
            (
                " def trigger(addon, name, seen):\n-    if name not in Events:\n-        raise Unknown(name)\n"
                "     addon.mark(seen)\n     addon.log()\n     addon.call(name)\n"
            ),
            [3],
        ),
        (
            (
                " def show(name, path):\n-    place = where(name, path)\n-    if not os.path.isfile(place):\n"
                "-        raise NotFound(name)\n     path = path.strip()\n     log(name, path)\n     log(path)\n"
                "-    write(from_file(place))\n+    write(model(name, path))\n"
            ),
            [],
        ),
        (
            (
                " def show(name, path):\n-    most = limit(name)\n-    if len(path) > most:\n"
                "-        raise TooLong(name)\n     path = path.strip()\n     log(name, path)\n     write(path)\n"
            ),
            [4],
        ),
        (
            (
                "-def clip(grads, check):\n+def clip(grads):\n     total = norm(grads)\n"
                "     log(total)\n     log(grads)\n"
                "-    if check:\n-        assert not isnan(total)\n     return total\n"
            ),
            [],
        ),
        (
            (
                " def clip(grads, check):\n     total = norm(grads)\n     log(total, check)\n     log(grads)\n"
                "-    if check:\n-        assert not isnan(total)\n     return total\n"
            ),
            [6],
        ),
    ],
    ids=[
        "parameter gone",
        "parameter kept",
        "variable gone",
        "variable of the guard alone",
        "switch gone",
        "switch kept",
    ],
)
def test_a_guard_whose_subject_went_with_it_is_left_alone(text: str, expected: list[int]) -> None:
    """A variable that was only made for the guard is a part of it, and no subject."""
    assert seen(f"//- a.py\n{text}", GUARD) == expected


def test_a_parameter_of_an_example_may_go_unused() -> None:
    """What a framework passes stands in the signature, also where it is not used."""
    text = "app.py\n def handle(request, response):\n-    response.id = request.id\n+    response.id = 1\n     log()\n"
    assert len(seen(f"//- shop/{text}", "python/parameter-now-dead")) == 1
    assert seen(f"//- examples/{text}", "python/parameter-now-dead") == []


def test_a_guard_of_a_short_function_that_changes_elsewhere_too_is_seen() -> None:
    """The guard's own lines say nothing about how much of the function is left."""
    text = (
        '//- a.py\n def address(d):\n-    if "host" not in d:\n-        raise KeyError("host")\n'
        '-    return d["host"], d["port"]\n+    return d["host"], d.get("port")\n'
    )
    assert seen(text, GUARD) == [3]
    assert seen(text, RELAXED) == [2]


@pytest.mark.parametrize(
    "line",
    ['return d.get("port")', 'connect(d.get("port"))', 'connect(port=d.get("port"))', 'f(f"{d.get("host")}")'],
)
def test_a_key_that_may_be_missing_and_is_passed_on_is_seen(line: str) -> None:
    """None travels on as if it were the value."""
    key = '"host"' if "host" in line else '"port"'
    line = line.replace('f"{d.get("host")}"', "f\"{d.get('host')}\"")
    assert seen(f"//- a.py\n def f(d):\n-    return d[{key}]\n+    {line}\n", RELAXED) == [2]


@pytest.mark.parametrize(
    "lines",
    [
        ['return int(d.get("port"))'],
        ['return d.get("port").strip()'],
        ['if d.get("port"):', "    return 1"],
        ['return d.get("port") is None'],
        ['port = d.get("port")', "if port is None:", "    raise ValueError(d)", "return port"],
        ['if (port := d.get("port")) is not None:', "    return port"],
    ],
)
def test_a_key_whose_absence_is_handled_or_fails_at_once_is_left_alone(lines: list[str]) -> None:
    """Somebody asks whether it is there, or None cannot go on."""
    added = "".join(f"+    {line}\n" for line in lines)
    assert seen(f'//- a.py\n def f(d):\n-    return d["port"]\n{added}', RELAXED) == []


def test_the_test_that_never_runs_is_marked_and_the_one_that_does_is_named() -> None:
    """The earlier one is dead, though the branch added the later: the mark hangs on what was added."""
    done = check(
        "//- test_a.py\n def test_a():\n ^    ^^^^^^ python/test-never-collected\n".replace("\n ^", "\n^")
        + "     assert 1\n \n+def test_a():\n+    assert 2\n",
        LOST,
    )
    (found,) = done.shown
    assert (found.line, found.cause and (found.cause.path, found.cause.line)) == (1, ("test_a.py", 4))
    assert [(row.line, row.role) for row in found.evidence] == [(4, "the one that runs instead")]
