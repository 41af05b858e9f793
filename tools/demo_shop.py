"""The files of the demonstration: a small shop before and after somebody's branch.

Data only; tools/demo.py turns it into a repository. Invariant: BEFORE holds one defect that the branch does not touch,
and a review that shows it is wrong.
"""

from __future__ import annotations

from typing import Final

BEFORE: Final = {
    "README.md": "# Shop\n\nA very small shop. Run `scripts/release.sh` to publish it.\n",
    "shop/__init__.py": "",
    "shop/prices.py": '''\
"""Prices in cents."""

CURRENCY = "EUR"


def total(prices, extras=[]):
    """The sum. The default has been shared between calls for years; nobody touches it today."""
    return sum(prices) + sum(extras)


def with_tax(cents, rate=0.19):
    """Cents including tax, rounded to the nearest."""
    return round(cents * (1 + rate))
''',
    "shop/payment.py": '''\
"""Talks to the bank."""

import urllib.request

BANK = "https://bank.example/charge"


def charge(card, cents):
    """Take the money; True when the bank agreed."""
    request = urllib.request.Request(BANK, data=f"{card}:{cents}".encode())
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.status == 200
''',
    "shop/orders.py": '''\
"""Orders as they come in."""

from shop.prices import with_tax


def amount(order):
    """What an order costs, in cents."""
    if order["count"] < 1:
        raise ValueError("an order needs at least one article")
    return with_tax(order["price"] * order["count"])


def label(order):
    """What is printed on the parcel."""
    return f"{order['name']} x{order['count']}"
''',
    "tests/test_orders.py": """\
from shop.orders import amount


def test_amount_includes_tax():
    assert amount({"price": 100, "count": 2}) == 238
""",
    "scripts/release.sh": "#!/bin/sh\nset -eu\npython -m build\n./scripts/sign.sh dist\n",
    "scripts/sign.sh": '#!/bin/sh\nset -eu\ngpg --detach-sign "$1"/*\n',
    "web/basket.js": """\
export function count(basket) {
  return basket.items.length;
}
""",
}

FIRST_COMMIT: Final = {
    "shop/checkout.py": '''\
"""From a basket to a paid order."""

from shop.orders import amount
from shop.payment import charge
from shop.prices import CURRENCY


def pay(order, card, coupons=[]):
    """Charge the order; False when the bank refused."""
    coupons.append("welcome")
    try:
        paid = charge(card, amount(order) - 500 * len(coupons))
    except:
        return False
    return paid


def receipt(order):
    """One line for the customer."""
    return f"{amount(order)} {CURRENCY}"
''',
}

SECOND_COMMIT: Final = {
    "shop/orders.py": '''\
"""Orders as they come in."""

from shop.prices import with_tax


def amount(order):
    """What an order costs, in cents."""
    return with_tax(order["price"] * order.get("count", 0))


def label(order):
    """What is printed on the parcel."""
    return f"{order['name']} x{order['count']}"
''',
    "tests/test_checkout.py": """\
from unittest import mock

from shop.checkout import pay


def test_a_paid_order():
    with mock.patch("shop.payment.charge", return_value=True):
        paid = pay({"price": 100, "count": 1}, "4242")
        print(paid)
""",
}

_KEY = "AKIA" + "Q3EGRJX7MLOP2KZT"
"""Shaped like a cloud key, and nobody's."""

STAGED: Final = {
    "shop/settings.py": f'''\
"""Where things are."""

BACKUP_KEY = "{_KEY}"
RATES_URL = "http://rates.bank-of-nowhere.com/today"
''',
}

REMOVED: Final = "scripts/sign.sh"
"""Deleted and staged; scripts/release.sh still calls it."""

UNSTAGED: Final = {
    "web/basket.js": """\
export function count(basket) {
  debugger;
  return basket.items.length;
}
""",
}

UNTRACKED: Final = {
    "shop/labels.py": '''\
"""Prints parcel labels."""

import subprocess

from shop.orders import label


def print_label(order, printer):
    """Send the label to a printer."""
    subprocess.run(f"lp -d {printer} -t '{label(order)}'", shell=True)
''',
    "NOTES.md": f"# Next steps\n\n{'<' * 7} HEAD\n- gift cards\n{'=' * 7}\n- vouchers\n{'>' * 7} vouchers\n",
}
