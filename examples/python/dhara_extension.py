#!/usr/bin/env python3
"""Four tools for a Dhara host, with nothing but the standard library (Python 3.9 or later).

    extwire tools -- python3 dhara_extension.py
    extwire call fetch_url --arg url=https://example.com -- python3 dhara_extension.py

The protocol itself is in `dhara.py` beside this file.
"""
import csv
import html.parser
import http.client
import os
import re
import struct
import tempfile
import urllib.request
import zlib

from dhara import INVALID_PARAMS, Extension, RpcError, ToolError, file, image, image_file

extension = Extension("python-tools", "1.0.0")

MOST_PAGE_BYTES = 10 * 1024 * 1024


@extension.tool(
    "fetch_url",
    "Fetch a URL and extract readable content",
    {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]},
)
def fetch_url(tool_input, call):
    url = tool_input["url"]
    if not re.match(r"https?://", url, re.IGNORECASE):  # urllib would also read file: URLs.
        raise RpcError(INVALID_PARAMS, "Parameter 'url' must start with http:// or https://", {"toolName": "fetch_url"})
    request = urllib.request.Request(url, headers={"User-Agent": "extwire-example/1.0"})
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            body = download(response, call)
            content_type = response.headers.get_content_type()
            charset = response.headers.get_content_charset()
    except (OSError, ValueError, http.client.HTTPException) as error:  # URLError and timeouts are OSErrors.
        raise ToolError(f"{url}: {error}") from error
    if content_type not in ("text/html", "application/xhtml+xml"):
        call.progress("Done")
        return decode(body, charset)
    call.progress("Parsing HTML...")
    page = ReadableText()
    page.feed(decode(body, charset or declared_charset(body)))
    page.close()
    call.progress("Done")
    return page.text()


def download(response, call):
    length = response.headers.get("Content-Length", "")
    total = int(length) if length.isdigit() else 0
    chunks, received, told = [], 0, -1
    while True:
        chunk = response.read(64 * 1024)
        if not chunk:
            if received < total:
                raise ToolError(f"the page ended after {received} of {total} bytes")
            return b"".join(chunks)
        chunks.append(chunk)
        received += len(chunk)
        if received > MOST_PAGE_BYTES:
            raise ToolError(f"the page is larger than {MOST_PAGE_BYTES} bytes")
        call.check()
        # At most ten lines of progress, however many chunks there are.
        step = min(10, received * 10 // total) if total else received // (1024 * 1024)
        if step != told:
            told = step
            call.progress(f"Downloading... {step * 10}%" if total else f"Downloading... {received} bytes")


def declared_charset(body):
    found = re.search(rb"<meta[^>]+charset=[\"']?([\w-]+)", body[:2048], re.IGNORECASE)
    return found.group(1).decode("ascii") if found else None


def decode(body, charset):
    try:
        return body.decode(charset or "utf-8", "replace")
    except LookupError:  # A charset that Python does not know.
        return body.decode("utf-8", "replace")


class ReadableText(html.parser.HTMLParser):
    """Headings, paragraphs, list items and preformatted text of a page, as Markdown reads."""

    HIDDEN = {"script", "style", "noscript", "template", "svg", "nav", "footer", "iframe"}
    BLOCKS = {"p", "div", "section", "article", "main", "header", "li", "tr", "table", "ul", "ol", "blockquote", "pre"}
    HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self._blocks = []
        self._line = []
        self._prefix = ""
        self._hidden = 0
        self._preformatted = 0
        self._title = None  # A list while inside <title>.
        self._title_text = ""

    def handle_starttag(self, tag, attrs):
        if tag in self.HIDDEN:
            self._hidden += 1
        elif tag == "title":
            self._title = []
        elif tag == "br":
            self._line.append("\n")
        elif tag in self.HEADINGS or tag in self.BLOCKS:
            self._end_block()
            self._prefix = "#" * int(tag[1]) + " " if tag in self.HEADINGS else "- " if tag == "li" else ""
            self._preformatted += tag == "pre"

    def handle_endtag(self, tag):
        if tag in self.HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        elif tag == "title" and self._title is not None:
            self._title_text = " ".join("".join(self._title).split())
            self._title = None
        elif tag in self.HEADINGS or tag in self.BLOCKS:
            self._end_block()
            if tag == "pre":
                self._preformatted = max(0, self._preformatted - 1)

    def handle_data(self, data):
        if self._title is not None:
            self._title.append(data)
        elif not self._hidden:
            self._line.append(data if self._preformatted else re.sub(r"\s+", " ", data))

    def close(self):
        super().close()
        self._end_block()

    def text(self):
        blocks = list(self._blocks)
        heading = f"# {self._title_text}"
        if self._title_text and heading not in blocks[:3]:
            blocks.insert(0, heading)
        # Items of one list stand on lines of their own, all else is a paragraph.
        out = ""
        for before, block in zip([""] + blocks, blocks):
            gap = "\n" if before.startswith("- ") and block.startswith("- ") else "\n\n"
            out += (gap if out else "") + block
        return out

    def _end_block(self):
        joined = "".join(self._line)
        self._line = []
        if self._preformatted:
            content = joined.strip("\n")
        else:
            content = "\n".join(" ".join(line.split()) for line in joined.split("\n")).strip()
        if content.strip():
            self._blocks.append(self._prefix + content)
            self._prefix = ""


SIZE = {"type": "integer", "minimum": 1, "maximum": 1024}


@extension.tool(
    "draw_gradient",
    "Draw a colour gradient and return the picture itself",
    {"type": "object", "properties": {"width": SIZE, "height": SIZE}},
)
def draw_gradient(tool_input, call):
    width, height = tool_input.get("width", 64), tool_input.get("height", 64)
    rows = []
    for y in range(height):
        call.check()
        rows.append(bytes(v for x in range(width) for v in (255 * x // width, 255 * y // height, 128)))
    return image(encode_png(width, height, rows))


@extension.tool(
    "draw_chart",
    "Draw a bar chart of numbers and return the picture's path",
    {"type": "object", "properties": {"values": {"type": "array"}}, "required": ["values"]},
)
def draw_chart(tool_input, call):
    values = tool_input["values"]
    if not 0 < len(values) <= 100 or not all(type(v) in (int, float) and v >= 0 for v in values):
        raise RpcError(
            INVALID_PARAMS, "Parameter 'values' must be 1 to 100 numbers, none negative", {"toolName": "draw_chart"}
        )
    height, bar, top = 100, 8, max(values) or 1
    rows = []
    for y in range(height):
        row = bytearray()
        for value in values:
            filled = height - y <= value / top * height
            row += (b"\x20\x60\xc0" if filled else b"\xff\xff\xff") * (bar - 1) + b"\xff\xff\xff"
        rows.append(bytes(row))
    return image_file(write_file("chart-", ".png", encode_png(bar * len(values), height, rows)))


@extension.tool(
    "list_files",
    "List the files of the working folder as a CSV file",
    {"type": "object", "properties": {}},
)
def list_files(tool_input, call):
    path = write_file("files-", ".csv", b"")
    with open(path, "w", encoding="utf-8", errors="backslashreplace", newline="") as out:
        table = csv.writer(out)
        table.writerow(["name", "bytes"])
        with os.scandir(extension.cwd) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                call.check()
                if entry.is_file(follow_symlinks=False):
                    table.writerow([entry.name, entry.stat(follow_symlinks=False).st_size])
    return file(path, "text/csv")


def write_file(prefix, suffix, data):
    """A new file that outlives the extension: who asked for it reads it, and removes it."""
    handle, path = tempfile.mkstemp(suffix, prefix)
    with os.fdopen(handle, "wb") as out:
        out.write(data)
    return path


def encode_png(width, height, rows):
    """Rows of RGB bytes as a PNG."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


if __name__ == "__main__":
    extension.run()
