"""Record a user's sources, and replay a recording offline from sync to recommendation, always with the same result."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge import installation, registry
from bridge.advice import recommend
from bridge.auth.vault import Vault
from bridge.domain.errors import SetupError
from bridge.domain.guard import Guard
from bridge.domain.records import FOLDER_CONNECTION, Connection, FullRecommendation, Silence, User
from bridge.domain.rendering import for_person, told
from bridge.domain.slots import zone_at
from bridge.domain.types import Outcome, Reading
from bridge.ingest import connecting, runs
from bridge.ingest.files import new_folder
from bridge.ingest.sync import Source, sync
from bridge.recordings.exchanges import PLAIN_NUMBER, Cleaner, Player, Recorder, Redactor
from bridge.recordings.server import LabServer
from bridge.recordings.shift import Shift
from bridge.store import Store
from rhythm_env.interface import Meter

if TYPE_CHECKING:
    from bridge.store import Store

ABOUT_FILE, GOLDEN_FILE, FILES_FOLDER = "recording.json", "golden.json", "files"
RECORDING_VERSION = 1
GOLDEN_DIGITS = 6  # processors differ in the last digits of exp and log
NEVER_EXPIRES = "2100-01-01T00:00:00+00:00"
REPLAY_TOKEN = {  # never expires; the player checks no token
    **dict.fromkeys(("access_token", "refresh_token", "token", "api_key"), "replayed"),
    "expires_at": datetime.fromisoformat(NEVER_EXPIRES).timestamp(),
    "expiry": NEVER_EXPIRES,
    "scopes": [],
}


@dataclass(frozen=True, slots=True)
class Redirected:
    """An account that sends its requests to ``address`` instead of the vendor.

    It has the token of ``account`` and its settings, except for ``base_url``.
    """

    account: installation.StoredAccount
    address: str

    @property
    def settings(self) -> Mapping[str, str]:
        return {**self.account.settings, "base_url": self.address}

    @property
    def zone(self) -> str:
        return self.account.zone

    @property
    def allow_hosts(self) -> Collection[str]:
        return self.account.allow_hosts

    def token(self) -> dict[str, Any] | None:
        return self.account.token()

    def save_token(self, token: Mapping[str, Any]) -> None:
        self.account.save_token(token)

    def refresh_lock(self) -> AbstractContextManager[None]:
        return self.account.refresh_lock()


def record(bridge: installation.Bridge, user: User, folder: Path, *, at: datetime) -> list[Outcome]:
    """Record what each account answers to a full sync, into a new or empty folder. Return the outcome per account.

    Raises SetupError if no account can be recorded, or for a folder that is not empty.
    """
    live = _live(bridge, user, None)
    new_folder(folder, f"bridge record FOLDER --user {user.name}")
    _write(folder / ABOUT_FILE, _circumstances(bridge, zone_at(at, user.zones).key, at))
    return [_record_one(bridge, connection, folder, Cleaner(), at=at) for connection in live]


def record_redacted(
    bridge: installation.Bridge, user: User, source: str | None, folder: Path, *, at: datetime
) -> tuple[Outcome, Redactor]:
    """Record one account without personal data. Return the outcome, and the redactor with its counts.

    ``source`` may be None if only one account can be recorded. Raises SetupError if several or none can, if the source
    does not say which fields may be given away, or for a folder that is not empty.
    """
    live = _live(bridge, user, source)
    if len(live) > 1:
        names = ", ".join(sorted({connection.source for connection in live}))
        raise SetupError(
            f"redacting reads the recordings of one source at a time; add --source SOURCE, with one of {names}"
        )
    spec = registry.spec(live[0].source)
    if spec.shareable is None:
        raise SetupError(f"{spec.name} does not say which of its fields may be given away; record it without --redact")
    new_folder(folder, f"bridge record FOLDER --redact --user {user.name}")
    shift = Shift.secret(zone_at(at, user.zones), at)
    redactor = Redactor(spec.shareable, shift)
    about = _circumstances(bridge, str(shift.zone(shift.home.key)), at + shift.by)
    _write(folder / ABOUT_FILE, about | {"redacted": True})
    return _record_one(bridge, live[0], folder, redactor, at=at), redactor


def _live(bridge: installation.Bridge, user: User, source: str | None) -> list[Connection]:
    live = [c for c in connecting.connections_of(bridge, user, source) if recordable(bridge.store, c)]
    if not live:
        raise SetupError(
            f"{user.name} has no account that can be recorded; connect one: bridge connect SOURCE --user {user.name}"
        )
    return live


def _circumstances(bridge: installation.Bridge, zone: str, at: datetime) -> dict[str, Any]:
    return {
        "version": RECORDING_VERSION,
        "now": at.isoformat(),
        "zone": zone,
        "classifier": bridge.settings.classifier,
        "policy": bridge.settings.policy,
    }


def recordable(store: Store, connection: Connection) -> bool:
    """Return True for a connection that can be recorded.

    It must have a consent, must not be a folder, and its source must have the setting ``base_url``.
    """
    named = {setting.name for setting in registry.spec(connection.source).settings}
    account = store.connections.secret(connection.id) is not None and not connection.name.startswith(FOLDER_CONNECTION)
    return account and "base_url" in named


def _record_one(
    bridge: installation.Bridge, connection: Connection, folder: Path, cleaner: Cleaner | Redactor, *, at: datetime
) -> Outcome:
    spec = registry.spec(connection.source)
    account = bridge.account(connection, spec)
    outcome, body = recorded(spec.name, account, cleaner, at=at)
    _write(folder / f"{spec.name}.json", body)
    return outcome


def recorded(
    source: str, account: installation.StoredAccount, cleaner: Cleaner | Redactor, *, at: datetime
) -> tuple[Outcome, dict[str, Any]]:
    """Sync an account into an empty store. Return the outcome, and the recorded exchanges with the settings used."""
    recorder = Recorder(account.settings["base_url"], cleaner)
    with LabServer(recorder.application) as server, closing(Store("sqlite://")) as scratch:
        person = scratch.people.add_user("recorded", "UTC", now=at)
        place = scratch.connections.connect(person.id, source, "account", now=at)
        outcome = _synced(scratch, place, Redirected(account, server.url), at=at)
    names = [setting.name for setting in registry.spec(source).settings if not setting.secret and _keeps(setting.name)]
    plain = {name: account.settings[name] for name in names if name in account.settings}
    if isinstance(cleaner, Redactor):
        plain = {name: value for name, value in plain.items() if value == "" or PLAIN_NUMBER.fullmatch(value)}
    return outcome, {"settings": plain, "exchanges": recorder.exchanges}


def _keeps(name: str) -> bool:
    return not name.endswith(("_url", "_uri", "_id"))


def _synced(store: Store, connection: Connection, account: Any, *, at: datetime) -> Outcome:
    spec = registry.spec(connection.source)

    def opened() -> Any:
        return registry.resolve(spec.opens or "")(account)

    source = Source(connection=connection, spec=spec, open=opened, normalise=installation.normaliser(spec))
    return sync(source, store, holder="replay/1", now=at)


def _write(path: Path, body: Any) -> None:
    path.write_text(json.dumps(body, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")


def replay(folder: Path) -> dict[str, Any]:
    """Replay a recording in an empty store, and return the result as a JSON document.

    Raises SetupError for a folder without a recording, and for a request that was not recorded.
    """
    about = _about(folder)
    at = datetime.fromisoformat(about["now"])
    with closing(Store("sqlite://")) as store:
        user = store.people.add_user("replayed", about["zone"], now=datetime.fromisoformat("2000-01-01T00:00:00+00:00"))
        outcomes = [_replay_one(store, user, path, at) for path in _sources(folder)]
        bridge = installation.Bridge(settings=replace(_settings(folder), classifier=about["classifier"]), store=store)
        if (folder / FILES_FOLDER).is_dir():
            outcomes += runs.import_path(bridge, user, folder / FILES_FOLDER, at=at).outcomes
        observation, readings = recommend.build_observation(bridge, user, at=at)
        advice = recommend.recommend(bridge, user, registry.policy(about["policy"]), now=at, guard=Guard())
        landed = {outcome.source: _landed(outcome) for outcome in outcomes}
        counts = store.reading.counts(user.id)
    result: dict[str, Any] = _rounded(
        {
            "landed": landed,
            "rows": {source: dict(sorted(kinds.items())) for source, kinds in sorted(counts.items())},
            "observation": observation.to_json(),
            "because": {str(meter): _because(readings[meter]) for meter in Meter},
            "recommendation": _advice(advice),
        }
    )
    return result


def _advice(found: FullRecommendation | Silence) -> dict[str, Any]:
    if isinstance(found, Silence):
        return {"action": None, "reasons": for_person(found.facts)}
    return {
        "action": str(found.action),
        "kind": found.kind,
        "start": None if found.start is None else found.start.isoformat(),
        "end": None if found.end is None else found.end.isoformat(),
        "policy": found.policy,
        "belief": dict(found.belief),
        "scores": dict(found.scores),
        "probabilities": dict(found.probabilities),
        "reasons": for_person(found.facts),
    }


def _about(folder: Path) -> dict[str, Any]:
    try:
        about: dict[str, Any] = json.loads((folder / ABOUT_FILE).read_text(encoding="utf-8"))
        if about["version"] != RECORDING_VERSION:
            raise SetupError(
                "another release wrote this recording; record into a new folder: bridge record FOLDER --user NAME"
            )
    except (OSError, ValueError, KeyError, TypeError):
        raise SetupError(f"{folder} is not a recording; make one: bridge record FOLDER --user NAME") from None
    return about


def _sources(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.glob("*.json")) if path.name not in (ABOUT_FILE, GOLDEN_FILE)]


def _settings(folder: Path) -> Any:
    from bridge.config import load

    return replace(load(), folder=folder)


def _replay_one(store: Store, user: User, path: Path, at: datetime) -> Outcome:
    spec = registry.spec(path.stem)
    saved = json.loads(path.read_text(encoding="utf-8"))
    player = Player(saved["exchanges"])
    connection = store.connections.connect(user.id, spec.name, "account", now=at)
    with LabServer(player.application) as server:
        settings = {s.name: s.default if s.secret and s.default is not None else "replayed" for s in spec.settings}
        settings |= {name: server.url for name in settings if name.endswith(("_url", "_uri"))} | saved["settings"]
        account = installation.StoredAccount(connection.id, settings, store, _throwaway())
        account.save_token(REPLAY_TOKEN)
        outcome = _synced(store, connection, account, at=at)
    if player.unknown:
        raise SetupError(
            f"{spec.name} now asks for {player.unknown[0]}, which is not recorded; "
            "record into a new folder: bridge record FOLDER --user NAME"
        )
    return outcome


def _throwaway() -> Vault:
    return Vault(["cmVwbGF5ZWQtcmVwbGF5ZWQtcmVwbGF5ZWQtcmVwbGE="])  # seals only the replay's own token


def _landed(outcome: Outcome) -> dict[str, Any]:
    return {
        "outcome": outcome.outcome,
        "new": outcome.new,
        "set_aside": outcome.set_aside,
        "reasons": list(outcome.reasons),
        "failed_files": [list(pair) for pair in outcome.failed_files],
    }


def _because(reading: Reading) -> list[dict[str, Any]]:
    return [
        {
            "signal": b.signal,
            "source": b.source,
            "z": b.z,
            "contribution": b.contribution,
            "text": told(b.fact),
        }
        for b in reading.because
    ]


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, GOLDEN_DIGITS)
    if isinstance(value, Mapping):
        return {name: _rounded(inner) for name, inner in value.items()}
    return [_rounded(inner) for inner in value] if isinstance(value, list | tuple) else value


def text(result: Mapping[str, Any]) -> str:
    """Return a replay's result as JSON text, in the form of the file ``golden.json``."""
    return json.dumps(result, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def golden(folder: Path) -> str | None:
    """Return the expected result of a recording as text (``golden.json``), or None if the file is missing."""
    path = folder / GOLDEN_FILE
    return path.read_text(encoding="utf-8") if path.exists() else None
