"""Business errors as Feishu words them: most come with HTTP 200, so the code decides."""

from __future__ import annotations

NAMES = {
    10003: "invalid param",
    10014: "app secret invalid",
    91403: "Forbidden",
    1063001: "Invalid parameter",
    1063002: "Permission denied",
    1254000: "WrongRequestJson",
    1254001: "WrongRequestBody",
    1254002: "Fail",
    1254007: "EmptyValue",
    1254011: "PageSizeMustGreaterThanZero",
    1254012: "FieldTypeNotSupport",
    1254013: "TableNameDuplicated",
    1254014: "FieldNameDuplicated",
    1254015: "FieldTypeValueNotMatch",
    1254018: "InvalidFilter",
    1254024: "InvalidFieldNames",
    1254019: "InvalidViewType",
    1254020: "ViewNameDuplicated",
    1254022: "InvalidViewName",
    1254026: "EmptyOptionName",
    1254028: "EmptyFieldName",
    1254031: "AppNameTooLong",
    1254037: "InvalidClientToken",
    1254040: "BaseTokenNotFound",
    1254041: "TableIdNotFound",
    1254042: "ViewIdNotFound",
    1254043: "RecordIdNotFound",
    1254044: "FieldIdNotFound",
    1254045: "FieldNameNotFound",
    1254046: "IndexFieldCannotBeDeleted",
    1254060: "TextFieldConvFail",
    1254061: "NumberFieldConvFail",
    1254062: "SingleSelectFieldConvFail",
    1254063: "MultiSelectFieldConvFail",
    1254064: "DatetimeFieldConvFail",
    1254065: "CheckboxFieldConvFail",
    1254066: "UserFieldConvFail",
    1254068: "URLFieldConvFail",
    1254080: "TextFieldPropertyError",
    1254081: "NumberFieldPropertyError",
    1254082: "SingleSelectFieldPropertyError",
    1254083: "MultiSelectFieldPropertyError",
    1254084: "DatetimeFieldPropertyError",
    1254087: "URLFieldPropertyError",
    1254100: "TableExceedLimit",
    1254101: "ViewExceedLimit",
    1254103: "RecordExceedLimit",
    1254104: "RecordAddOnceExceedLimit",
    1254105: "ColumnExceedLimit",
    1254130: "TooLargeCell",
    1254290: "TooManyRequest",
    1254291: "Write conflict",
    1254608: "SameRequestSubmittedRepeatedly",
    1254800: "ParameterError",
    1255006: "ClientTokenConflict",
    99991661: "Missing access token for authorization. Please make a request with token attached.",
    99991663: "Invalid access token for authorization. Please make a request with token attached.",
    99991671: "Invalid access token format",
    99991672: "Access denied. One of the following scopes is required",
    99991400: "request trigger frequency limit",
    99992402: "field validation failed",
}


class ApiError(Exception):
    """One business error; `status` is the HTTP status it travels with."""

    def __init__(
        self,
        code: int,
        detail: str = "",
        *,
        status: int = 200,
        headers: dict[str, str] | None = None,
        extra: dict[str, object] | None = None,
    ) -> None:
        super().__init__(f"{code} {NAMES.get(code, '')} {detail}")
        self.code = code
        self.detail = detail
        self.status = status
        self.headers = headers or {}
        self.extra = extra or {}

    def body(self, log_id: str) -> dict[str, object]:
        error: dict[str, object] = {"message": self.detail, "log_id": log_id, **self.extra}
        return {"code": self.code, "msg": NAMES.get(self.code, "error"), "error": error}


class CutConnection(Exception):
    """The server goes away without an answer."""


class HtmlAnswer(Exception):
    """A proxy in front answers with a page instead of JSON."""
