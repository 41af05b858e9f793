"""What the secrets of vendors look like: the table that core/secrets searches by.

Data only. Invariants: every pattern has one group, the secret itself; where a match could begin anew within what was
just searched in vain, the search has a bound, so that the cost stays linear.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from roundzero.core.frozen import dataclass


class SecretKind(Enum):
    """How sure a find is: VENDOR is a token no one else writes; the others depend on where they stand."""

    VENDOR = "vendor"
    PRIVATE_KEY = "private-key"
    TOKEN = "token"  # noqa: S105  a word
    URL = "url"
    NAMED = "named"


@dataclass(frozen=True, slots=True)
class Shape:
    """A vendor's token: the literals one of which it contains, and the whole pattern (group 1 is the secret).

    ``sure`` False: others write such things too, so that it is kept from models but nobody is warned of it. ``within``:
    the pattern begins before the literal and not with it.
    """

    label: str
    literals: tuple[str, ...]
    pattern: str
    kind: SecretKind = SecretKind.VENDOR
    sure: bool = True
    within: bool = False


SHAPES: Final = (
    Shape(
        "AWS access key", ("AKIA", "ASIA", "ABIA"), r"(?<![A-Za-z0-9])((?:AKIA|ASIA|ABIA)[A-Z2-7]{16})(?![A-Za-z0-9])"
    ),
    Shape("GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"(?<!\w)(gh[pousr]_[A-Za-z0-9]{36,255})(?!\w)"),
    Shape("GitHub token", ("github_pat_",), r"(?<!\w)(github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})(?!\w)"),
    Shape(
        "GitLab token",
        ("glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glsoat-"),
        r"(?<!\w)(gl(?:pat|dt|rt|ptt|cbt|soat)-[\w-]{20,255}(?:\.[0-9a-z]{2}\.[0-9a-z]{9})?)(?!\w)",
    ),
    Shape(
        "Slack token",
        ("xoxb-", "xoxp-", "xoxa-", "xoxs-", "xoxe-", "xoxr-", "xapp-"),
        r"(?<!\w)((?:xox[abeoprs]|xapp)-\d[\w-]{20,})(?!\w)",
    ),
    Shape(
        "Slack webhook",
        ("hooks.slack.com/services/",),
        r"hooks\.slack\.com/services/(T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/[A-Za-z0-9]{20,})",
    ),
    Shape("Stripe key", ("sk_live_", "rk_live_", "whsec_"), r"(?<!\w)((?:[sr]k_live|whsec)_[A-Za-z0-9+/]{16,})(?!\w)"),
    Shape("Google API key", ("AIza",), r"(?<!\w)(AIza[\w-]{35})(?![\w-])"),
    Shape("Google OAuth secret", ("GOCSPX-",), r"(?<!\w)(GOCSPX-[\w-]{28})(?![\w-])"),
    Shape("Anthropic key", ("sk-ant-",), r"(?<![\w-])(sk-ant-[\w-]{24,})(?!\w)"),
    Shape("OpenAI key", ("sk-",), r"(?<![\w-])(sk-(?:(?:proj|svcacct|admin)-[\w-]{24,}|[A-Za-z0-9]{40,}))(?!\w)"),
    Shape("OpenRouter key", ("sk-or-v1-",), r"(?<![\w-])(sk-or-v1-[0-9a-f]{64})(?!\w)"),
    Shape("Groq key", ("gsk_",), r"(?<!\w)(gsk_[A-Za-z0-9]{52})(?!\w)"),
    Shape("xAI key", ("xai-",), r"(?<!\w)(xai-[A-Za-z0-9]{80})(?!\w)"),
    Shape("Replicate token", ("r8_",), r"(?<!\w)(r8_[A-Za-z0-9]{37})(?!\w)"),
    Shape("Hugging Face token", ("hf_",), r"(?<!\w)(hf_[A-Za-z]{34})(?!\w)"),
    Shape("npm token", ("npm_",), r"(?<!\w)(npm_[A-Za-z0-9]{36})(?!\w)"),
    Shape("PyPI token", ("pypi-Ag",), r"(?<!\w)(pypi-Ag[\w-]{50,})(?!\w)"),
    Shape("RubyGems key", ("rubygems_",), r"(?<!\w)(rubygems_[0-9a-f]{48})(?!\w)"),
    Shape("Docker Hub token", ("dckr_pat_", "dckr_oat_"), r"(?<!\w)(dckr_[po]at_[\w-]{27,64})(?![\w-])"),
    Shape("SendGrid key", ("SG.",), r"(?<!\w)(SG\.[\w-]{22}\.[\w-]{43})(?![\w-])"),
    Shape("DigitalOcean token", ("dop_v1_", "doo_v1_", "dor_v1_"), r"(?<!\w)(do[opr]_v1_[0-9a-f]{64})(?!\w)"),
    Shape(
        "Shopify token", ("shpat_", "shpca_", "shppa_", "shpss_"), r"(?<!\w)(shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32})(?!\w)"
    ),
    Shape("New Relic key", ("NRAK-",), r"(?<!\w)(NRAK-[A-Z0-9]{27})(?!\w)"),
    Shape("Grafana token", ("glsa_",), r"(?<!\w)(glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8})(?!\w)"),
    Shape("Vault token", ("hvs.", "hvb."), r"(?<!\w)(hv[sb]\.[\w-]{24,200})(?![\w-])"),
    Shape("Terraform token", (".atlasv1.",), r"(?<!\w)([A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,70})(?![\w-])", within=True),
    Shape("Linear key", ("lin_api_",), r"(?<!\w)(lin_api_[A-Za-z0-9]{40})(?!\w)"),
    Shape("Figma token", ("figd_",), r"(?<!\w)(figd_[\w-]{38,44})(?![\w-])"),
    Shape("Postman key", ("PMAK-",), r"(?<!\w)(PMAK-[0-9a-f]{24}-[0-9a-f]{34})(?!\w)"),
    Shape("Sentry token", ("sntrys_", "sntryu_"), r"(?<!\w)(sntry[su]_[A-Za-z0-9+/=_]{40,200})(?!\w)"),
    Shape(
        "Atlassian token",
        ("ATATT3", "ATCTT3", "ATBB"),
        r"(?<!\w)((?:AT[AC]TT3[\w=-]{60,300}|ATBB[A-Za-z0-9]{32}))(?![\w-])",
    ),
    Shape("Tailscale key", ("tskey-",), r"(?<!\w)(tskey-[a-z]+-[A-Za-z0-9]{12,30}-[A-Za-z0-9]{20,40})(?!\w)"),
    Shape("Databricks token", ("dapi",), r"(?<!\w)(dapi[0-9a-f]{32}(?:-\d)?)(?!\w)"),
    Shape("age key", ("AGE-SECRET-KEY-1",), r"(?<!\w)(AGE-SECRET-KEY-1[A-Z0-9]{58})(?!\w)"),
    Shape("Azure storage key", ("AccountKey=",), r"AccountKey=([A-Za-z0-9+/]{86}==)"),
    Shape(
        "Discord webhook",
        ("/api/webhooks/",),
        r"discord(?:app)?\.com/api/webhooks/(\d{17,20}/[\w-]{60,72})(?![\w-])",
        within=True,
    ),
    Shape("JSON web token", ("eyJ",), r"(?<!\w)(eyJ[\w-]{12,}\.eyJ[\w-]{12,}\.[\w-]{20,})(?!\w)", SecretKind.TOKEN),
    Shape(
        "authorization",
        ("Bearer ", "Basic "),
        r"(?<!\w)(?:Bearer|Basic) ([A-Za-z0-9_.~+/-]{20,500}={0,2})(?![\w.~+/=-])",
        SecretKind.NAMED,
    ),
    Shape(
        "private key",
        ("PRIVATE KEY",),
        r"(-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:\\[nr]|[\s\"'+,#]|(?:Proc-Type|DEK-Info|Version|Comment):[^\n]{0,80})*[A-Za-z0-9+/=]{24,}"
        r"(?:\\[nr]|[\s\"'+,#]|[A-Za-z0-9/=])*(?:-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----)?)",
        SecretKind.PRIVATE_KEY,
        within=True,
    ),
    Shape(
        "password in a URL",
        ("://",),
        r"(?<!\w)[A-Za-z][A-Za-z0-9+.-]{1,30}://[^\s:/?#@\"'<>{}$%`\\]{0,80}:([^\s:/?#@\"'<>{}$%`\\]{6,80})@"
        r"(?!(?:localhost|127\.|0\.0\.0\.0|\[::1\]|host\b|hostname\b|server\b|proxy\b|example\b|[\w.-]{0,80}\.?example\b))[\w.-]",
        SecretKind.URL,
        within=True,
    ),
    # From here on: not sure.
    Shape(
        "GitLab token",
        ("gloas-", "glft-", "glimt-", "glagent-", "glffct-", "GR1348941"),
        r"(?<!\w)((?:gl(?:oas|ft|imt|agent|ffct)-|GR1348941)[\w.-]{16,255})",
        sure=False,
    ),
    Shape(
        "Slack token",
        ("xoxc-", "xoxd-", "xoxe.", "xapp-", "xoxb-", "xoxp-"),
        r"(?<!\w)((?:xox[abcdeoprs]|xapp)[-.][\w.%/+-]{10,400})",
        sure=False,
    ),
    Shape(
        "Slack webhook",
        ("hooks.slack.com/",),
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w/+-]{20,200})",
        sure=False,
    ),
    Shape("Stripe key", ("sk_test_", "rk_test_", "sk_org_"), r"(?<!\w)((?:[sr]k_test|sk_org)_\w{10,255})", sure=False),
    Shape("Google token", ("ya29.", "1//0"), r"(?<!\w)((?:ya29\.|1//0)[\w-]{20,2000})", sure=False),
    Shape(
        "AI provider's key",
        ("sk-", "pplx-", "tgp_v1_"),
        r"(?<![\w-])((?:sk-[a-z0-9-]{0,12}|pplx-|tgp_v1_)[A-Za-z0-9_-]{24,255})(?!\w)",
        sure=False,
    ),
    Shape("Discord token", (".",), r"(\.(?<=[\w-]{23}\.)[\w-]{6}\.[\w-]{27,40})(?![\w-])", sure=False, within=True),
    Shape("Telegram token", (":AA",), r"(?<=\d{8}):(AA[\w-]{32,35})(?![\w-])", sure=False),
    Shape("Twilio key", ("SK",), r"(?<!\w)(SK[0-9a-f]{32})(?!\w)", sure=False),
    Shape("Mailgun key", ("key-",), r"(?<![\w-])(key-[0-9a-f]{32})(?!\w)", sure=False),
    Shape("Mailchimp key", ("-us",), r"(?<!\w)([0-9a-f]{32}-us\d{1,2})(?!\w)", sure=False, within=True),
    Shape(
        "Square token",
        ("EAAA", "sq0csp-", "sq0atp-"),
        r"(?<!\w)((?:EAAA[\w-]{60}|sq0(?:csp|atp)-[\w-]{22,43}))",
        sure=False,
    ),
    Shape("Facebook token", ("EAA",), r"(?<!\w)(EAA[A-Za-z0-9]{40,400})(?!\w)", sure=False),
    Shape("Heroku key", ("HRKU-",), r"(?<!\w)(HRKU-[\w-]{36,64})", sure=False),
    Shape(
        "Notion token",
        ("secret_", "ntn_"),
        r"(?<!\w)((?:secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40,60}))(?!\w)",
        sure=False,
    ),
    Shape("Dropbox token", ("sl.",), r"(?<![\w.])(sl\.[\w-]{100,1500})", sure=False),
    Shape("Doppler token", ("dp.",), r"(?<![\w.])(dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,80})", sure=False),
    Shape("Grafana token", ("glc_",), r"(?<!\w)(glc_[A-Za-z0-9+/=]{32,400})", sure=False),
    Shape("Pulumi token", ("pul-",), r"(?<!\w)(pul-[0-9a-f]{40})(?!\w)", sure=False),
    Shape("Cloudflare key", ("v1.0-",), r"(?<!\w)(v1\.0-[0-9a-f]{24}-[0-9a-f]{146})(?!\w)", sure=False),
    Shape("Fly token", ("fo1_", "fm1", "fm2_"), r"(?<!\w)((?:fo1_|fm1[ar]_|fm2_)[\w+/=-]{40,2000})", sure=False),
    Shape("Supabase key", ("sbp_", "sb_secret_"), r"(?<!\w)((?:sbp_[0-9a-f]{40}|sb_secret_[\w-]{20,60}))", sure=False),
    Shape("PlanetScale password", ("pscale_",), r"(?<!\w)(pscale_(?:tkn|pw|oauth)_[\w.=-]{32,64})", sure=False),
    Shape("Airtable token", ("pat",), r"(?<!\w)(pat[A-Za-z0-9]{14}\.[0-9a-f]{64})(?!\w)", sure=False),
    Shape("Netlify token", ("nfp_",), r"(?<!\w)(nfp_[A-Za-z0-9]{36,48})(?!\w)", sure=False),
    Shape("Buildkite token", ("bkua_",), r"(?<!\w)(bkua_[0-9a-f]{40})(?!\w)", sure=False),
    Shape("CircleCI token", ("CCIPAT_", "CCIPRJ_"), r"(?<!\w)(CCIP(?:AT|RJ)_\w{30,80})", sure=False),
    Shape("SonarQube token", ("sqp_", "sqa_", "squ_"), r"(?<!\w)(sq[pau]_[0-9a-f]{40})(?!\w)", sure=False),
    Shape("NuGet key", ("oy2",), r"(?<!\w)(oy2[a-z0-9]{43})(?!\w)", sure=False),
    Shape("Azure secret", ("Q~",), r"(?<![\w~.-])([\w~.-]{3}\dQ~[\w~.-]{31,34})(?![\w~.-])", sure=False, within=True),
    Shape("Alibaba key", ("LTAI",), r"(?<!\w)(LTAI[A-Za-z0-9]{12,24})(?!\w)", sure=False),
    Shape(
        "Artifactory token",
        ("AKC", "cmVmdGtu"),
        r"(?<!\w)((?:AKC[A-Za-z0-9]{10,200}|cmVmdGtu[A-Za-z0-9]{40,200}))(?!\w)",
        sure=False,
    ),
    Shape("Mapbox token", ("sk.eyJ",), r"(?<!\w)(sk\.eyJ[\w-]{20,400}\.[\w-]{20,40})", sure=False),
    Shape(
        "JSON web token",
        ("eyJ",),
        r"(?<![\w.-])(eyJ[\w-]{10,4000}(?:\.[\w-]{4,4000}){1,4})",
        SecretKind.TOKEN,
        sure=False,
    ),
    Shape(
        "password hash",
        ("$apr1$", "$2a$", "$2b$", "$2y$", "$5$", "$6$", "$argon2", "$y$"),
        r"(\$(?:apr1|2[aby]|5|6|y|argon2id?|argon2i)\$[A-Za-z0-9./$=,+]{20,300})",
        sure=False,
    ),
    Shape(
        "private key",
        ("Private-Lines:",),
        r"Private-Lines:[ \t]*\d{1,3}\r?\n((?:[A-Za-z0-9+/=]{4,80}\r?\n?){1,100})",
        SecretKind.PRIVATE_KEY,
        sure=False,
    ),
    Shape(
        "private key",
        ("PRIVATE KEY",),
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"((?:\\[nr]|[\s\"'+,#|>]|[A-Za-z0-9/=:-](?!---)){20,20000})",
        SecretKind.PRIVATE_KEY,
        sure=False,
        within=True,
    ),
    Shape(
        "password in a URL",
        ("://",),
        r"://[^\s:/?#@\"'<>{}$`\\]{0,80}:([^\s/@\"'<>{}$`\\]{1,200})@[\w\[$.-]",
        SecretKind.URL,
        sure=False,
    ),
    Shape("token in a URL", ("://",), r"://([^\s:/?#@\"'<>{}$`\\]{16,255})@[\w.-]", SecretKind.URL, sure=False),
)
