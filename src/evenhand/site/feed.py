"""`feed.xml`: an Atom feed with one entry a build, the last made first.

Belongs here: the feed. Does not: what a build says; an entry leads there. Its instants are as-ofs, as everywhere in a
build, so that the same builds give the same feed. Its links are absolute when the policy says where the site is, and
else relative to the folder of all builds, where `feed.xml` is linked.

Source: interface contract, "The published tree"; RFC 4287.
"""

import uuid
from html import escape

from evenhand.policy import Site as SiteWords
from evenhand.site.facts import MadeBuild
from evenhand.site.text import visible
from evenhand.timeline import iso

_MOST_ENTRIES = 100


def feed(words: SiteWords, builds: tuple[MadeBuild, ...], as_of: int) -> str:
    """The feed's text. builds: in the order in which they were made; at most the last hundred are listed."""
    base = words.address.rstrip("/") + "/" if words.address else ""
    shown = builds[: -_MOST_ENTRIES - 1 : -1]
    updated = iso(max((build.as_of for build in shown), default=as_of))
    name = f"evenhand {words.address or words.source_label}"
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<title>{_text(words.title)}</title>",
        f"<id>{_identity(name)}</id>",
        f"<updated>{updated}</updated>",
        f"<author><name>{_text(words.source_label)}</name></author>",
        f'<link rel="self" type="application/atom+xml" href="{_text(base)}feed.xml"/>',
        f'<link rel="alternate" type="text/html" href="{_text(base)}latest/index.html"/>',
        *(line for build in shown for line in _entry(build, base)),
        "</feed>",
    ]
    return "\n".join(lines) + "\n"


def _entry(build: MadeBuild, base: str) -> list[str]:
    restated = f" It restates an as-of that was published before: {build.restated}" if build.restated else ""
    return [
        "<entry>",
        f"<title>Figures as of {iso(build.as_of)[:10]}: build {build.build_id}</title>",
        f"<id>{_identity(build.digest)}</id>",
        f"<updated>{iso(build.as_of)}</updated>",
        f'<link rel="alternate" type="text/html" href="{_text(base)}builds/{build.build_id}/index.html"/>',
        f"<summary>Digest of the data: sha256:{build.digest}.{_text(restated)}</summary>",
        "</entry>",
    ]


def _identity(of: str) -> str:
    return f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'urn:evenhand:{of}')}"


def _text(text: str) -> str:
    """Escaped, with what XML cannot hold made visible."""
    return escape(visible(text)) if text else ""
