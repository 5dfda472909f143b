"""Routine stretches of the family ios-signing-01: string tables of nine languages, test runs, archive and export logs,
image identifiers and sizes.

Everything is drawn from the lists below with a fixed seed, so that both members of the pair hold the same lines.
"""

from __future__ import annotations

import random

LANGUAGES = ("cs", "cy", "de", "es", "fr", "ga", "it", "nl", "pl")

ADDED = {
    "plot.offline.banner": {
        "cs": "Bez připojení, uloženo v telefonu", "cy": "All-lein, wedi'i gadw ar y ffôn",
        "de": "Offline, auf dem Gerät gesichert", "es": "Sin conexión, guardado en el teléfono",
        "fr": "Hors ligne, enregistré sur le téléphone", "ga": "As líne, sábháilte ar an bhfón",
        "it": "Offline, salvato sul telefono", "nl": "Offline, op de telefoon bewaard",
        "pl": "Offline, zapisano w telefonie",
    },
    "survey.gap.title": {
        "cs": "Mezera v živém plotu", "cy": "Bwlch yn y gwrych", "de": "Lücke in der Hecke",
        "es": "Hueco en el seto", "fr": "Trou dans la haie", "ga": "Bearna sa fhál",
        "it": "Varco nella siepe", "nl": "Gat in de haag", "pl": "Luka w żywopłocie",
    },
    "species.unsure": {
        "cs": "Druh nejistý", "cy": "Rhywogaeth ansicr", "de": "Art unsicher", "es": "Especie dudosa",
        "fr": "Espèce incertaine", "ga": "Speiceas éiginnte", "it": "Specie incerta", "nl": "Soort onzeker",
        "pl": "Gatunek niepewny",
    },
    "kiosk.reset.confirm": {
        "cs": "Začít znovu?", "cy": "Dechrau eto?", "de": "Neu beginnen?", "es": "¿Empezar de nuevo?",
        "fr": "Recommencer ?", "ga": "Tosú arís?", "it": "Ricominciare?", "nl": "Opnieuw beginnen?",
        "pl": "Zacząć od nowa?",
    },
    "export.csv.done": {
        "cs": "Tabulka uložena", "cy": "Tabl wedi'i gadw", "de": "Tabelle gesichert", "es": "Tabla guardada",
        "fr": "Tableau enregistré", "ga": "Tábla sábháilte", "it": "Tabella salvata", "nl": "Tabel bewaard",
        "pl": "Tabela zapisana",
    },
}

SUITES = {
    "Hedgerow": {
        "PlotStoreTests": ["testSavesWithoutNetwork", "testMergeKeepsNewerPhoto", "testDeleteIsUndoable"],
        "SurveyFormTests": ["testGapNeedsLength", "testDraftSurvivesRelaunch", "testStepOrder"],
        "SpeciesIndexTests": ["testLatinNameFirst", "testUnsureIsListedLast", "testSynonymsResolve"],
        "TransectTests": ["testLengthOnEllipsoid", "testSplitAtGate", "testReversedIsEqual"],
        "CSVExportTests": ["testQuotesCommas", "testHeaderOrder", "testEmptySurvey"],
        "AboutViewTests": ["testVersionLabel", "testLicencesOpen"],
        "StringTableTests": ["testPlaceholdersMatchEnglish", "testNoEmptyValues"],
    },
    "HedgerowLite": {
        "LiteLimitTests": ["testTenPlotsAtMost", "testUpgradeSheetOnce"],
        "LiteStoreTests": ["testReadsFullFiles", "testHidesTransects"],
        "LiteMenuTests": ["testNoExportEntry", "testHelpEntry"],
        "SharedFormTests": ["testGapNeedsLength", "testStepOrder"],
    },
    "HedgerowKiosk": {
        "KioskResetTests": ["testResetAfterIdle", "testConfirmIsAsked", "testResetKeepsLanguage"],
        "KioskLockTests": ["testNoShareSheet", "testExitNeedsCode"],
        "AttractLoopTests": ["testLoopStarts", "testTouchEndsLoop"],
    },
}

SOURCES = {
    "Hedgerow": ["PlotStore", "PlotRow", "SurveyForm", "SpeciesIndex", "Transect", "CSVExport", "MapPane"],
    "HedgerowLite": ["LiteLimit", "LiteMenu", "UpgradeSheet", "LiteStore", "LiteRoot"],
    "HedgerowKiosk": ["KioskReset", "KioskLock", "AttractLoop", "KioskRoot", "IdleClock"],
}

WARNINGS = [
    "'foregroundColor' will be deprecated in a future version of iOS: renamed to 'foregroundStyle'",
    "immutable value 'zone' was never used; consider replacing with '_' or removing it",
    "conditional cast from 'any Layer' to 'TrackLayer' always succeeds",
]


def string_lines(language: str, count: int) -> str:
    """``count`` added entries of one table as a unified diff shows them."""
    draw = random.Random("strings" + language)
    keys = sorted(draw.sample(list(ADDED), count))
    return "\n".join(f'+"{key}" = "{ADDED[key][language]}";' for key in keys)


def test_lines(scheme: str, device: str, seed: int, failing: str | None = None) -> str:
    """A test run as xcbeautify prints it; ``failing`` names a case that does not pass."""
    draw = random.Random(f"{scheme}{device}{seed}")
    lines, total, failed = [], 0, 0
    for suite, cases in SUITES[scheme].items():
        lines.append(f"Test Suite {suite} started on '{device}'")
        for case in cases:
            total += 1
            if case == failing:
                failed += 1
                lines.append(f"    ✖ {case}, failed")
            else:
                lines.append(f"    ✔ {case} ({draw.randrange(2, 610) / 1000:.3f} seconds)")
    spent = draw.randrange(9100, 46000) / 1000
    lines.append(f"Executed {total} tests, with {failed} failures (0 unexpected) in {spent:.3f} seconds")
    return "\n".join(lines)


def build_lines(scheme: str, seed: int, count: int) -> str:
    """``count`` lines of a build for testing."""
    draw = random.Random(f"build{scheme}{seed}")
    names = draw.sample(SOURCES[scheme], min(count, len(SOURCES[scheme])))
    lines = [f"[{scheme}] Compiling {name}.swift" for name in names]
    if draw.random() < 0.7:
        at = f"{draw.choice(names)}.swift:{draw.randrange(14, 220)}:{draw.randrange(5, 48)}"
        lines.insert(draw.randrange(1, len(lines)), f"⚠️  {scheme}/{at}: {draw.choice(WARNINGS)}")
    lines += [f"[{scheme}] Linking {scheme}", "Build Succeeded"]
    return "\n".join(lines)


def archive_lines(scheme: str, seed: int) -> str:
    """The part of an archive log before anything is signed."""
    draw = random.Random(f"archive{scheme}{seed}")
    names = draw.sample(SOURCES[scheme], 4)
    lines = [f"[{scheme}] Compiling {name}.swift" for name in names]
    lines.append(f"[{scheme}] Compiling Asset Catalog Assets.xcassets")
    lines += [f"[{scheme}] Copying {lang}.lproj/Localizable.strings" for lang in sorted(draw.sample(LANGUAGES, 3))]
    lines += [f"[{scheme}] Linking {scheme}", f"[{scheme}] Generating '{scheme}.app.dSYM'"]
    return "\n".join(lines)


def image_id(scheme: str) -> str:
    """A fixed identifier of the built image."""
    text = f"{random.Random('uuid' + scheme).getrandbits(128):032X}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def digest(name: str) -> str:
    """A fixed value in the place of a sha256."""
    return f"{random.Random('sha' + name).getrandbits(256):064x}"


def size(name: str) -> int:
    """A fixed size in bytes."""
    base = {"Hedgerow": 33_400_000, "HedgerowLite": 29_300_000, "HedgerowKiosk": 42_100_000}[name]
    return base + random.Random("size" + name).randrange(400_000)
