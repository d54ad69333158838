"""Bodies of requests: forms and uploads, limited in size and in time."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import AsyncIterator, Mapping
from urllib.parse import parse_qsl, unquote

from starlette.requests import ClientDisconnect, Request

from shoal.errors import ParameterError
from shoal.io.studio_folder import Upload

LARGEST_FORM = 256 << 10
FORM_SECONDS = 10.0
MOST_FIELDS = 2_000
CHANGE_FIELD = "change"


class Refused(Exception):
    """A request that is not answered: its status and why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form, each once. The token that a change must carry is one of them, unless it came in a header.

    Raises:
        Refused: The form is too large, too slow, forged, or no form.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if kind != "application/x-www-form-urlencoded":
        raise Refused(415, "a form is expected")
    body = b"".join([piece async for piece in limited(request, LARGEST_FORM, FORM_SECONDS)])
    try:
        fields = dict(parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict"))
    except ValueError:
        raise Refused(400, "the form cannot be read") from None
    token = fields.pop(CHANGE_FIELD, "")
    allowed = request.scope["shoal.change_token"]
    if not request.scope["shoal.may_change"] and not hmac.compare_digest(token.encode(), allowed.encode()):
        raise Refused(403, "this page is out of date; load it again")
    return fields


async def read_upload(request: Request, upload: Upload, seconds: float) -> None:
    """Write the body of a request to a file.

    Raises:
        Refused: It is too large or too slow, or the browser ended it; or it is forged.
    """
    if not request.scope["shoal.may_change"]:
        raise Refused(403, "this page is out of date; load it again")
    async for piece in limited(request, upload.limit, seconds):
        if not await asyncio.to_thread(upload.write, piece):
            raise Refused(413, "the file is too large to be uploaded; open it by its path")
    if not upload.size:
        raise Refused(400, "the file is empty")


async def limited(request: Request, size: int, seconds: float) -> AsyncIterator[bytes]:
    """The pieces of a body, as long as they are not too many, and come in time."""
    declared = request.headers.get("content-length", "0")
    if not declared.isdigit() or int(declared) > size:
        raise Refused(413, "the file is too large to be uploaded; open it by its path" if size > LARGEST_FORM else "the form is too large")
    pieces, seen, end = request.stream(), 0, time.monotonic() + seconds
    while True:
        try:
            piece = await asyncio.wait_for(anext(pieces), end - time.monotonic())
        except StopAsyncIteration:
            return
        except TimeoutError:
            raise Refused(408, "the file took too long to arrive") from None
        except ClientDisconnect:
            raise Refused(400, "the request was not completed") from None
        seen += len(piece)
        if seen > size:
            raise Refused(413, "the file is too large to be uploaded; open it by its path")
        yield piece


def file_name(request: Request) -> str:
    """Return the name of an uploaded file, as the browser says."""
    name = unquote(request.headers.get("x-file-name", ""), errors="replace")
    return name[-200:] or "data"


def whole_number(fields: Mapping[str, str], name: str, low: int, high: int) -> int:
    """Return a number of a form.

    Raises:
        ParameterError: It is none, or out of its range.
    """
    text = fields.get(name, "").strip()
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and low <= int(text) <= high):
        raise ParameterError(f"{name} must be a whole number from {low:,} to {high:,}", code="out-of-range")
    return int(text)
