"""Record what a person's sources answer, and run the whole chain on a recording: offline, the same on every machine.

A recording is a folder: ``recording.json`` (when, where, by which classifier and policy), ``<source>.json`` per live
source, ``files/`` with exports, and ``golden.json``, what it must come to.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from bridge import advise, app, registry
from bridge.errors import SetupError
from bridge.files import new_folder
from bridge.intake import FOLDER
from bridge.lab.recording import Player, Recorder
from bridge.lab.server import LabServer
from bridge.ports import Connection, ConnectorSpec, Store, User
from bridge.store import open_store
from bridge.sync import OnPage, Source, silent, sync
from bridge.types import Outcome, Reading
from bridge.vault import Vault
from rhythm_env.interface import Meter, zone_at

ABOUT, GOLDEN, FILES = "recording.json", "golden.json", "files"
VERSION = 1
DIGITS = 6  # machines differ in the last digits of exp and log
FAR = "2100-01-01T00:00:00+00:00"
TOKEN = {  # valid for ever, and for nobody: the player asks for none
    **dict.fromkeys(("access_token", "refresh_token", "token", "api_key"), "replayed"),
    "expires_at": datetime.fromisoformat(FAR).timestamp(),
    "expiry": FAR,
    "scopes": [],
}


@dataclass(frozen=True, slots=True)
class Redirected:
    """An account whose requests go to another address."""

    account: app.StoredAccount
    address: str

    @property
    def settings(self) -> Mapping[str, str]:
        return {**self.account.settings, "base_url": self.address}

    @property
    def zone(self) -> str:
        return self.account.zone

    def token(self) -> dict[str, Any] | None:
        return self.account.token()

    def save_token(self, token: Mapping[str, Any]) -> None:
        self.account.save_token(token)

    def swapping(self) -> AbstractContextManager[None]:
        return self.account.swapping()


def record(bridge: app.Bridge, user: User, folder: Path, *, at: datetime) -> list[Outcome]:
    """Pull every live source of a person from its beginning, and keep what it answered; the store is not touched."""
    live = [c for c in app.chosen(bridge, user, None) if recordable(bridge.store, c)]
    if not live:
        raise SetupError(f"{user.name} has no live source to record: bridge connect SOURCE --user {user.name}")
    new_folder(folder, f"bridge record DIR --user {user.name}")
    about = {
        "version": VERSION,
        "now": at.isoformat(),
        "zone": zone_at(at, user.zones).key,
        "classifier": bridge.settings.classifier,
        "policy": bridge.settings.policy,
    }
    _write(folder / ABOUT, about)
    return [_record_one(bridge, connection, folder, at) for connection in live]


def recordable(store: Store, connection: Connection) -> bool:
    """An account at a source whose address is a setting."""
    named = {setting.name for setting in registry.spec(connection.source).settings}
    account = store.secret(connection.id) is not None and not connection.name.startswith(FOLDER)
    return account and "base_url" in named


def _record_one(bridge: app.Bridge, connection: Connection, folder: Path, at: datetime) -> Outcome:
    spec = registry.spec(connection.source)
    account = bridge.account(connection, spec)
    recorder = Recorder(account.settings["base_url"])
    with LabServer(recorder.application) as server, closing(open_store("sqlite://")) as scratch:
        person = scratch.add_user("recorded", "UTC", now=at)
        place = scratch.connect(person.id, spec.name, "account", now=at)
        redirected = Redirected(account, server.url)
        outcome = _synced(scratch, place, spec, redirected, at=at)
    plain = {s.name: account.settings[s.name] for s in spec.settings if not s.secret and _keeps(s.name)}
    _write(folder / f"{spec.name}.json", {"settings": plain, "exchanges": recorder.exchanges})
    return outcome


def _keeps(name: str) -> bool:
    """Settings that shape what is asked for; addresses and client ids do not."""
    return not name.endswith(("_url", "_uri", "_id"))


def _synced(
    store: Store, connection: Connection, spec: ConnectorSpec, account: Any, *, at: datetime, on_page: OnPage = silent
) -> Outcome:
    def opened() -> Any:
        return registry.resolve(spec.opens or "")(account)

    source = Source(connection=connection, spec=spec, open=opened, normalise=app.normaliser(spec))
    return sync(source, store, holder="replay/1", now=at, on_page=on_page)


def _write(path: Path, body: Any) -> None:
    path.write_text(json.dumps(body, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")


def replay(folder: Path) -> dict[str, Any]:
    """What a recording comes to: what landed per source, the observation with its readings, the recommendation.

    Raises SetupError for a folder that is no recording, or one that lacks what a connector asks for now.
    """
    about = _about(folder)
    at = datetime.fromisoformat(about["now"])
    with closing(open_store("sqlite://")) as store:
        user = store.add_user("replayed", about["zone"], now=datetime.fromisoformat("2000-01-01T00:00:00+00:00"))
        outcomes = [_replay_one(store, user, path, at) for path in _sources(folder)]
        if (folder / FILES).is_dir():
            bridge = app.Bridge(settings=_settings(folder), store=store)
            outcomes += app.import_path(bridge, user, folder / FILES, at=at).outcomes
        classifier, policy = registry.classifier(about["classifier"]), registry.policy(about["policy"])
        observation, readings = advise.look(store, user, classifier, at=at)
        advice = advise.recommend(store, user, classifier, policy, now=at)
        landed = {outcome.source: _landed(outcome) for outcome in outcomes}
        counts = store.counts(user.id)
    result: dict[str, Any] = _rounded(
        {
            "landed": landed,
            "rows": {source: dict(sorted(kinds.items())) for source, kinds in sorted(counts.items())},
            "observation": observation.to_json(),
            "because": {str(meter): _because(readings[meter]) for meter in Meter},
            "recommendation": {
                "action": str(advice.action),
                "policy": advice.policy,
                "belief": dict(advice.belief),
                "scores": dict(advice.scores),
                "probabilities": dict(advice.probabilities),
                "reasons": list(advice.reasons),
            },
        }
    )
    return result


def _about(folder: Path) -> dict[str, Any]:
    try:
        about: dict[str, Any] = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        if about["version"] != VERSION:
            raise SetupError("another release wrote this recording; record again: bridge record DIR --user NAME")
    except (OSError, ValueError, KeyError, TypeError):
        raise SetupError(f"{folder} is no recording; make one: bridge record DIR --user NAME") from None
    return about


def _sources(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.glob("*.json")) if path.name not in (ABOUT, GOLDEN)]


def _settings(folder: Path) -> Any:
    from bridge.config import load

    return replace(load(), folder=folder)


def _replay_one(store: Store, user: User, path: Path, at: datetime) -> Outcome:
    spec = registry.spec(path.stem)
    saved = json.loads(path.read_text(encoding="utf-8"))
    player = Player(saved["exchanges"])
    connection = store.connect(user.id, spec.name, "account", now=at)
    with LabServer(player.application) as server:
        settings = {setting.name: "replayed" for setting in spec.settings}
        settings |= {name: server.url for name in settings if name.endswith(("_url", "_uri"))} | saved["settings"]
        account = app.StoredAccount(connection.id, settings, store, _throwaway())
        account.save_token(TOKEN)
        outcome = _synced(store, connection, spec, account, at=at)
    if player.unknown:
        raise SetupError(
            f"{spec.name} now asks for {player.unknown[0]}, which is not recorded; "
            "record again: bridge record DIR --user NAME"
        )
    return outcome


def _throwaway() -> Vault:
    return Vault(["cmVwbGF5ZWQtcmVwbGF5ZWQtcmVwbGF5ZWQtcmVwbGE="])  # seals a token that is valid nowhere


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
        {"signal": b.signal, "source": b.source, "z": b.z, "contribution": b.contribution, "text": b.text}
        for b in reading.because
    ]


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, Mapping):
        return {name: _rounded(inner) for name, inner in value.items()}
    return [_rounded(inner) for inner in value] if isinstance(value, list | tuple) else value


def text(result: Mapping[str, Any]) -> str:
    """The bytes a golden file holds."""
    return json.dumps(result, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def golden(folder: Path) -> str | None:
    path = folder / GOLDEN
    return path.read_text(encoding="utf-8") if path.exists() else None
