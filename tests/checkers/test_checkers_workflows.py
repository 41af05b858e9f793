"""Checkers of workflows: whose text reaches a script, what they overwrite, and what they keep."""

from __future__ import annotations

import textwrap

import pytest

from roundzero.checkers._workflows import parse_workflow
from roundzero.core.item import Severity
from support.checking import run

INSERTS = "build-and-ci/workflow-text-injection"
OVERWRITES = "build-and-ci/workflow-overwrites-main"
SKIPPED = "build-and-ci/step-skipped-on-failure"
AWAITS = "build-and-ci/workflow-awaits-nothing"
REPORTED = "build-and-ci/check-no-longer-reported"
WHOSE = "build-and-ci/personal-account"


def _workflow(steps: str, *, on: str = "pull_request", runner: str = "ubuntu-latest", more: str = "") -> str:
    """A fixture that adds a workflow with one job."""
    head = f"on: {on}\n{more}jobs:\n  a:\n    runs-on: {runner}\n    steps:\n"
    text = head + textwrap.indent(textwrap.dedent(steps).strip("\n"), "    ") + "\n"
    return "//- .github/workflows/a.yml\n" + textwrap.indent(text, "+", lambda _: True)


def _subjects(text: str, item: str) -> list[str]:
    done = run(text, item)
    assert done.failures == ()
    return [each.title.rpartition(": ")[2].strip("`") for each in done.shown]


@pytest.mark.parametrize(
    ("script", "is_hit"),
    [
        ("echo ${{ github.head_ref }}", True),
        ("echo ${{ github.head_ref || github.ref_name }}", True),
        ("echo ${{ format('x {0}', github.event.pull_request.title) }}", True),
        ("echo ${{ github.event.pull_request.head.sha }} ${{ github.ref_name }} ${{ github.base_ref }}", False),
        ("echo ${{ contains(github.event.pull_request.title, 'x') }}", False),
        ("echo ${{ !contains(toJSON(github.event.pull_request.body), 'x') }}", False),
        ("echo ${{ github.head_ref == 'x' && 'y' || 'z' }}", False),
        ("echo ${{ github.event.issue.title }}", False),
        ("echo ${{ github.head_ref ${{ github.sha }}", False),
        ('echo "$GITHUB_HEAD_REF"', False),
    ],
)
def test_what_outsiders_write_is_not_to_be_inserted(script: str, *, is_hit: bool) -> None:
    """Texts that an event of this workflow fills, unless they are only compared."""
    assert bool(_subjects(_workflow(f"- run: {script}"), INSERTS)) is is_hit


def test_inserted_text_is_followed_through_outputs_and_variables() -> None:
    """From a variable into an output, from there into another step; what is cleaned on the way is not."""
    steps = """
        - id: one
          env: {BRANCH: "${{ github.head_ref }}"}
          run: |
            echo "raw=$BRANCH" >> $GITHUB_OUTPUT
            echo "clean=$(echo $BRANCH | tr -cd a-z)" >> $GITHUB_OUTPUT
            echo "LATER=x-${BRANCH}" >> "$GITHUB_ENV"
        - run: echo ${{ steps.one.outputs.clean }}
        - run: echo ${{ steps.one.outputs.raw }} ${{ env.LATER }}
    """
    assert _subjects(_workflow(steps), INSERTS) == ["${{ steps.one.outputs.raw }}", "${{ env.LATER }}"]


def test_javascript_may_be_given_a_literal() -> None:
    """What is put into a script as JSON is a value there; to a shell it is text like any other."""
    steps = """
        - uses: actions/github-script@v7
          with: {script: "const title = ${{ toJSON(github.event.pull_request.title) }}"}
        - run: echo '${{ toJSON(github.event.pull_request.body) }}'
    """
    assert _subjects(_workflow(steps), INSERTS) == ["${{ toJSON(github.event.pull_request.body) }}"]


@pytest.mark.parametrize(("name", "is_hit"), [("cmd", True), ("inlineScript", True), ("title", False)])
def test_text_in_the_script_of_any_action_is_inserted(name: str, *, is_hit: bool) -> None:
    """By what the input is called; JSON is a literal to JavaScript only."""
    step = f"- uses: one/runs@v1\n  with: {{{name}: 'echo ${{{{ toJSON(github.event.pull_request.title) }}}}'}}"
    assert bool(_subjects(_workflow(step), INSERTS)) is is_hit


def test_a_workflow_larger_than_anybody_writes_is_read_soon() -> None:
    """Not all is followed then, and nothing is looked for again and again."""
    names = [f"A{number}" for number in range(800)]
    sets = "".join(f"    echo {name}=${{{{ github.head_ref }}}} >> $GITHUB_ENV\n" for name in names)
    reads = "".join(f"- run: echo ${{{{ env.{name} }}}}\n" for name in names)
    long = f"- run: echo ${{{{ {'a' * 100_000} }}}} {'${{ ' * 30_000}\n"
    assert "${{ env.A0 }}" in _subjects(_workflow(f"- run: |\n{sets}{reads}{long}"), INSERTS)


def test_inserted_text_is_followed_into_other_jobs() -> None:
    """Through the outputs of a job that another one needs."""
    text = (
        "//- .github/workflows/a.yml\n+on: issue_comment\n+jobs:\n+  a:\n+    runs-on: x\n"
        "+    outputs: {said: '${{ steps.s.outputs.said }}'}\n+    steps:\n+    - id: s\n"
        "+      env: {SAID: '${{ github.event.comment.body }}'}\n"
        '+      run: echo "said=$SAID" >> $GITHUB_OUTPUT\n'
        "+  b:\n+    needs: a\n+    runs-on: x\n+    steps:\n+    - run: echo ${{ needs.a.outputs.said }}\n"
    )
    assert _subjects(text, INSERTS) == ["${{ needs.a.outputs.said }}"]


@pytest.mark.parametrize(
    ("on", "env", "severity"),
    [
        ("pull_request", "", Severity.P2),
        ("pull_request", "  env: {T: '${{ secrets.PUSH }}'}", Severity.P0),
        ("pull_request", "  env: {T: '${{ secrets.GITHUB_TOKEN }}'}", Severity.P2),
        ("pull_request_target", "", Severity.P0),
    ],
)
def test_inserted_text_is_graver_beside_rights_its_author_lacks(on: str, env: str, severity: Severity) -> None:
    """Whoever proposes a change may change the workflow of ``pull_request`` as well, but has no secrets there."""
    (seen,) = run(_workflow(f"- run: echo ${{{{ github.head_ref }}}}\n{env}", on=on), INSERTS).shown
    assert seen.severity is severity


@pytest.mark.parametrize(
    ("command", "is_hit"),
    [
        ("git push --force origin main", True),
        ("git push -f origin HEAD:refs/heads/master", True),
        ("git push origin +main", True),
        ("git push --force-with-lease origin ${{ github.event.repository.default_branch }}", True),
        ("git checkout main && git push --force", True),
        ("git push origin main", False),
        ("git push --force origin gh-pages v1", False),
        ("git push --force upstream main", False),
        ("git checkout release && git push --force", False),
        ("rm -rf .github/workflows && git push", True),
        ("rm .github/workflows/once.yml && git push", False),
        ("rm -rf .github/workflows", False),
    ],
)
def test_a_workflow_that_starts_by_itself_does_not_overwrite_main(command: str, *, is_hit: bool) -> None:
    """By force, at ``origin``, a branch that all build on; or by taking all workflows away."""
    other = "- uses: actions/checkout@v4\n  with: {repository: org/pages}\n"
    assert _subjects(_workflow(f"{other}- run: {command}", on="push"), OVERWRITES) == []
    ours = other.replace("org/pages", "'${{ github.repository }}'")
    assert bool(_subjects(_workflow(f"{ours}- run: {command}", on="push"), OVERWRITES)) is is_hit
    assert _subjects(_workflow(f"- run: git clone x . && {command}", on="push"), OVERWRITES) == []
    assert bool(_subjects(_workflow(f"- run: {command}", on="push"), OVERWRITES)) is is_hit
    assert _subjects(_workflow(f"- run: {command}", on="workflow_dispatch"), OVERWRITES) == []


@pytest.mark.parametrize(
    ("steps", "is_hit"),
    [
        ("- run: pytest\n- uses: actions/upload-artifact@v4\n  with: {name: logs, path: out}", True),
        ("- run: make test\n- run: tar -czf logs.tgz logs", True),
        ("- run: make\n- uses: actions/upload-artifact@v4\n  with: {name: logs, path: out}", False),
        ("- run: pytest\n- uses: actions/upload-artifact@v4\n  with: {name: wheels, path: dist}", False),
        ("- run: pytest\n- uses: actions/upload-artifact@v4\n  if: always()\n  with: {name: logs, path: out}", False),
        ("- uses: actions/upload-artifact@v4\n  with: {name: logs, path: out}\n- run: pytest", False),
        ("- run: pytest\n  continue-on-error: true\n- run: tar -czf logs.tgz logs", False),
        ("- run: pytest\n- uses: actions/upload-artifact@v4\n  with: {name: w, path: 'dist/log-view*.whl'}", False),
    ],
)
def test_logs_of_tests_are_kept_when_the_tests_fail(steps: str, *, is_hit: bool) -> None:
    """A step after the tests that keeps logs needs a condition."""
    assert bool(_subjects(_workflow(steps), SKIPPED)) is is_hit


def test_a_workflow_that_went_leaves_those_that_wait_for_it() -> None:
    """The hit lies on the old line, and its cause is what went; a name that was dead before says nothing."""
    waits = "//- .github/workflows/b.yml\n on:\n   workflow_run:\n     workflows: [tests, older]\n jobs: {b: {}}\n"
    went = "//- .github/workflows/a.yml\n-name: tests\n-on: push\n-jobs: {a: {}}\n"
    (seen,) = run(waits + went, AWAITS).shown
    assert seen.title.endswith("`tests`")
    assert seen.cause is not None
    assert seen.cause.path == ".github/workflows/a.yml"
    assert run(waits + "//- .github/workflows/c.yml\n+on: push\n+jobs: {c: {}}\n", AWAITS).shown == ()


def test_what_github_runs_itself_lies_in_no_file() -> None:
    """So it may be waited for; and what cannot be read may have any name."""
    waits = "//- .github/workflows/b.yml\n+on:\n+  workflow_run:\n+    workflows: [{0}]\n+jobs: {b: {}}\n"
    assert _subjects(waits.replace("{0}", "tests"), AWAITS) == ["tests"]
    assert _subjects(waits.replace("{0}", "pages-build-deployment, CodeQL, Dependabot Updates"), AWAITS) == []
    broken = "//- .github/workflows/c.yml\n name: tests\n jobs: {c: [\n"
    assert _subjects(waits.replace("{0}", "tests") + broken, AWAITS) == []


def test_checks_of_a_deleted_workflow_are_missed_where_proposed_changes_ran_it() -> None:
    """A workflow of another event reported nothing that a branch could require."""
    gone = "//- .github/workflows/a.yml\n-on: {0}\n-jobs:\n-  a:\n-    name: build all\n-    steps: []\n"
    assert _subjects(gone.replace("{0}", "pull_request"), REPORTED) == ["build all"]
    assert _subjects(gone.replace("{0}", "schedule"), REPORTED) == []


@pytest.mark.parametrize(
    ("path", "line", "is_hit"),
    [
        ("tools/a.sh", "cd /home/qingsong/src", True),
        ("Makefile", "CC = /Users/qingsong/bin/cc", True),
        ("tools/a.sh", "cd /home/runner/work && ls /home/$USER ~/x", False),
        ("tools/a.sh", "docker run -v $PWD:/home/qingsong/x -w /home/qingsong image", False),
        ("tools/a.sh", "# cd /home/qingsong/src", False),
        ("tests/a.sh", "cd /home/qingsong/src", False),
        ("tools/a.sh", "cd /home/BigProject/src", False),
        ("omni/a.sh", "cd /home/omni/src", False),
        ("tools/a.sh", "cd /home/perf-runner/src", False),
        ("docs/a.yaml", "path: /home/qingsong/src", False),
        ("Dockerfile", "RUN useradd qingsong && cd /home/qingsong", False),
        (".github/workflows/run_tests.yml", "x: cd /data/qingsong/x; git config user.name 'qingsong'", True),
        (
            ".github/workflows/run_tests.yml",
            "x: see qingsong-lab.github.io; git config user.email qingsong@a.org",
            True,
        ),
        (".github/workflows/a.yml", "x: cd /srv/releng/x; git config user.email releng@corp.org", False),
        (".github/workflows/run_tests.yml", "x: cd tests/primer/x; git config user.name 'Primer Bot'", False),
        (".github/workflows/run_tests.yml", "x: cd /opt/primer/x; git config user.email primer@example.com", False),
    ],
)
def test_what_works_for_one_person_is_told(path: str, line: str, *, is_hit: bool) -> None:
    """Home folders of a name no image makes, and names that the file itself tells git."""
    assert bool(_subjects(f"//- {path}\n a: b\n+{line}\n", WHOSE)) is is_hit


@pytest.mark.parametrize(
    ("job", "is_shared"),
    [
        ("runs-on: [self-hosted, gpu]", True),
        ("runs-on: our-gpu", True),
        ("runs-on: [self-hosted, gpu]\n    container: ubuntu:24.04", False),
        ("runs-on: blacksmith-4vcpu-ubuntu-2404", False),
        ("runs-on: ${{ matrix.os }}", False),
        ("runs-on: ubuntu-24.04", False),
    ],
)
def test_a_job_is_on_a_shared_machine_where_others_processes_can_be(job: str, *, is_shared: bool) -> None:
    """Not in a container of its own, nor on what is rented for it alone."""
    workflow = parse_workflow(f"on: push\njobs:\n  a:\n    {job}\n    steps: []\n")
    assert workflow is not None
    assert workflow.jobs[0].is_shared is is_shared


@pytest.mark.parametrize("text", ["", "a: b", "jobs: [a]", "a: &a [*a]", "jobs: {a: {steps: [x, {run: [y]}]}}", "\t{"])
def test_what_is_no_workflow_is_passed_over(text: str) -> None:
    """Other shapes, and texts that do not parse, have no steps that run anything."""
    workflow = parse_workflow(text)
    assert workflow is None or all(step.run is None for _, step in workflow.steps())
