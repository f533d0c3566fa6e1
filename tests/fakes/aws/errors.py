"""The errors of the service model, as moto serialises them."""

from collections.abc import Sequence

from moto.core.exceptions import ServiceException


class ValidationFailed(ServiceException):
    """400: the request is malformed. `fields` are those that AWS names."""

    code = "ValidationException"

    def __init__(
        self,
        message: str,
        reason: str | None = "FieldValidationFailed",
        fields: Sequence[str] = (),
    ) -> None:
        super().__init__(message)
        if reason:
            self.reason = reason
        if fields:
            self.fieldList = [{"name": name, "message": "is not valid"} for name in fields]


class NotFound(ServiceException):
    """404: no such memory, event or record."""

    code = "ResourceNotFoundException"


class Throttled(ServiceException):
    """429: a quota is used up."""

    code = "ThrottledException"
