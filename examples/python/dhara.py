"""The Dhara protocol from the extension's side, with nothing but the standard library (Python 3.9 or later).

One JSON-RPC message a line, UTF-8, on stdin and stdout. To write an extension in another language, follow
`Extension` from `run` downwards. `dhara_extension.py` beside this file shows how tools are added.
"""
import base64
import json
import os
import sys
import threading
import time

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
CANCELLED = -32000  # -32000 to -32099 are the extension's own.

# How long calls may go on after `shutdown`. The host waits five seconds, then kills.
CLEANUP_SECONDS = 2


class RpcError(Exception):
    """Becomes the error response of the request it was raised for."""

    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.code = code
        self.data = data


class ToolError(Exception):
    """The tool was asked properly and failed: becomes a result with `isError: true`, which the model may read."""


class Cancelled(Exception):
    """The host no longer wants the answer."""


class Call:
    """One `tools/execute` under way: what a tool may use besides its input."""

    def __init__(self, extension, tool_call_id):
        self._extension = extension
        self._tool_call_id = tool_call_id
        self.cancelled = threading.Event()

    def progress(self, message):
        self.check()
        params = {"message": message}
        if self._tool_call_id is not None:
            # The protocol's progress names no call; with the id, a host can tell two calls apart.
            params["toolCallId"] = self._tool_call_id
        self._extension.send({"jsonrpc": "2.0", "method": "progress", "params": params})

    def check(self):
        """Leaves the tool once the call is cancelled or the extension shuts down."""
        if self.cancelled.is_set():
            raise Cancelled()

    def answers_to(self, tool_call_id):
        return self._tool_call_id is not None and self._tool_call_id == tool_call_id


class Extension:
    def __init__(self, name, version):
        self.name = name
        self.version = version
        self.cwd = os.getcwd()
        self._tools = {}
        self._calls = {}  # request id -> (Call, Thread)
        self._lock = threading.Lock()
        self._initialized = False
        self._wire = None

    def tool(self, name, description, input_schema):
        """Decorates a function of (input, call) that returns a content object, or a string for plain text."""

        def register(function):
            self._tools[name] = (function, description, input_schema)
            return function

        return register

    def run(self):
        """Serves until `shutdown`, or until the host goes away and stdin ends."""
        self._own_stdout()
        for line in sys.stdin.buffer:  # A bytes iterator splits at LF only: U+2028 or a lone CR may stand in a message.
            if self._receive(line):
                break
        with self._lock:
            calls = list(self._calls.values())
        for call, _ in calls:
            call.cancelled.set()
        deadline = time.monotonic() + CLEANUP_SECONDS
        for _, thread in calls:
            thread.join(max(0, deadline - time.monotonic()))

    def send(self, message):
        # A lone surrogate has no UTF-8 form; backslashreplace writes the very escape that JSON has for it.
        line = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        data = line.encode("utf-8", "backslashreplace") + b"\n"
        with self._lock:  # One line at a time, whole, from whichever thread.
            try:
                self._wire.write(data)
                self._wire.flush()
            except OSError:
                pass  # The host is gone; stdin will end too.

    def _own_stdout(self):
        """Keeps the real stdout for the protocol, so that a stray print lands on stderr and breaks nothing."""
        self._wire = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)
        # Also where the console's encoding is another one, as on Windows.
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)

    def _receive(self, line):
        """Handles one line; true when it was `shutdown`."""
        try:
            text = line.decode("utf-8-sig").strip()
            message = json.loads(text, parse_constant=_no_constant) if text else None
        except (ValueError, RecursionError) as error:
            self._fail(None, RpcError(PARSE_ERROR, f"invalid JSON: {error}"))
            return False
        if not text:
            return False
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            self._fail(None, RpcError(INVALID_REQUEST, 'a message is one object with jsonrpc: "2.0"'))
            return False
        method = message.get("method")
        params = message.get("params")
        if method is None and ("result" in message or "error" in message or "params" not in message):
            return False  # An answer, though it may lack its result, and nothing was asked.
        if "id" not in message:  # A notification: never answered, whatever it says.
            if method == "tools/cancel" and isinstance(params, dict):
                self._cancel(params.get("toolCallId"))
            return method == "shutdown"
        self._request(message["id"], method, params)
        return False

    def _request(self, request_id, method, params):
        # 0 and "" are ids; 1 and "1" are two ids. Python's bool is an int, JSON's true is not a number.
        if not isinstance(request_id, (str, int)) or isinstance(request_id, bool):
            self._fail(None, RpcError(INVALID_REQUEST, "id must be a string or an integer"))
            return
        try:
            if not isinstance(method, str):
                raise RpcError(INVALID_REQUEST, "method must be a string")
            if method == "initialize":
                self._answer(request_id, self._initialize(params))
            elif method == "tools/list":
                self._answer(request_id, {"tools": self._list()})
            elif method == "tools/execute":
                self._execute(request_id, params)
            else:
                raise RpcError(METHOD_NOT_FOUND, f"method not found: {method}")
        except RpcError as error:
            self._fail(request_id, error)

    def _initialize(self, params):
        if self._initialized:
            raise RpcError(INVALID_REQUEST, "initialize is only valid once")
        self._initialized = True
        if isinstance(params, dict) and isinstance(params.get("cwd"), str):
            self.cwd = params["cwd"]
        return {"name": self.name, "version": self.version, "tools": self._list()}

    def _list(self):
        return [
            {"name": name, "description": description, "inputSchema": schema}
            for name, (_, description, schema) in self._tools.items()
        ]

    def _execute(self, request_id, params):
        """Starts the call on a thread of its own, so that `shutdown` and other calls are heard meanwhile."""
        if not self._initialized:
            raise RpcError(INVALID_REQUEST, "initialize must come before tools/execute")
        if not isinstance(params, dict) or not isinstance(params.get("toolName"), str):
            raise RpcError(INVALID_PARAMS, "Missing required parameter 'toolName'")
        tool_name = params["toolName"]
        if tool_name not in self._tools:
            raise RpcError(INVALID_PARAMS, f"Unknown tool '{tool_name}'", {"toolName": tool_name})
        function, _, schema = self._tools[tool_name]
        tool_input = params.get("input", {})
        problem = find_problem(schema, tool_input)
        if problem is not None:
            raise RpcError(INVALID_PARAMS, problem, {"toolName": tool_name})
        call = Call(self, params.get("toolCallId"))
        thread = threading.Thread(target=self._work, args=(request_id, function, tool_input, call), daemon=True)
        with self._lock:
            if request_id in self._calls:
                raise RpcError(INVALID_REQUEST, f"a request with the id {json.dumps(request_id)} is still in flight")
            self._calls[request_id] = (call, thread)
        thread.start()

    def _work(self, request_id, function, tool_input, call):
        try:
            content, error = function(tool_input, call), None
            result = {"content": [text(content) if isinstance(content, str) else content], "isError": False}
        except ToolError as failure:
            result, error = {"content": [text(str(failure))], "isError": True}, None
        except RpcError as failure:
            result, error = None, failure
        except Cancelled:
            result, error = None, RpcError(CANCELLED, "cancelled")
        except Exception as failure:  # A fault of the tool costs this call, not the process.
            print(f"{function.__name__}: {failure!r}", file=sys.stderr)
            result, error = None, RpcError(INTERNAL_ERROR, f"{type(failure).__name__}: {failure}")
        call.cancelled.set()  # Progress after the answer would belong to nobody.
        with self._lock:
            del self._calls[request_id]
        if error is None:
            self._answer(request_id, result)
        else:
            self._fail(request_id, error)

    def _cancel(self, tool_call_id):
        with self._lock:
            calls = [call for call, _ in self._calls.values()]
        for call in calls:
            if call.answers_to(tool_call_id):
                call.cancelled.set()

    def _answer(self, request_id, result):
        try:
            self.send({"jsonrpc": "2.0", "id": request_id, "result": result})
        except (TypeError, ValueError, RecursionError) as error:  # NaN, bytes, a cycle: JSON has no form for it.
            self._fail(request_id, RpcError(INTERNAL_ERROR, f"the result is not JSON: {error}"))

    def _fail(self, request_id, error):
        body = {"code": error.code, "message": str(error)}
        if error.data is not None:
            body["data"] = error.data
        self.send({"jsonrpc": "2.0", "id": request_id, "error": body})


def _no_constant(name):
    raise ValueError(f"{name} is not JSON")


JSON_TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "object": dict, "array": list}


def find_problem(schema, value):
    """The part of JSON Schema that the tools below use: required, type, minimum, maximum."""
    if not isinstance(value, dict):
        return "input must be an object"
    for name in schema.get("required", []):
        if name not in value:
            return f"Missing required parameter '{name}'"
    for name, rule in schema.get("properties", {}).items():
        if name not in value:
            continue
        found = value[name]
        is_bool = isinstance(found, bool)
        if not isinstance(found, JSON_TYPES[rule["type"]]) or is_bool != (rule["type"] == "boolean"):
            return f"Parameter '{name}' must be of type {rule['type']}"
        if "minimum" in rule and found < rule["minimum"]:
            return f"Parameter '{name}' must be at least {rule['minimum']}"
        if "maximum" in rule and found > rule["maximum"]:
            return f"Parameter '{name}' must be at most {rule['maximum']}"
    return None


def text(value):
    return {"type": "text", "text": value}


def image(png):
    return {"type": "image", "mimeType": "image/png", "data": base64.b64encode(png).decode("ascii")}


def image_file(path):
    return {"type": "image", "path": path}


def file(path, mime_type):
    return {"type": "file", "path": path, "size": os.path.getsize(path), "mimeType": mime_type}
