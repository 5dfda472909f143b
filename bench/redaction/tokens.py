"""Secrets that their own form gives away: a prefix, a fixed shape, a header. One line a kind, from public token formats.
Kinds that start like any other word are among the forms (``bench.redaction.forms``), where a rare part is looked for first.

Formats with a telling prefix are found inside a word as well: escaped line ends (``\\nghp_...``) and colour codes stand
right before many a real one. A token that was torn off is still taken where its prefix says enough.
"""

from __future__ import annotations

START = r"(?:\b|\\[nrt]|\x1b\[[0-9;]*m)"  # of a word, where the prefix alone says too little
_KEY_LINES = r"(?:(?:\s|\\[nr])+(?:[A-Za-z-]+: [A-Za-z0-9,-]+|[A-Za-z0-9+/=]{24,}))*(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]+)?"
_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

KINDS: tuple[tuple[str, str], ...] = (
    # Torn off before its end: header lines, then lines of base64, then a part of one.
    ("private-key", r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----" + _KEY_LINES),
    ("private-key", r"PuTTY-User-Key-File-[0-9]: [^\x00]*?Private-Lines: [0-9]+" + _KEY_LINES),
    ("age-key", r"AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{20,}"),
    ("aws-key", START + r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    ("aws-key", r"ABSK[A-Za-z0-9+/]{80,}={0,2}"),
    ("github-token", r"gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,}"),
    ("gitlab-token", r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-[A-Za-z0-9_-]{20,}"),
    ("npm-token", r"npm_[A-Za-z0-9]{30,}"),
    ("pypi-token", START + r"pypi-[A-Za-z0-9_-]{32,}"),
    ("rubygems-key", r"rubygems_[0-9a-f]{40,}"),
    ("crates-token", START + r"cio[A-Za-z0-9]{32}\b"),
    ("nuget-key", START + r"oy2[a-z0-9]{43}\b"),
    ("docker-token", r"dckr_[po]at_[A-Za-z0-9_-]{20,}"),
    ("slack-token", r"xox[abceprs]-[A-Za-z0-9-]{10,}|xoxe\.xox[bp]-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{20,}"),
    ("slack-token", r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/]{20,}"),
    ("discord-token", START + r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}"),
    ("discord-token", r"discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks/[0-9]{17,20}/[A-Za-z0-9_-]{40,}"),
    ("twilio-key", START + r"SK[0-9a-f]{32}\b"),
    ("mailgun-key", START + r"key-[0-9a-f]{32}\b"),
    ("sendgrid-key", r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    ("brevo-key", r"xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    ("resend-key", START + r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}"),
    ("stripe-key", r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/]{32,}={0,2}"),
    ("square-token", r"sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,}"),
    ("plaid-token", r"access-(?:sandbox|development|production)-" + _UUID),
    ("shopify-token", r"shp(?:at|ca|pa|ss|ua)_[0-9a-fA-F]{32}"),
    ("anthropic-key", START + r"sk-ant-[A-Za-z0-9_-]{16,}"),
    ("openai-key", START + r"sk-(?:proj-|svcacct-|or-v1-)?[A-Za-z0-9_-]{20,}"),
    ("groq-key", r"gsk_[A-Za-z0-9]{40,}"),
    ("xai-key", START + r"xai-[A-Za-z0-9]{60,}"),
    ("perplexity-key", r"pplx-[A-Za-z0-9]{40,}"),
    ("replicate-token", START + r"r8_[A-Za-z0-9]{37}\b"),
    ("nvidia-key", r"nvapi-[A-Za-z0-9_-]{40,}"),
    ("langsmith-key", r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    ("huggingface-token", r"hf_[A-Za-z0-9]{30,}|api_org_[A-Za-z]{34}"),
    ("google-key", r"AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{24,}|ya29\.[A-Za-z0-9_-]{30,}"),
    ("google-key", START + r"1//0[A-Za-z0-9_-]{40,}"),
    ("digitalocean-token", r"do[por]_v1_[0-9a-f]{40,}"),
    ("cloudflare-key", START + r"v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}"),
    ("heroku-key", r"HRKU-[A-Za-z0-9_-]{36,}"),
    ("netlify-token", r"nfp_[A-Za-z0-9]{36,}"),
    ("fly-token", r"fm[12]_[A-Za-z0-9+/=_-]{60,}|fo1_[A-Za-z0-9_-]{40,}"),
    ("supabase-key", r"sbp_[0-9a-f]{40}|sb_secret_[A-Za-z0-9_-]{20,}"),
    ("planetscale-token", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,}"),
    ("databricks-token", r"dapi[0-9a-f]{32}(?:-[0-9])?"),
    ("vault-token", START + r"hv[sbr]\.[A-Za-z0-9_-]{24,}"),
    ("pulumi-token", START + r"pul-[0-9a-f]{40}\b"),
    ("doppler-token", START + r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{40,}"),
    ("onepassword-token", r"ops_eyJ[A-Za-z0-9+/=]{100,}"),
    ("tailscale-key", r"tskey-[a-z]{2,12}-[A-Za-z0-9]{8,}-[A-Za-z0-9]{16,}"),
    ("newrelic-key", r"NRAK-[A-Z0-9]{27}|NR(?:II|IQ|RA|BR|SP)-[A-Za-z0-9_-]{32,}"),
    ("grafana-token", r"glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|glc_[A-Za-z0-9+/]{40,}={0,2}"),
    ("sentry-token", r"sntry[su]_[A-Za-z0-9+/=_]{40,}"),
    ("dynatrace-token", r"dt0[a-z][0-9]{2}\.[A-Z2-7]{24}\.[A-Z2-7]{40,}"),
    ("posthog-key", r"phx_[A-Za-z0-9]{40,}"),
    ("buildkite-token", r"bkua_[a-z0-9]{40}"),
    ("circleci-token", r"CCIP(?:AT|RJ)_[A-Za-z0-9]{20,}_[0-9a-f]{40}"),
    ("artifactory-key", START + r"AKCp[A-Za-z0-9]{60,}"),
    ("atlassian-token", r"ATATT3[A-Za-z0-9_=-]{60,}|ATBB[A-Za-z0-9]{32}"),
    ("linear-key", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    ("notion-key", r"ntn_[A-Za-z0-9]{40,}|" + START + r"secret_[A-Za-z0-9]{43}\b"),
    ("figma-token", r"fig[dou]r?_[A-Za-z0-9_-]{36,}"),
    ("airtable-token", START + r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    ("postman-key", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    ("mapbox-token", START + r"sk\.eyJ[A-Za-z0-9_-]{40,}\.[A-Za-z0-9_-]{16,}"),
    ("jwt", r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    ("bearer", r"(?i:bearer)\s+[A-Za-z0-9._~+/=-]{20,}"),
    ("url-password", r"[a-z][a-z0-9+.-]*://[^\s/:@\"'<>]*:[^\s/@\"'<>$][^\s/\"'<>]{2,}@"),
    ("url-token", r"https?://[A-Za-z0-9_-]{20,}@"),
)
NEED_DIGITS = ("openai-key", "bearer", "pypi-token", "url-token")  # words strung together by dashes look the same

WHOLE_KEY = r"(?s)-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----.*?-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
