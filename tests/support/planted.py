"""Secrets of many shapes to plant, made by chance from a fixed seed so that no scanner takes this file for a leak.

Each is a piece of a file with the values that must never leave and a name that should stay. Invariant: equal on every
machine.
"""

from __future__ import annotations

import base64
import random
import string
from dataclasses import dataclass
from typing import Final

_CHANCE: Final = random.Random(20_31)  # noqa: S311  made-up secrets
_ALNUM: Final = string.ascii_letters + string.digits
_LOWER: Final = string.ascii_lowercase + string.digits
_UPPER: Final = string.ascii_uppercase + string.digits
_BASE64: Final = _ALNUM + "+/"
_URL: Final = _ALNUM + "-_"


def _some(count: int, alphabet: str = _ALNUM) -> str:
    made = "".join(_CHANCE.choice(alphabet) for _ in range(count))
    return made if "7" not in alphabet or any(char.isdigit() for char in made) else made[:-1] + "7"


def _hex(count: int) -> str:
    return _some(count, "0123456789abcdef")


def _base64(count: int) -> str:
    return base64.b64encode(_CHANCE.randbytes(count)).decode()


def _wrapped(text: str, indent: str = "") -> str:
    return "\n".join(indent + text[at : at + 64] for at in range(0, len(text), 64))


@dataclass(frozen=True, slots=True)
class Planted:
    """``text`` belongs into a file called ``path``; ``values`` must not come out of it, ``stays`` should."""

    path: str
    text: str
    values: tuple[str, ...]
    stays: str = ""


def _one(path: str, template: str, value: str, stays: str = "") -> Planted:
    return Planted(path, template.replace("@@", value), (value,), stays)


def _pem(kind: str, count: int, template: str = "@@") -> Planted:
    body = _base64(count)
    text = f"-----BEGIN {kind}-----\n{_wrapped(body)}\n-----END {kind}-----"
    return Planted("key.py", template.replace("@@", text), tuple(_wrapped(body).split("\n")))


def _secrets() -> list[Planted]:
    """All of them."""
    account = _base64(900)
    escaped = "\\n".join(_wrapped(account).split("\n"))
    service = Planted(
        "service-account.json",
        '{"type": "service_account", "project_id": "acme",\n "private_key_id": "@1",\n "private_key": '
        f'"-----BEGIN PRIVATE KEY-----\\n{escaped}\\n-----END PRIVATE KEY-----\\n",\n "client_email": "a@acme.test"}}',
        (account[:60], account[200:250]),
        "client_email",
    )
    jwt = ".".join(
        base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in ('{"alg":"HS256"}', '{"sub":"41"}')
    )
    putty = _base64(180)
    kube = _base64(600)
    user = base64.b64encode(f"bob:{_some(14)}".encode()).decode()
    docker = base64.b64encode(f"bob:{_some(17)}".encode()).decode()
    crumbs = (_some(26), _hex(32))
    smtp = _some(11, _LOWER)
    return [
        _one("aws.py", 'client(aws_access_key_id="@@")', "AKIA" + _some(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")),
        _one(".aws/credentials", "[default]\naws_secret_access_key = @@", _some(40, _BASE64), "aws_secret_access_key"),
        _one("aws.json", '{"SecretAccessKey": "@@"}', _some(40, _BASE64), "SecretAccessKey"),
        _one("aws.sh", "export AWS_SESSION_TOKEN=@@", _base64(180), "AWS_SESSION_TOKEN"),
        _one("gh.py", 'headers = {"X": "@@"}', "ghp_" + _some(36)),
        _one("gh.yml", "  pat: @@", "github_pat_" + _some(22) + "_" + _some(59)),
        _one("gitlab.py", 'x = "@@"', "glpat-" + _some(27, _URL)),
        _one("gitlab.sh", "curl -H 'PRIVATE-TOKEN: @@' https://gitlab.acme.test/api", "glpat-" + _some(20, _ALNUM)),
        _one(
            "slack.py", "post('@@')", "xoxb-" + _some(12, "123456789") + "-" + _some(13, "123456789") + "-" + _some(24)
        ),
        _one(
            "slack2.py",
            "URL = 'https://hooks.slack.com/services/@@'",
            f"T{_some(9, _UPPER)}/B{_some(9, _UPPER)}/{_some(24)}",
        ),
        _one("discord.py", f"client.run('M{_some(25)}.@@')", _some(6) + "." + _some(38, _URL)),
        _one(
            "discord.yml", "hook: https://discord.com/api/webhooks/@@", _some(18, "123456789") + "/" + _some(68, _URL)
        ),
        _one("telegram.py", f"bot('{_some(10, '123456789')}:@@')", "AA" + _some(33, _URL)),
        _one("twilio.rb", "auth_token = '@@'", _hex(32), "auth_token"),
        _one("twilio.py", "Client('@@', account)", "SK" + _hex(32)),
        _one("mailgun.php", "$mg = create('@@');", "key-" + _hex(32)),
        _one("mailchimp.py", "set_config('@@')", _hex(32) + "-us14"),
        _one("sendgrid.ts", "sg.set('@@')", "SG." + _some(22, _URL) + "." + _some(43, _URL)),
        _one("datadog.yaml", "DD_API_KEY: @@", _hex(32), "DD_API_KEY"),
        _one("datadog.tf", 'app_key = "@@"', _hex(40), "app_key"),
        _one("newrelic.ini", "license = @@", "NRAK-" + _some(27, _UPPER)),
        _one("stripe.go", 'stripe.Key = "@@"', "sk_live_" + _some(99)),
        _one("stripe2.go", 'const k = "@@"', "rk_test_" + _some(24)),
        _one("google.js", "maps('@@')", "AIza" + _some(35, _URL)),
        _one("google.env", "GOOGLE_CLIENT_SECRET=@@", "GOCSPX-" + _some(28, _URL), "GOOGLE_CLIENT_SECRET"),
        _one("google.py", "refresh('@@')", "1//0" + _some(60, _URL)),
        Planted(service.path, service.text.replace("@1", one := _hex(40)), (one, *service.values), service.stays),
        _one(
            "azure.cs",
            "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=@@;EndpointSuffix=x",
            _base64(64),
            "AccountName",
        ),
        _one(
            "azure.py", "u = 'https://acme.blob.test/c?sv=2024-11-04&se=2030&sp=rl&sig=@@'", _some(43) + "%3D", "sp=rl"
        ),
        _one("azure.yml", "client_secret: @@", _some(3) + "8Q~" + _some(34), "client_secret"),
        _one(
            "bus.config",
            "Endpoint=sb://acme.test/;SharedAccessKeyName=Root;SharedAccessKey=@@",
            _base64(32),
            "SharedAccessKeyName",
        ),
        _one("anthropic.py", "k = '@@'", "sk-ant-api03-" + _some(93, _URL) + "AA"),
        _one("openai.py", "k = '@@'", "sk-proj-" + _some(120, _URL)),
        _one("hf.py", "login('@@')", "hf_" + _some(34, string.ascii_letters)),
        _one(".npmrc", "//registry.acme.test/:_authToken=@@", "npm_" + _some(36), "_authToken"),
        _one("sub/.npmrc", "//registry.acme.test/:_auth=@@", _base64(24), "_auth"),
        _one(
            ".pypirc",
            "[pypi]\nusername = __token__\npassword = @@",
            "pypi-AgEIcHlwaS5vcmc" + _some(120, _URL),
            "username",
        ),
        _one("rubygems.rb", "k = '@@'", "rubygems_" + _hex(48)),
        _one("dockerhub.sh", "docker login -u bob -p @@", "dckr_pat_" + _some(27, _URL), "docker login"),
        Planted(
            ".docker/config.json",
            f'{{"auths": {{"https://index.acme.test": {{"auth": "{docker}"}}}}}}',
            (docker,),
            "auths",
        ),
        Planted(
            "kubeconfig.yaml",
            f"users:\n- name: bob\n  user:\n    client-key-data: {kube}\n",
            (kube[:80], kube[300:400]),
            "users",
        ),
        _one("kube.yaml", "    token: @@", _some(64), "token"),
        _one(
            "deploy.yaml",
            "        - name: DB_PASSWORD\n          value: @@",
            _some(9, string.ascii_lowercase),
            "DB_PASSWORD",
        ),
        _one(
            "secret.yaml",
            "kind: Secret\ndata:\n  password: @@",
            base64.b64encode(_some(10).encode()).decode(),
            "kind: Secret",
        ),
        _one("ecs.json", '[{"name": "API_SECRET", "value": "@@"}]', _some(18), "API_SECRET"),
        _one(".netrc", "machine api.acme.test login bob password @@", _some(10, _LOWER), "login bob"),
        _one("dsn.py", "engine('postgresql+psycopg://app:@@@db.acme.test:5432/app')", _some(9, _LOWER), "db.acme.test"),
        _one("mongo.js", "connect('mongodb+srv://app:@@@c0.acme.test/?retryWrites=true')", _some(12), "retryWrites"),
        _one("redis.env", "REDIS_URL=rediss://:@@@redis.acme.test:6380/0", _some(13), "REDIS_URL"),
        _one("basic.md", "https://bob:@@@acme.test/x", _some(8, string.ascii_lowercase), "acme.test/x"),
        _one("git.sh", "git clone https://@@@git.acme.test/x.git", _some(40, _LOWER), "git clone"),
        _one(
            "libpq.py",
            'connect("host=db user=app password=@@ dbname=app")',
            _some(10, string.ascii_lowercase),
            "dbname=app",
        ),
        _one(
            "odbc.cs",
            'new C("Server=db;User Id=sa;Password=@@;Encrypt=true")',
            _some(10, string.ascii_lowercase),
            "Encrypt=true",
        ),
        _one("header.py", 'headers = {"Authorization": "Bearer @@"}', _some(30, _ALNUM), "Authorization"),
        Planted("header.sh", f"curl -H 'Authorization: Basic {user}' https://acme.test", (user,), "https://acme.test"),
        _one("header.http", "GET / HTTP/1.1\nX-Api-Key: @@", _some(20, _LOWER), "X-Api-Key"),
        _one("jwt.py", "t = '@@'", f"{jwt}.{_some(43, _URL)}"),
        Planted("cookie.http", f"Cookie: sid={crumbs[0]}; csrf={crumbs[1]}; theme=dark", crumbs, "csrf="),
        _one("curl.sh", "curl -u bob:@@ https://acme.test/api", _some(9, _LOWER), "curl -u bob"),
        _one("option.sh", "deploy --token @@ --region eu", _some(20), "--region eu"),
        _one("mysql.sh", "mysql -uroot -p@@ app", _some(12, _LOWER), "mysql -uroot"),
        _one("settings.toml", 'db_password = "@@"', _some(9, string.ascii_lowercase), "db_password"),
        _one("settings.ini", "[smtp]\npasswd: @@", smtp, "passwd"),
        _one(".env", "SESSION_SECRET=@@", _some(20, string.ascii_lowercase), "SESSION_SECRET"),
        _one("main.tf", 'variable "x" {\n  default_password = "@@"\n}', _some(12) + "!", "default_password"),
        _one(
            "a.properties",
            "spring.datasource.password=@@",
            _some(10, string.ascii_lowercase),
            "spring.datasource.password",
        ),
        _one("web.config.xml", '<add key="ApiKey" value="@@" />', _some(24), "<add key="),
        _one(
            "m2.xml",
            "<server><id>a</id><password>@@</password></server>",
            _some(10, string.ascii_lowercase),
            "<id>a</id>",
        ),
        _one("code.py", "def f(password='@@'): ...", _some(8, _LOWER), "def f("),
        _one("code.java", 'private static final String API_TOKEN = "@@";', _some(22), "API_TOKEN"),
        _one("code.ts", "const config = { apiKey: '@@', region: 'eu' }", _some(24), "region: 'eu'"),
        _one("code.rb", 'config[:secret_key_base] = "@@"', _hex(64), "secret_key_base"),
        _one("code.go", 'os.Setenv("DB_PASSWORD", "@@")', _some(10, _LOWER), "DB_PASSWORD"),
        _one("yaml.yml", "password: |\n  @@\nuser: bob", _some(12, _LOWER), "user: bob"),
        _one("blob.py", 'LICENCE_B64 = "@@"', _base64(90), "LICENCE_B64"),
        _one("vault.hcl", 'token = "@@"', "hvs." + _some(90, _URL), "token"),
        _one("tfc.hcl", 'x = "@@"', _some(14) + ".atlasv1." + _some(67, _URL)),
        _one("shopify.rb", "x = '@@'", "shpat_" + _hex(32)),
        _one("grafana.yml", "x: @@", "glsa_" + _some(32) + "_" + _hex(8)),
        _one("databricks.py", "x = '@@'", "dapi" + _hex(32)),
        _one("atlassian.py", "x = '@@'", "ATATT3xFfGF0" + _some(180, _URL) + "=" + _some(8, _UPPER)),
        _one("age.txt", "@@", "AGE-SECRET-KEY-1" + _some(58, _UPPER)),
        _one(".htpasswd", "bob:@@", "$apr1$" + _some(8) + "$" + _some(22)),
        _one(".pgpass", "db.acme.test:5432:app:bob:@@", _some(10, string.ascii_lowercase), "db.acme.test"),
        _pem("RSA PRIVATE KEY", 600),
        _pem("OPENSSH PRIVATE KEY", 420),
        _pem("EC PRIVATE KEY", 121, 'KEY = """@@"""'),
        _pem("PGP PRIVATE KEY BLOCK", 700),
        Planted(
            "putty.ppk",
            f"PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 4\n{_wrapped(putty)}\nPrivate-MAC: 00",
            tuple(_wrapped(putty).split("\n")),
            "ssh-rsa",
        ),
    ]


SECRETS: Final = tuple(_secrets())
