"""What the scripted model answers in the demonstration: no model is asked, and the output says so.

Data only, about the files of demo_shop. One quote is wrong on purpose, to show that it is dropped and counted.
Invariant: every other quote stands in the demonstration as it is written here.
"""

from __future__ import annotations

from typing import Final

_Said = dict[str, object]


def _quote(path: str, line: int, quote: str, role: str, *, side: str = "head", decisive: bool = False) -> _Said:
    return {"path": path, "side": side, "line": line, "quote": quote, "role": role, "decisive": decisive}


def _finding(severity: str, title: str, evidence: list[_Said], **more: object) -> _Said:
    made: _Said = {
        "item": "general/other-defect",
        "severity": severity,
        "title": title,
        "path": evidence[0]["path"],
        "line": evidence[0]["line"],
        "end_line": evidence[0]["line"],
        "trigger": "",
        "base_to_head": "",
        "mechanism": [],
        "consequence": {"text": "", "failure": "wrong-result"},
        "severity_reason": "",
        "evidence": evidence,
        "claims": [{"text": title, "decisive": True}],
        "open_questions": [],
        "suggestions": [],
        "replacement": None,
    }
    return made | more


_CHECKOUT: Final = _finding(
    "P1",
    "The welcome coupon goes into a list that all payments share, so each customer pays 5 EUR less than the one before",
    [
        _quote(
            "shop/checkout.py",
            12,
            "paid = charge(card, amount(order) - 500 * len(coupons))",
            "what is charged",
            decisive=True,
        ),
        _quote("shop/checkout.py", 10, 'coupons.append("welcome")', "grows with every call"),
        _quote("shop/checkout.py", 8, "def pay(order, card, coupons=[]):", "one list for all calls"),
    ],
    trigger="the second call of pay() without coupons in one process",
    base_to_head="The module is new; nothing charged a card before.",
    mechanism=[
        {"text": "the default list is made once", "evidence": [2]},
        {"text": "every call appends to it", "evidence": [1]},
        {"text": "the discount is 500 cents for each entry", "evidence": [0]},
    ],
    consequence={"text": "The shop charges too little, and in the end negative amounts.", "failure": "wrong-result"},
    severity_reason="Money is lost on ordinary orders, silently.",
    open_questions=[{"text": "Does the bank refuse negative amounts?", "decides": "severity"}],
    suggestions=[{"text": "Take coupons=() and add the welcome coupon to a new list.", "kind": "fix"}],
)

_ORDERS: Final = _finding(
    "P1",
    "An order without a count now costs nothing, and printing its label fails",
    [
        _quote(
            "shop/orders.py",
            8,
            'return with_tax(order["price"] * order.get("count", 0))',
            "0 articles by default",
            decisive=True,
        ),
        _quote("shop/orders.py", 8, 'if order["count"] < 1:', "the check that is gone", side="base"),
        _quote("shop/orders.py", 13, "return f\"{order['name']} x{order['count']}\"", "still needs the count"),
    ],
    trigger="an order that has no count",
    base_to_head="The base refused such an order; now its amount is 0.",
    mechanism=[
        {"text": "a missing count is read as 0", "evidence": [0]},
        {"text": "nothing refuses it any more", "evidence": [1]},
        {"text": "label() reads the count without a default", "evidence": [2]},
    ],
    consequence={"text": "The card is charged 0, and the parcel cannot be labelled.", "failure": "wrong-result"},
    severity_reason="Goods leave unpaid; the failure comes after the payment.",
    suggestions=[{"text": "Refuse an order without a count where it comes in.", "kind": "fix"}],
)

_INVENTED: Final = _finding(
    "P0",
    "Card numbers are written to the log",
    [_quote("shop/checkout.py", 11, "log.info(card)", "writes the card", decisive=True)],
    consequence={"text": "Card numbers leak.", "failure": "security"},
)


def _reply(*findings: _Said) -> _Said:
    return {"findings": list(findings), "clean": []}


ANSWERS: Final = (
    {"match": "Part of shop/checkout.py", "reply": _reply(_CHECKOUT, _INVENTED)},
    {"match": "Part of shop/orders.py", "reply": _reply(_ORDERS)},
    {"match": "Part of ", "reply": _reply()},
)
"""Lines of a script: what a question holds, and the answer to it; the first that fits answers."""
