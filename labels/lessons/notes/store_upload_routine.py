"""Routine stretches of the family store-upload-01: release notes in eight languages, polls of a long build, test lines.

Everything is drawn from the lists below with a fixed seed, so that both members of the pair hold the same lines.
"""

from __future__ import annotations

import random

RELEASE_NOTES = {
    "en-US": ("Faster start and a new icon.", "Wind arrows on the chart.\nA widget for two harbours.\nStations without a forecast no longer end the app."),
    "de-DE": ("Schnellerer Start und ein neues Symbol.", "Windpfeile auf der Karte.\nEin Widget für zwei Häfen.\nStationen ohne Vorhersage beenden die App nicht mehr."),
    "fr-FR": ("Démarrage plus rapide et nouvelle icône.", "Flèches de vent sur la carte.\nUn widget pour deux ports.\nLes stations sans prévision ne ferment plus l'application."),
    "nl-NL": ("Sneller starten en een nieuw pictogram.", "Windpijlen op de kaart.\nEen widget voor twee havens.\nStations zonder verwachting sluiten de app niet meer af."),
    "da": ("Hurtigere start og nyt ikon.", "Vindpile på kortet.\nEn widget til to havne.\nStationer uden prognose lukker ikke længere appen."),
    "sv": ("Snabbare start och ny ikon.", "Vindpilar på kartan.\nEn widget för två hamnar.\nStationer utan prognos stänger inte längre appen."),
    "es-ES": ("Inicio más rápido y un icono nuevo.", "Flechas de viento en el mapa.\nUn widget para dos puertos.\nLas estaciones sin previsión ya no cierran la app."),
    "it": ("Avvio più veloce e una nuova icona.", "Frecce del vento sulla carta.\nUn widget per due porti.\nLe stazioni senza previsione non chiudono più l'app."),
}

TARGETS = {
    "TidewerkCore": ["Harmonics", "TideTable", "StationStore", "ForecastClient", "Datum", "UnitFormat", "CachePolicy", "SunMoon"],
    "TidewerkMap": ["ChartLayer", "WindArrow", "TileSource", "Projection", "BuoySymbol", "DepthShade", "MapCamera"],
    "TidewerkWidget": ["HarbourEntry", "TimelineProvider", "WidgetBundle", "HarbourIntent"],
    "Tidewerk": ["TideCell", "TideCellModel", "StationList", "AboutView", "SettingsView", "AppRouter", "Onboarding", "SearchBar", "AlarmEditor"],
}

WARNINGS = [
    "variable 'camera' was never mutated; consider changing to 'let' constant",
    "initialization of immutable value 'inset' was never used",
    "'onChange(of:perform:)' was deprecated in iOS 17.0",
]

TESTS = {
    "HarmonicsTests": ["testM2Amplitude", "testNodalFactors2026", "testPhaseWraps"],
    "TideTableTests": ["testNeapAndSpring", "testFourTidesADay", "testDaylightSaving"],
    "StationStoreTests": ["testSearchIgnoresAccents", "testFavouritesSurviveReload"],
    "ForecastClientTests": ["testDecodesV2", "testEmptyBody", "testRetriesOnce"],
    "DatumTests": ["testChartDatumToNHN", "testUnknownDatum"],
    "UnitFormatTests": ["testFeetAndInches", "testMetresTwoDigits"],
    "CachePolicyTests": ["testExpiresAtMidnight", "testKeepsLastGood"],
    "ChartLayerTests": ["testLayerOrder", "testHiddenBelowZoom8"],
    "WindArrowTests": ["testBarbsAt25Knots", "testCalmIsACircle"],
    "ProjectionTests": ["testRoundTrip", "testDateLine"],
    "BuoySymbolTests": ["testLateralRegionA", "testCardinalNorth"],
    "TimelineProviderTests": ["testTwoHarbours", "testPlaceholder"],
    "SettingsViewTests": ["testUnitsAreStored", "testResetAsksFirst"],
    "AppRouterTests": ["testDeepLinkToStation", "testUnknownLinkOpensList"],
    "AlarmEditorTests": ["testLeadTimeLimits", "testRepeatsWeekly"],
}


def seconds(clock: str) -> int:
    hours, minutes, rest = map(int, clock.split(":"))
    return hours * 3600 + minutes * 60 + rest


def clock(value: int) -> str:
    return f"{value // 3600:02d}:{value // 60 % 60:02d}:{value % 60:02d}"


def build_plan(build: int) -> list[str]:
    """All steps of one build in an order that a build would take."""
    draw = random.Random(build)
    plan = []
    for target, names in TARGETS.items():
        plan.append(f"SwiftDriver {target} normal arm64 com.apple.xcode.tools.swift.compiler")
        files = draw.sample(names, len(names))
        half = len(files) // 2
        compiled = [f"SwiftCompile normal arm64 Sources/{target}/{name}.swift (in target '{target}')" for name in files]
        plan += compiled[:half] + [f"SwiftEmitModule normal arm64 Sources/{target} (in target '{target}')"] + compiled[half:]
        plan.append(f"Ld build/Objects/{target} normal arm64")
    plan += [f"CompileAssetCatalog Resources/{target}.xcassets" for target in ("Tidewerk", "TidewerkWidget")]
    plan += [f"ProcessInfoPlistFile {target}/Info.plist" for target in TARGETS]
    plan += [f"GenerateDSYMFile build/dSYMs/{target}.dSYM" for target in TARGETS]
    return plan


def build_lines(build: int, share: float, start: str, count: int, span: int) -> str:
    """``count`` lines of a build log that has come to ``share`` of its plan, over ``span`` seconds from ``start``."""
    plan = build_plan(build)
    draw = random.Random(build * 1000 + int(share * 100))
    last = max(count, round(share * len(plan)))
    lines = [f"{clock(seconds(start) + at)} {step}" for at, step in zip(sorted(draw.sample(range(span), count)), plan[last - count : last], strict=True)]
    if share < 0.9 and draw.random() < 0.5:
        name = draw.choice(TARGETS["TidewerkMap"])
        lines.insert(-1, f"Sources/TidewerkMap/{name}.swift:{draw.randrange(20, 240)}:{draw.randrange(5, 40)}: warning: {draw.choice(WARNINGS)}")
    return "\n".join(lines)


def test_lines(seed: int, count: int) -> str:
    """``count`` passing test cases."""
    draw = random.Random(seed)
    cases = draw.sample([(suite, case) for suite, tests in TESTS.items() for case in tests], count)
    return "\n".join(f"Test case '{suite}.{case}()' passed on 'iPhone 16' ({draw.randrange(2, 480) / 1000:.3f} seconds)" for suite, case in cases)
