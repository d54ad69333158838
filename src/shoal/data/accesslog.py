"""The columns of a log that was read from a web access log, beside owner, time and payload (the page that was asked for).

`visitor` numbers the different owners, addresses and user agents together: sessions are made of one visitor's events. `method` and
`protocol` are null in broken requests, `size` where none is told; `referrer` and `agent` in the common format, which has none.
"""

from __future__ import annotations

VISITOR = "visitor"
COLUMNS = (VISITOR, "address", "method", "protocol", "status", "size", "referrer", "agent")
