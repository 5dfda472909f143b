"""The page of ``bench label --web`` and ``bench adjudicate --web``: who gets which address, and what is said at the end."""

from __future__ import annotations

import argparse
import secrets
import sys
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, redirect_stdout

from bench.cases.load import LoadedCase, LoadedSuite
from bench.labelling.desk import Desk, Show
from bench.labelling.hand import Hand
from bench.labelling.records import AgreementView
from bench.labelling.ruling import Chair
from bench.labelling.server import guarded_app, listen, server_of
from bench.labelling.sitting import AtHand, label_desk, ruling_desk
from bench.labels.load import Labels
from bench.projection.project import preset_named
from bench.schema.case import Attempt
from bench.terminal.say import print_json
from bench.terminal.words import counted
from bench.workspace import session_folders, views_of


def serve_labels(args: argparse.Namespace, suite: LoadedSuite, hands: Sequence[Hand], cases: frozenset[str]) -> int:
    """Serve the annotators until the process is told to end."""
    at_hand = _at_hand(args, suite)
    desks = {hand.annotator: label_desk(suite, hand, cases, _show(args, suite, args.preset), at_hand) for hand in hands}

    _serve(args, desks, (lambda: _agreement(suite, list(desks))) if args.pilot else None)
    purpose: dict[str, str | bool] = {"suite": suite.suite.id, "purpose": hands[0].purpose, "pilot": hands[0].pilot}
    if args.pilot and all(desk.is_done for desk in desks.values()):
        print(
            "all have voted: bench agreement --pilot says how far the pilot's votes agree",
            file=sys.stderr if args.json else sys.stdout,
        )
    return _ended(args, purpose, desks, "vote")


def serve_rulings(args: argparse.Namespace, suite: LoadedSuite, labels: Labels, chair: Chair) -> int:
    """Serve the adjudicator until the process is told to end."""
    desk = ruling_desk(suite, labels, chair, _show(args, suite, "reading"), _at_hand(args, suite))
    desks = {chair.adjudicator: desk}
    _serve(args, desks, None)
    return _ended(args, {"suite": suite.suite.id, "purpose": "rulings"}, desks, "ruling")


def _agreement(suite: LoadedSuite, annotators: Sequence[str]) -> AgreementView:
    from bench.labelling.pilot_agreement import pilot_agreement  # nothing is measured before all have voted

    return pilot_agreement(suite, annotators)


def _show(args: argparse.Namespace, suite: LoadedSuite, preset: str) -> Show:
    views, chosen = views_of(suite.layout, session_folders(suite.layout, args.sessions)), preset_named(preset)
    return lambda loaded, attempt: views.make(loaded, attempt, chosen)


def _at_hand(args: argparse.Namespace, suite: LoadedSuite) -> AtHand:
    folders = session_folders(suite.layout, args.sessions)

    def at_hand(loaded: LoadedCase, attempt: Attempt) -> bool:
        reference = attempt.events_from.reference if attempt.events_from is not None else None
        return reference is None or folders.find(reference.sha256) is not None

    return at_hand


def _serve(args: argparse.Namespace, desks: Mapping[str, Desk], agreement: Callable[[], AgreementView] | None) -> None:
    if not any(desk.state().total for desk in desks.values()):
        print("there is no item to show, so no page is served (bench lint, bench agreement say more)", file=sys.stderr)
        return
    tokens = {secrets.token_urlsafe(24): person for person in desks}
    with listen(args.port) as listening:
        port = listening.getsockname()[1]
        with redirect_stdout(sys.stderr) if args.json else nullcontext():
            for token, person in tokens.items():
                address = f"http://127.0.0.1:{port}/?token={token}"
                state = desks[person].state()
                print(f"{person}: {address}  ({state.total - state.done} of {state.total} open)", flush=True)
                if args.open:
                    webbrowser.open(address)
            print("each address is for one person only; Ctrl-C ends", flush=True)
        try:
            server_of(guarded_app(desks, tokens, port, agreement)).run(sockets=[listening])
        except KeyboardInterrupt:
            return  # how a page is ended; what was answered is on disk


def _ended(args: argparse.Namespace, purpose: Mapping[str, str | bool], desks: Mapping[str, Desk], noun: str) -> int:
    states = [desk.state() for desk in desks.values()]
    if args.json:
        people = [
            {
                "person": s.person,
                f"{noun}s_given": s.sitting,
                "done": s.done,
                "open": s.total - s.done,
                "attempts_passed_over": s.passed_over,
            }
            for s in states
        ]
        print_json({"exit_code": 0, **purpose, "people": people})
        return 0
    for s in states:
        left = f"{s.total - s.done} open" if s.done < s.total else "nothing is left"
        passed = f", {counted(s.passed_over, 'attempt')} passed over" if s.passed_over else ""
        print(f"{s.person}: {counted(s.sitting, noun)} in this sitting, {s.done} of {s.total} in all, {left}{passed}")
    if any(s.done < s.total for s in states):
        print("the same command goes on from here; half-filled forms are kept too")
    return 0
