"""``evenhand serve``: the desks in a browser."""

from __future__ import annotations

from pathlib import Path
from threading import Thread
from typing import Annotated

import typer

__all__ = ["serve"]

STORE = "judgements.sqlite"


def serve(
    where: Annotated[
        list[str] | None,
        typer.Argument(
            help="A store (file or postgresql://…), study files, results folders, or folders of these; "
            f"default: {STORE}.",
            metavar="STORE|STUDY|RESULTS…",
        ),
    ] = None,
    *,
    host: Annotated[str, typer.Option(help="Where to listen; beyond loopback only with TLS.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0: any free one.", min=0, max=65535)] = 8765,
    invite: Annotated[
        list[str] | None,
        typer.Option(help="Print a new link for NAME or NAME:ROLE (judge, adjudicator, owner); repeatable."),
    ] = None,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A name by which browsers call this server; repeatable.")
    ] = None,
    corpus: Annotated[
        Path | None, typer.Option(help="Documents owners write questions about; default: those of the study.")
    ] = None,
    gold: Annotated[
        Path | None, typer.Option(help="The gold.jsonl they write to; default: that of the study.")
    ] = None,
    tls_cert: Annotated[Path | None, typer.Option(help="Certificate (PEM).")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Its key (PEM).")] = None,
    insecure: Annotated[
        bool,
        typer.Option(
            "--insecure-http-beyond-loopback", help="Listen for other machines without TLS all the same."
        ),
    ] = False,
) -> None:
    """Serve desks to judges and studies to owners, each person by a link of their own."""
    from evenhand.errors import InputError
    from evenhand.plugins import need

    need("fastapi", extra="web")
    from evenhand.cli.server.inputs import found_in, opened, something_in
    from evenhand.report.output.terminal import clean
    from evenhand.web.server.app import create_app
    from evenhand.web.server.serve import listening
    from evenhand.web.server.serve import serve as run

    tls = _files(tls_cert, tls_key)
    asked = [_invited(one) for one in invite or ()]
    places = where or [STORE]
    library, results = found_in(places, corpus, gold)
    with opened([_store_of(place) for place in places], results=results) as (store, called):
        if called is None and not asked:
            asked = [("owner", "owner")]
        bound = listening(host, port, tls=tls is not None, insecure=insecure)
        scheme = "https" if tls else "http"
        name = (allow_host or [host])[0]
        name = f"[{name}]" if ":" in name and not name.startswith("[") else name
        address = f"{scheme}://{name}:{bound.getsockname()[1]}"
        hosts = [*(allow_host or ()), host]

        def ready() -> None:
            from evenhand.store.clock import now

            print(f"serving {clean(called or 'results without a store')} at {address}  (Ctrl-C ends)")
            if called is None:
                print("no store is here: links end with this server")
            for person, role in asked:
                _, token = store.grant(person, role, at=now())
                print(f"{clean(person)} ({role}), shown once: {address}/j/{token}")
            if not asked:
                print(f"a link: {address}/j/TOKEN, with a token of `evenhand judge invite NAME`")
            if something_in(results):
                print(f"studies, for owners: {address}/studies")
            if insecure and tls is None:
                print("without TLS: whoever is on this network can read along")
            import sys

            sys.stdout.flush()

        app = create_app(store, hosts=hosts, secure=tls is not None, library=library, results=results)
        Thread(target=app.warm, name="warm", daemon=True).start()
        try:
            run(app, bound, tls=tls, ready=ready)
        except (OSError, ValueError) as error:
            raise InputError(
                f"cannot serve: {error}", mend="are certificate and key those of one server?"
            ) from error


def _store_of(where: str) -> str:
    """The store that is meant: itself, or the one beside a study or its results."""
    if "://" in where:
        return where
    path = Path(where)
    path = path.parent if path.name == "report.json" else path
    if path.is_dir():
        inside = (path / STORE).is_file() or not (path / "report.json").is_file()
        return str((path if inside else path.resolve().parent) / STORE)
    return str(path.parent / STORE) if path.suffix == ".toml" else where


def _invited(word: str) -> tuple[str, str]:
    from evenhand.errors import InputError, nearest
    from evenhand.model.judging import ROLES

    name, _, role = word.partition(":")
    role = role or "judge"
    if role not in ROLES:
        raise InputError(f"no role is called {role!r}", mend=nearest(role, ROLES))
    return name, role


def _files(cert: Path | None, key: Path | None) -> tuple[Path, Path] | None:
    from evenhand.errors import InputError

    if cert is None and key is None:
        return None
    if cert is None or key is None:
        raise InputError("TLS needs a certificate and its key", mend="give both --tls-cert and --tls-key")
    for path in (cert, key):
        if not path.is_file():
            raise InputError(f"there is no file {path}", mend="name the PEM file")
    from evenhand.web.server.serve import checked

    checked((cert, key))
    return cert, key
