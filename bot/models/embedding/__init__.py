"""Embedders: a model on this machine, or the model provider's."""

from bot.models.embedding.catalogue import embedder_from_name, embedder_of
from bot.models.embedding.local import LocalEmbedder
from bot.models.embedding.provider import ProviderEmbedder

__all__ = ["LocalEmbedder", "ProviderEmbedder", "embedder_from_name", "embedder_of"]
