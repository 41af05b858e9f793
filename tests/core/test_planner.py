"""The planner: rules by example, and its laws under any order of events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from roundzero.core.plan import (
    Accept,
    Cancel,
    Closed,
    Collected,
    Edited,
    Effect,
    Event,
    Finished,
    HeadMoved,
    Lane,
    ModelAsked,
    Opened,
    Paused,
    Rebase,
    Resumed,
    Rhythm,
    RoundAsked,
    Saved,
    SettingsChanged,
    Start,
    Stopped,
    Tick,
    WakeAt,
)
from roundzero.core.planner import PARALLEL, RETRY, Planner
from roundzero.core.text import RelPath

if TYPE_CHECKING:
    from collections.abc import Sequence

A = RelPath("a.py")
B = RelPath("b.py")
C = RelPath("c.py")


def started(effects: Sequence[Effect]) -> list[Start]:
    """The jobs begun by some effects."""
    return [effect for effect in effects if isinstance(effect, Start)]


def test_an_opened_file_is_looked_at_at_once() -> None:
    """Opening waits for no debounce."""
    assert Planner().handle(Opened(A, 1), 5.0) == [Start(1, Lane.FAST, A, 1)]


def test_an_edit_waits_for_the_debounce() -> None:
    """After an edit the planner asks to be woken, and starts then."""
    planner = Planner(Rhythm(debounce=0.15))
    assert planner.handle(Edited(A, 2), 1.0) == [WakeAt(1.15)]
    assert planner.handle(Tick(), 1.1) == [WakeAt(1.15)]
    assert planner.handle(Tick(), 1.15) == [Start(1, Lane.FAST, A, 2)]


def test_an_edit_ends_the_job_of_the_older_text() -> None:
    """A running job is cancelled, and its late result is nobody's."""
    planner = Planner()
    planner.handle(Opened(A, 1), 0.0)
    assert planner.handle(Edited(A, 2), 0.01)[0] == Cancel(1)
    assert not [effect for effect in planner.handle(Finished(1), 0.02) if isinstance(effect, Accept | Rebase)]


def served(planner: Planner, *, seconds: float, key: float, job: float) -> list[float]:
    """When results came while someone typed a key every ``key`` seconds and jobs took ``job`` seconds."""
    ends: dict[int, float] = {}
    times: list[float] = []
    wake: float | None = None
    for step in range(round(seconds * 100)):
        now = step / 100
        events: list[Event] = [Finished(number) for number, at in ends.items() if at <= now]
        events += [Edited(A, step)] if step % round(key * 100) == 0 else []
        events += [Tick()] if wake is not None and wake <= now else []
        for event in events:
            effects = planner.handle(event, now)
            gone = {effect.job for effect in effects if isinstance(effect, Cancel | Accept | Rebase)}
            ends = {number: at for number, at in ends.items() if number not in gone}
            ends |= {effect.job: now + job for effect in started(effects)}
            times += [now for effect in effects if isinstance(effect, Accept | Rebase)]
            wake = next((effect.at for effect in effects if isinstance(effect, WakeAt)), None)
    return times


def test_someone_who_never_pauses_is_served() -> None:
    """Keys every 50 ms, jobs of 80 ms: a result arrives at least once in max_delay plus one job."""
    times = served(Planner(Rhythm(debounce=0.15, max_delay=0.6)), seconds=5, key=0.05, job=0.08)
    assert len(times) >= 6
    assert max(later - earlier for earlier, later in zip([0.0, *times], times, strict=False)) < 0.8


def test_a_result_of_the_current_version_is_accepted() -> None:
    """Nothing came in between: the result is taken as it is."""
    planner = Planner()
    planner.handle(Opened(A, 1), 0.0)
    assert planner.handle(Finished(1), 0.1) == [Accept(1)]


def test_a_failed_job_is_tried_once_more() -> None:
    """A second later, since most failures of the world pass; after that the next event decides."""
    planner = Planner()
    planner.handle(Opened(A, 1), 0.0)
    assert planner.handle(Finished(1, failed=True), 0.5) == [WakeAt(0.5 + RETRY)]
    assert planner.handle(Tick(), 0.5 + RETRY) == [Start(2, Lane.FAST, A, 1)]
    assert planner.handle(Finished(2, failed=True), 2.0) == []
    planner.handle(RoundAsked(), 3.0)
    assert planner.handle(Finished(3, failed=True), 3.5) == [WakeAt(3.5 + RETRY)]


def test_files_wait_until_the_change_was_collected() -> None:
    """Before that nothing is known to compare a buffer with; opening one asks for the change, and so does typing."""
    planner = Planner(Rhythm(debounce=0.15), collected=False)
    assert planner.handle(Opened(A, 1), 0.0) == [Start(1, Lane.CHANGE, None, None)]
    assert planner.handle(Opened(B, 1), 0.1) == []
    collected = planner.handle(Collected(frozenset()), 0.2)
    assert [(start.lane, start.path) for start in started(collected)] == [(Lane.FAST, A), (Lane.FAST, B)]
    stopped = Planner(Rhythm(debounce=0.15), collected=False)
    stopped.handle(Opened(A, 1), 0.0)
    stopped.handle(Stopped(), 0.1)
    assert stopped.handle(Edited(A, 2), 1.0) == [WakeAt(1.15)]
    assert started(stopped.handle(Tick(), 1.15)) == [Start(2, Lane.CHANGE, None, None)]


def test_with_on_save_typing_starts_nothing_and_saving_does() -> None:
    """``run = onSave``: edits outdate the result, a save asks for a new one and for the change."""
    planner = Planner(Rhythm(on_type=False))
    assert planner.handle(Edited(A, 2), 0.0) == []
    assert started(planner.handle(Saved(A), 1.0)) == [Start(1, Lane.FAST, A, 2)]
    assert started(planner.handle(Tick(), 1.1)) == [Start(2, Lane.CHANGE, None, None)]


def test_a_burst_of_repository_events_is_one_refresh() -> None:
    """A checkout that touches many files collects the change once."""
    planner = Planner()
    for step in range(5):
        assert not started(planner.handle(HeadMoved(), step * 0.01))
    assert started(planner.handle(Tick(), 0.14)) == [Start(1, Lane.CHANGE, None, None)]


def test_a_head_that_moves_again_ends_the_running_refresh() -> None:
    """What a refresh was made of is gone, so it starts over."""
    planner = Planner()
    planner.handle(RoundAsked(), 0.0)
    assert planner.handle(HeadMoved(), 0.1) == [Cancel(1), WakeAt(0.2)]


def test_closing_ends_the_job_and_refreshes_the_change() -> None:
    """A closed buffer's text is the disk's again."""
    planner = Planner()
    planner.handle(Opened(A, 1), 0.0)
    assert planner.handle(Closed(A), 1.0) == [Cancel(1), WakeAt(1.1)]


def test_only_open_files_are_asked_again_after_a_collection() -> None:
    """Files that are not open belong to the change lane."""
    planner = Planner()
    planner.handle(Opened(A, 1), 0.0)
    planner.handle(Finished(1), 0.1)
    assert planner.handle(Collected(frozenset({A, B})), 1.0) == [Start(2, Lane.FAST, A, 1)]


def test_a_collection_leaves_a_running_look_alone_and_asks_again_after_it() -> None:
    """Somebody waits for it; the look that follows takes what was collected into account."""
    planner = Planner()
    planner.handle(Opened(A, 1), 0.0)
    assert planner.handle(Collected(frozenset({A})), 0.1) == []
    assert planner.handle(Finished(1), 0.2) == [Accept(1), Start(2, Lane.FAST, A, 1)]


def test_many_opened_files_take_turns() -> None:
    """A restored session with many tabs runs a few jobs at once, the oldest wish first."""
    planner = Planner()
    for number, path in enumerate((A, B, C)):
        planner.handle(Opened(path, 1), float(number))
    assert planner.running == PARALLEL
    assert planner.handle(Finished(1), 5.0) == [Accept(1), Start(3, Lane.FAST, C, 1)]


def test_a_pause_remembers_what_came_in() -> None:
    """Paused starts nothing; resumed starts what waited."""
    planner = Planner()
    planner.handle(Paused(), 0.0)
    assert planner.handle(Edited(A, 2), 1.0) == []
    assert planner.handle(Resumed(), 9.0) == [Start(1, Lane.FAST, A, 2)]


def test_new_settings_end_every_job_and_ask_again() -> None:
    """Results under old rules are worth nothing; files wait for the change as the new ones see it."""
    planner = Planner()
    planner.handle(Opened(A, 1), 0.0)
    effects = planner.handle(SettingsChanged(Rhythm(debounce=1.0)), 1.0)
    assert effects == [Cancel(1), Start(2, Lane.CHANGE, None, None)]
    assert planner.handle(Collected(frozenset()), 1.1) == [Start(3, Lane.FAST, A, 1)]


IDLE = Rhythm(debounce=0.15, model_idle=2.0)


def asked(effects: Sequence[Effect]) -> list[int]:
    """The jobs of the model lane begun by some effects."""
    return [start.job for start in started(effects) if start.lane is Lane.MODEL]


def quiet(planner: Planner, now: float) -> float:
    """Let everything but the model's job end; the time then."""
    for _ in range(20):
        running = [work.job.number for work in (*planner._files.values(), planner._change) if work.job is not None]
        for number in running:
            planner.handle(Finished(number), now)
        if not running:
            break
    return now


def test_a_model_is_asked_after_a_rest() -> None:
    """Each edit starts the rest anew, and the checks come first."""
    planner = Planner(IDLE)
    planner.handle(Edited(A, 2), 0.0)
    planner.handle(Edited(A, 3), 1.0)
    planner.handle(Tick(), 1.15)
    assert planner.handle(Finished(1), 1.2) == [Accept(1), WakeAt(3.0)]
    assert asked(planner.handle(Tick(), 2.9)) == []
    assert asked(planner.handle(Tick(), 3.0)) == [2]


def test_edits_leave_a_running_question_alone() -> None:
    """What comes is carried over, because it was paid for, and the new text is asked about later."""
    planner = Planner(IDLE)
    planner.handle(ModelAsked(), 0.0)
    for version in range(2, 9):
        assert Cancel(1) not in planner.handle(Edited(A, version), version / 10)
    now = quiet(planner, 1.0)
    planner.handle(Tick(), now)
    quiet(planner, now)
    effects = planner.handle(Finished(1), 1.5)
    assert effects[0] == Rebase(1)
    assert effects[-1] == WakeAt(0.8 + 2.0)


def test_a_model_waits_for_what_costs_nothing() -> None:
    """It is told what the checks saw; while any runs or is due it is not started."""
    planner = Planner(IDLE)
    planner.handle(Opened(A, 1), 0.0)
    assert asked(planner.handle(ModelAsked(), 0.1)) == []
    assert asked(planner.handle(Finished(1), 0.2)) == [2]


def test_on_save_only_a_save_asks() -> None:
    """Edits and collected changes do not."""
    planner = Planner(Rhythm(model_on_save=True))
    planner.handle(Edited(A, 2), 0.0)
    planner.handle(Tick(), 0.5)
    planner.handle(Finished(1), 0.6)
    planner.handle(Collected(frozenset()), 0.7)
    assert planner.due is None
    planner.handle(Saved(A), 1.0)
    planner.handle(Tick(), 1.1)
    assert asked(planner.handle(Finished(2), 1.2)) == [3]


def test_without_a_rhythm_of_its_own_only_a_wish_asks() -> None:
    """Mode manual: edits, saves and new changes start nothing."""
    planner = Planner(Rhythm())
    for event in (Opened(A, 1), Edited(A, 2), Saved(A), Collected(frozenset())):
        planner.handle(event, 0.0)
    for _ in range(5):
        quiet(planner, 9.0)
        planner.handle(Tick(), 9.0)
    assert planner.due is None
    assert not planner.asking
    assert asked(planner.handle(ModelAsked(), 10.0)) != []


def test_a_pause_ends_the_question_and_resuming_asks_it_again() -> None:
    """It spends, so it does not go on behind a pause."""
    planner = Planner(IDLE)
    planner.handle(ModelAsked(), 0.0)
    assert planner.handle(Paused(), 0.5) == [Cancel(1)]
    assert asked(planner.handle(Resumed(), 9.0)) == [2]


paths = st.sampled_from([A, B, C])


class Life(RuleBasedStateMachine):
    """Any order of events, with the engine's part (jobs that end or are cancelled, a clock, a timer) simulated."""

    def __init__(self) -> None:
        """Start with nothing open."""
        super().__init__()
        self.planner = Planner(Rhythm(debounce=0.2, max_delay=0.5, model_idle=0.8))
        self.edits = 0
        self.asked_at: dict[int, int] = {}
        self.now = 0.0
        self.wake: float | None = None
        self.jobs: dict[int, Start] = {}
        self.versions: dict[RelPath, int] = {}
        self.paused = False
        self.cancelled: set[int] = set()

    def send(self, event: Event) -> None:
        """Hand an event in and carry out the effects, checking each."""
        ended = self.jobs.pop(event.job, None) if isinstance(event, Finished) else None
        self.wake = None
        for effect in self.planner.handle(event, self.now):
            match effect:
                case Start(job, lane, path, version):
                    assert not self.paused
                    assert all((other.lane, other.path) != (lane, path) for other in self.jobs.values())
                    assert path is None or version == self.versions[path]
                    if lane is Lane.MODEL:
                        assert not self.jobs
                        self.asked_at[job] = self.edits
                    self.jobs[job] = effect
                case Cancel(job):
                    if self.jobs[job].lane is Lane.MODEL:
                        assert isinstance(event, Paused | Stopped | SettingsChanged)
                    del self.jobs[job]
                    self.cancelled.add(job)
                case Accept(job):
                    assert ended is not None
                    assert ended.job == job
                    assert ended.path is None or ended.version == self.versions[ended.path]
                    assert ended.lane is not Lane.MODEL or self.asked_at[job] == self.edits
                case Rebase(job):
                    assert ended is not None
                    assert ended.job == job
                    if ended.path is None:
                        assert ended.lane is Lane.MODEL
                        assert self.asked_at[job] != self.edits
                    else:
                        assert ended.version != self.versions[ended.path]
                case WakeAt(at):
                    assert at > self.now
                    self.wake = at

    @rule(path=paths)
    def open(self, path: RelPath) -> None:
        """Open a file, perhaps once more, with a version that may have been there before."""
        self.versions[path] = 1
        self.edits += 1
        self.send(Opened(path, 1))

    @rule(path=paths)
    def edit(self, path: RelPath) -> None:
        """Type."""
        self.versions[path] = self.versions.get(path, 0) + 1
        self.edits += 1
        self.send(Edited(path, self.versions[path]))

    @rule(path=paths)
    def save(self, path: RelPath) -> None:
        """Save."""
        self.send(Saved(path))

    @rule(path=paths)
    def close(self, path: RelPath) -> None:
        """Close."""
        self.versions.pop(path, None)
        self.edits += 1
        self.send(Closed(path))

    @rule(event=st.sampled_from([HeadMoved(), RoundAsked(), ModelAsked(), Stopped(), Collected(frozenset({A, C}))]))
    def happen(self, event: Event) -> None:
        """Something in the repository."""
        self.send(event)

    @rule(on_type=st.booleans(), idle=st.sampled_from([None, 0.8]), on_save=st.booleans())
    def configure(self, on_type: bool, idle: float | None, on_save: bool) -> None:
        """Change the settings."""
        self.send(SettingsChanged(Rhythm(0.2, 0.5, on_type=on_type, model_idle=idle, model_on_save=on_save)))

    @rule(paused=st.booleans())
    def pause(self, paused: bool) -> None:
        """Pause or resume."""
        self.paused = paused
        self.send(Paused() if paused else Resumed())

    @rule(seconds=st.sampled_from([0.01, 0.1, 0.3, 1.0]))
    def wait(self, seconds: float) -> None:
        """Let time pass; the timer fires."""
        self.now += seconds
        if self.wake is not None and self.wake <= self.now:
            self.send(Tick())

    @precondition(lambda self: self.jobs)
    @rule(data=st.data(), failed=st.booleans())
    def finish(self, data: st.DataObject, failed: bool) -> None:
        """A job ends."""
        self.send(Finished(data.draw(st.sampled_from(sorted(self.jobs))), failed))

    @precondition(lambda self: self.cancelled)
    @rule(data=st.data())
    def finish_after_cancel(self, data: st.DataObject) -> None:
        """The result of a cancelled job comes all the same, and changes nothing."""
        self.send(Finished(data.draw(st.sampled_from(sorted(self.cancelled)))))

    @invariant()
    def counts_agree(self) -> None:
        """The planner knows exactly the jobs that run."""
        assert self.planner.running == len(self.jobs)

    @invariant()
    def nothing_overdue_is_forgotten(self) -> None:
        """Whatever waits has a timer in the future."""
        assert self.planner.due == self.wake

    def teardown(self) -> None:
        """Following WakeAt and ending jobs leads to rest, in few steps."""
        self.paused = False
        self.send(Resumed())
        for _ in range(50):
            if self.jobs:
                self.send(Finished(min(self.jobs)))
            elif self.wake is not None:
                self.now = self.wake
                self.send(Tick())
            else:
                break
        assert not self.jobs
        assert self.planner.due is None


TestLife = Life.TestCase
TestLife.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)


def test_an_edit_that_waits_for_a_save_or_a_pause_is_behind() -> None:
    """One that is about to be looked at is not."""
    path = A
    typing = Planner(Rhythm())
    typing.handle(Edited(path, 2), 0.0)
    behind = [typing.behind]
    typing.handle(Paused(), 0.1)
    behind.append(typing.behind)
    saving = Planner(Rhythm(on_type=False))
    saving.handle(Edited(path, 2), 0.0)
    behind.append(saving.behind)
    saving.handle(Saved(path), 1.0)
    assert [*behind, saving.behind] == [False, True, True, False]
