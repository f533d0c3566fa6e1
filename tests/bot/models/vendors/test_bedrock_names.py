"""The names of models on Bedrock: what they say, and what they are elsewhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.vendors.bedrock_names import model_among, model_in, profiles_in

NOVA = "amazon.nova-pro-v1:0"


@pytest.mark.parametrize(
    ("region", "geographies"),
    [
        ("us-east-1", ["us", "global"]),
        ("us-gov-west-1", ["us-gov"]),
        ("ca-central-1", ["ca", "us", "global"]),
        ("eu-south-2", ["eu", "global"]),
        ("ap-northeast-1", ["jp", "apac", "global"]),
        ("ap-northeast-2", ["apac", "global"]),
        ("ap-southeast-2", ["au", "apac", "global"]),
        ("ap-south-1", ["in", "apac", "global"]),
        ("sa-east-1", ["global"]),
    ],
)
@pytest.mark.parametrize("given_as", [NOVA, f"eu.{NOVA}"])
def test_a_region_has_the_profiles_of_its_geography(
    region: str, geographies: list[str], given_as: str
) -> None:
    assert profiles_in(region, given_as) == [f"{each}.{NOVA}" for each in geographies]


@pytest.mark.parametrize(
    ("name", "model"),
    [
        (NOVA, NOVA),
        (f"us.{NOVA}", f"us.{NOVA}"),
        (f"arn:aws:bedrock:us-east-1::foundation-model/{NOVA}", NOVA),
        (f"arn:aws:bedrock:us-east-1:123456789012:inference-profile/eu.{NOVA}", f"eu.{NOVA}"),
        (f"arn:aws-us-gov:bedrock:us-gov-west-1::foundation-model/{NOVA}", NOVA),
        ("arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2", None),
        ("arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a.1b2", None),
        ("arn:aws:bedrock:us-east-1:123456789012:provisioned-model/a1b2", None),
        ("arn:aws:bedrock:us-east-1:123456789012:custom-model-deployment/a1b2", None),
        ("arn:aws:sagemaker:us-east-1:123456789012:endpoint/a.b", None),
        ("a1b2c3", None),
    ],
)
def test_a_name_says_which_model_it_is_or_nothing(name: str, model: str | None) -> None:
    assert model_in(name) == model


@given(st.lists(st.sampled_from(["us-east-1", "us-west-2", ""]), min_size=1), st.booleans())
def test_a_profile_of_one_model_stands_for_it_and_one_of_several_for_none(
    regions: list[str], other: bool
) -> None:
    arns = [f"arn:aws:bedrock:{region}::foundation-model/{NOVA}" for region in regions]
    if other:
        arns.append("arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-lite-v1:0")
    everywhere = f"global.{NOVA}" if "" in regions else NOVA
    assert model_among(arns) == (None if other else everywhere)
