"""Routine stretches of the family yocto-layer-01: missed cache objects, polls of a bitbake log, manifest lines.

Everything is drawn from the lists below with a fixed seed, so that both members of the pair hold the same lines.
"""

from __future__ import annotations

import random

TUNE = "cortexa53-crypto-gw-linux"

NATIVE = [
    ("gettext", "0.22.5"), ("cmake", "3.28.3"), ("python3", "3.12.9"), ("perl", "5.38.2"), ("bison", "3.8.2"),
    ("openssl", "3.2.4"), ("ninja", "1.11.1"), ("rust", "1.75.0"), ("meson", "1.3.1"), ("elfutils", "0.191"),
    ("util-linux", "2.39.3"), ("e2fsprogs", "1.47.0"), ("squashfs-tools", "4.6.1"), ("swig", "4.2.1"),
    ("curl", "8.7.1"),
]

TARGET = [
    ("zlib", "1.3.1", "core"), ("expat", "2.6.4", "core"), ("glib-2.0", "2.78.6", "core"), ("dbus", "1.14.10", "core"),
    ("openssl", "3.2.4", "connectivity"), ("util-linux", "2.39.3", "core"), ("kmod", "31", "kernel"),
    ("systemd", "255.18", "core"), ("libcap", "2.69", "support"), ("libseccomp", "2.5.5", "support"),
    ("ncurses", "6.4", "core"), ("readline", "8.2", "core"), ("sqlite3", "3.45.3", "support"),
    ("modemmanager", "1.22.0", "connectivity"), ("libqmi", "1.34.0", "connectivity"),
    ("iptables", "1.8.10", "extended"),
    ("curl", "8.7.1", "support"), ("gnutls", "3.8.4", "support"), ("nettle", "3.9.1", "support"),
    ("mosquitto", "2.0.20", "connectivity"), ("iproute2", "6.7.0", "connectivity"), ("lua", "5.4.6", "devtools"),
    ("tzdata", "2025a", "extended"), ("bash", "5.2.21", "extended"), ("tcpdump", "4.99.4", "support"),
    ("wpa-supplicant", "2.10", "connectivity"), ("ethtool", "6.7", "extended"), ("nftables", "1.0.9", "filter"),
    ("swupdate", "2023.12.1", "support"), ("libubootenv", "0.3.5", "bsp"), ("cjson", "1.7.18", "devtools"),
    ("protobuf-c", "1.5.0", "devtools"), ("can-utils", "2023.03", "extended"), ("libmodbus", "3.1.10", "extended"),
]

TASKS = ["package", "packagedata", "package_write_ipk", "populate_sysroot", "populate_lic", "package_qa"]
NATIVE_TASKS = ["populate_sysroot", "populate_lic", "create_spdx"]


def digest(draw: random.Random) -> str:
    return "".join(draw.choice("0123456789abcdef") for _ in range(64))


def missed(seed: int, count: int) -> str:
    """Lines of a debug run: objects whose fetch test failed."""
    draw = random.Random(seed)
    lines = []
    for _ in range(count):
        task, code = draw.choice(TASKS), digest(draw)
        place = f"{code[:2]}/{code[2:4]}"
        if draw.random() < 0.4:
            name, version = draw.choice(NATIVE)
            task = draw.choice(NATIVE_TASKS)
            lines.append(f"universal/{place}/sstate:{name}-native::{version}:r0::12:{code[:16]}..._{task}.tar.zst")
        else:
            name, version, _ = draw.choice(TARGET)
            build = f"{TUNE}:{version}:r0:cortexa53-crypto:12"
            lines.append(f"{place}/sstate:{name}:{build}:{code[:16]}..._{task}.tar.zst")
    return "\n".join(lines)


def counts(seed: int, rows: int, top: int) -> str:
    """How many objects of a recipe are missed, largest first."""
    draw = random.Random(seed)
    names = draw.sample([name for name, _, _ in TARGET] + [f"{name}-native" for name, _ in NATIVE], rows)
    lines = []
    for name in names:
        lines.append(f"{top:7d} {name}")
        top -= draw.choice((0, 0, 0, 1))
    return "\n".join(lines)


def setscene(seed: int, start: int, count: int, total: int) -> str:
    """The end of the log while objects are taken from the cache."""
    draw = random.Random(seed)
    lines = []
    for step in range(count):
        name, version, group = draw.choice(TARGET)
        task = draw.choice(TASKS[:5])
        recipe = f"/srv/build/poky/meta/recipes-{group}/{name}/{name}_{version}.bb"
        lines.append(f"NOTE: Running setscene task {start + step} of {total} ({recipe}:do_{task}_setscene)")
        if draw.random() < 0.6:
            lines.append(f"NOTE: recipe {name}-{version}-r0: task do_{task}_setscene: Succeeded")
    return "\n".join(lines)


def manifest(seed: int, count: int) -> str:
    """Lines of a package manifest in the order of names."""
    draw = random.Random(seed)
    rows = sorted(draw.sample(TARGET, count))
    return "\n".join(f"{name} cortexa53-crypto {version}-r0" for name, version, _ in rows)
