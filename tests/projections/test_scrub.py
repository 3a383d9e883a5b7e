"""What never leaves, and what may."""

from __future__ import annotations

import pytest

from projections.scrub import scrub

# Put together here, so that no scanner takes an example for a real one.
AWS = "AKIA" + "Q3EGRWXFZ7BLOPAB"
GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
SLACK = "xoxb-" + "123456789012-abcdefGHIJKL"
JWT = "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0" + ".dozjgNryP4J3jVmNHl0w5N"
KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n-----END OPENSSH PRIVATE KEY-----"

SECRETS = [
    ("path", "/home/anna/project/run.py"),
    ("path", "/Users/anna/Desktop/a b"),
    ("path", "C:\\Users\\anna\\secret.txt"),
    ("path", "D:/data/x.csv"),
    ("path", "\\\\fileserver\\share\\plan.docx"),
    ("path", "~/work/notes.md"),
    ("path", "file:///etc/passwd"),
    ("path", "/var/lib/app/state.db"),
    ("path", "/tmp/run-7/out.json"),
    ("credential", AWS),
    ("credential", GITHUB),
    ("credential", SLACK),
    ("credential", JWT),
    ("credential", KEY),
    ("credential", "sk-" + "proj-9aZ8yX7wV6uT5sR4qP3o"),
    ("credential", "lxa_" + "Zk3mQ9pR7sT1vW5xY8zA2bC4dE6fG0hJ1kL3mN5oP7q"),
    ("credential", "Authorization: Bearer " + "abcdef0123456789abcdef"),
    ("credential", "password=hunter2hunter2"),
    ("credential", "api_key: 'k9f8e7d6c5b4'"),
    ("credential", "密码：hunter2hunter2"),
    ("credential", "postgresql://app:s3cretpw@db.example/x"),
    ("credential", "https://open.feishu.cn/open-apis/bot/v2/hook/0a1b2c3d-4e5f"),
    ("credential", "Zk3mQ9pR7sT1vW5xY8zA2bC4dE6fG0hJ1kL3mN5oP7q"),
    ("email", "anna.schmidt+x@firma.example"),
    ("phone", "+49 170 1234567"),
    ("phone", "13812345678"),
    ("phone", "(415) 555-0132"),
    ("host", "10.1.2.3"),
    ("host", "http://192.168.0.4:8000/admin"),
    ("host", "172.16.9.9"),
    ("host", "localhost:8765"),
    ("host", "git.firma.internal"),
    ("host", "https://wiki.corp/page"),
    ("host", "fe80::1ff:fe23:4567:890a"),
]
DRESSED = [
    ("email", "anna@firma.example".replace("@", "＠")),
    ("email", "an\u200bna@fir\u200bma.exam\u200dple"),
    ("path", "／home／anna／x"),
    ("host", "１０.1.2.3"),
    ("credential", GITHUB[:10] + "\u200b" + GITHUB[10:]),
    ("phone", "１３８１２３４５６７８"),
]
ORDINARY = [
    "Compare k=3 and k=5 on the validation split",
    "and/or, input/output, 24/7",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "sha256 " + "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "src/app/models.py and docs/concepts.md",
    "GET /api/v1/goals answers 200",
    "version 1.2.3.4, 8.8.8.8 is public",
    "https://example.com/docs/page",
    "0.9412 accuracy, 1 234 567 rows, 2026-12-01 09:00",
    "the token bucket refills; a secret ballot",
    "T12 waits for G3",
    "等待第二个结果 / 比较两种方法",
    "5 - 3 = 2",
    "5d1f2c34-9a8b-4c7d-8e6f-0a1b2c3d4e5f",
    "kanban_projections_watch_once_per_board_and_goal",
    "10.5 ms p95, 127 cards",
]


@pytest.mark.parametrize(("kind", "secret"), SECRETS + DRESSED)
def test_withheld(kind: str, secret: str) -> None:
    found = scrub(f"before {secret} after", lambda name: f"[{name}]")
    assert found.kinds[:1] == (kind,)
    assert found.text.startswith("before ")
    assert secret not in found.text
    assert found.text.endswith(" after") or "\n" in secret or "Users/anna/Desktop" in secret


@pytest.mark.parametrize("text", ORDINARY)
def test_spared(text: str) -> None:
    assert scrub(text, lambda name: f"[{name}]").kinds == ()


def test_several_in_one_text() -> None:
    found = scrub("a@b.example wrote /home/a/x at 10.0.0.1", lambda kind: f"[{kind}]")
    assert found.text == "[email] wrote [path] at [host]"
