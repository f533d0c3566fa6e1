"""AWS credentials and region: found, whose, and what is wrong with them."""

import pytest

from bot.operations.doctor.aws import check_credentials
from bot.operations.doctor.check import CheckResult, Mark
from bot.settings import Settings
from tests.bot.operations.doctor.canned import Canned

SECRET = "wJalrXUtnFEMIK7MDENG"
VIRGINIA = Settings(aws_region="us-east-1")
BOT = b"""<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
<GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/bot</Arn><UserId>U</UserId>
<Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>"""


def refusal(code: str) -> bytes:
    error = f"<Error><Code>{code}</Code><Message>no</Message></Error>"
    return f"<ErrorResponse>{error}</ErrorResponse>".encode()


def found(settings: Settings) -> dict[str, CheckResult]:
    findings = check_credentials(settings)
    assert not any(SECRET in finding.text for finding in findings)
    return {finding.subject: finding for finding in findings}


@pytest.fixture
def sts(canned: Canned, credentials: pytest.MonkeyPatch) -> Canned:
    """What stands for AWS's security token service."""
    credentials.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    credentials.setenv("AWS_ENDPOINT_URL_STS", canned.url)
    canned.status, canned.body, canned.kind = 200, BOT, "text/xml"
    return canned


def test_it_says_whose_the_credentials_are(sts: Canned):
    findings = found(VIRGINIA)
    assert findings["credentials"].mark is Mark.OK
    assert findings["credentials"].text.endswith("arn:aws:iam::123456789012:user/bot")
    assert findings["region"].text == "us-east-1"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("ExpiredToken", "have expired"),
        ("InvalidClientTokenId", "does not know these credentials"),
        ("SignatureDoesNotMatch", "secret access key is wrong"),
    ],
)
def test_expired_and_wrong_credentials_say_so(sts: Canned, code: str, words: str):
    sts.status, sts.body = 403, refusal(code)
    finding = found(VIRGINIA)["credentials"]
    assert finding.mark is Mark.WRONG
    assert words in finding.text


def test_not_being_told_whose_they_are_is_no_fault(sts: Canned, credentials: pytest.MonkeyPatch):
    sts.status, sts.body = 403, refusal("AccessDenied")
    assert found(VIRGINIA)["credentials"].mark is Mark.OK
    credentials.setenv("AWS_ENDPOINT_URL_STS", "http://127.0.0.1:1")
    assert found(VIRGINIA)["credentials"].mark is Mark.OK


def test_another_endpoint_is_named_and_not_asked_who_we_are(sts: Canned):
    findings = found(Settings(aws_region="us-east-1", aws_endpoint_url="http://127.0.0.1:1"))
    assert "http://127.0.0.1:1" in findings["region"].text
    assert sts.asked == 0


def test_missing_credentials_say_what_to_set(credentials: pytest.MonkeyPatch):
    credentials.delenv("AWS_ACCESS_KEY_ID")
    finding = found(VIRGINIA)["credentials"]
    assert finding.mark is Mark.WRONG
    assert "AWS_ACCESS_KEY_ID" in finding.text


def test_a_missing_region_and_an_unknown_profile_are_named(credentials: pytest.MonkeyPatch):
    assert "aws_region" in found(Settings())["region"].text
    finding = found(Settings(aws_profile="nobody"))["credentials"]
    assert finding.mark is Mark.WRONG
    assert "nobody" in finding.text
