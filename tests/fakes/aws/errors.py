"""The errors of the service model, as moto serialises them."""

from moto.core.exceptions import ServiceException


class ValidationFailed(ServiceException):
    """400: the request is malformed."""

    code = "ValidationException"

    def __init__(self, message: str, reason: str = "FieldValidationFailed") -> None:
        super().__init__(message)
        self.reason = reason


class NotFound(ServiceException):
    """404: no such memory, event or record."""

    code = "ResourceNotFoundException"
