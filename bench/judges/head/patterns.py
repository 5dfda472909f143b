"""Words and forms that say what an event of a session is about. Linear time on hostile text (RE2)."""

from __future__ import annotations

import re2

# What people say who redirect an agent (English, with a little of other languages).
CORRECTS = re2.compile(
    r"(?i)\b(no|nope|don'?t|do not|wrong|instead|actually|stop|not what|revert|undo|rather|shouldn'?t|should (be|have|not)|"
    r"never|always|why (did|are|is|not)|concerns? me|still (fails?|not|broken|the same)|doesn'?t work|isn'?t|not working|"
    r"nein|nicht|falsch|stattdessen|immer|pas comme|plut[oô]t|siempre|nunca|sempre|niet|altijd|zawsze)\b|不|要|ないで"
)
STATES_A_RULE = re2.compile(
    r"(?i)\b(always|never|must|we (use|don'?t|do not|keep|never|always|support|only)|our (own )?(rule|convention|policy|team)|"
    r"convention|policy|around here|in this (repo|project|team|codebase)|everywhere|every (time|new|file|test)|whenever|"
    r"from now on|in (the )?future|going forward|not allowed|forbidden|agreed|is only for|belongs?|"
    r"immer|niemals|bei uns|toujours|jamais|chez nous|siempre|nunca|aqu[ií]|sempre|da noi|altijd|nooit|zawsze|u nas)\b|"
    r"必ず|いつも|总是|一律|以后"
)
GOES_ON = re2.compile(  # praise, consent, the next routine step
    r"(?i)^\W*(thanks?|thank you|great|perfect|nice|good|ok(ay)?|yes|yeah|yep|sure|continue|go on|commit\w*|push|danke|super|"
    r"merci|gracias|looks good|lgtm|sounds good)\b.{0,40}$"
)
TROUBLE = re2.compile(
    r"(?i)\b(fail\w*|error\w*|broken|does ?n[o']t work|can(no|')t|unable|blocked|denied|crash\w*|mismatch|conflict\w*|missing)\b"
)
SURPRISE = re2.compile(
    r"(?i)\b(wait|hmm+|interesting|surpris\w+|unexpected\w*|strange|odd|weird|oh|aha|but (the|that|it)|however|actually|"
    r"contrary)\b"
)
YIELDS = re2.compile(
    r"(?i)\b(you'?re (absolutely )?right|you are right|good (point|catch|call)|sorry|my mistake|apolog\w+|"
    r"i (misread|misunderstood|was wrong|assumed|should have)|understood|noted|point taken|makes sense)\b"
)
FINDS_OUT = re2.compile(
    r"(?i)\b(turns out|root cause|the reason|that explains|the (real )?(problem|issue|cause|culprit) (is|was)|because|it seems|"
    r"apparently|only (works|when|reads|if|from)|by default|in fact|discovered|revealed|confirmed|found (it|the)|"
    r"which means|gotcha|quirk|silently|despite|although|even though)\b"
)
ABOUT_THE_PLACE = re2.compile(
    r"(?i)\b(pre-?existing|unrelated|sandbox|environment|not (related|caused)|flak\w+|permission\w*|network|host|machine|"
    r"toolchain|version|config\w*)\b"
)
# What machines, services and toolchains print when the place, not the code, is the matter.
PLACE_TROUBLE = re2.compile(
    r"(?i)permission denied|command not found|not found|no such file|cannot find|could ?n[o']t (find|resolve|connect)|"
    r"connection (refused|reset)|timed? ?out|unauthori[sz]ed|forbidden|(401|403|404|429|5\d\d) |mismatch|does not match|"
    r"not supported|unsupported|deprecated|read-?only|operation not permitted|sandbox|requires? |must be|missing|"
    r"not installed|out of memory|killed|denied|locked|already (exists|in use)|invalid|unknown (option|flag|command|field)|"
    r"unrecognized|conflict|refus\w+|panic|is not allowed|exceeds?|limit|rejected"
)
INSTRUCTIONS = re2.compile(
    r"(?i)(^|[/\\ ])((claude|agents|gemini|contributing|readme|memory|skill|development|style\w*|conventions?)[\w.-]*\."
    r"(md|txt|rst|mdc)|\.cursorrules|\.cursor/|copilot-instructions\.md|memory/)"
)
EDITS = re2.compile(
    r"(?i)^(edit|write|multiedit|notebookedit|apply_patch|str_replace\w*|search_replace|replace|create|edit_file|write_file|insert)$"
)
LOOKS_OUTSIDE = re2.compile(r"(?i)web|fetch")
