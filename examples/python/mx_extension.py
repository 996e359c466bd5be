#!/usr/bin/env python3
"""An MX v1 extension with nothing but the standard library (Python 3.9 or later).

    extwire run --protocol mx -- python3 mx_extension.py

It says hello, reports its status when asked, lists the VMs, captures the framebuffer of each once a second, is
`degraded` while that fails, and ends within two seconds of `shutdown`. Messages travel as frames over TCP; to write
an extension in another language, follow `Connection` and then `main`.
"""
import json
import os
import queue
import socket
import struct
import sys
import threading
import zlib

VERSION = "1.0.0"
JSON_KIND, ATTACHMENT_KIND = 0, 1
MOST_FRAME_BYTES = 64 * 1024 * 1024
CAPTURE_EVERY_SECONDS = 1
ANSWER_SECONDS = 5

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
APPLICATION_ERROR = -32000

STOP = object()  # What a method returns when the process is to end after its answer.


class RpcError(Exception):
    """The host answered a request with an error."""


class Connection:
    """Frames on a socket, JSON-RPC 2.0 in them. One thread reads; any thread may ask."""

    def __init__(self, sock):
        self._sock = sock
        self._write_lock = threading.Lock()
        self._lock = threading.Lock()
        self._next_id = 1
        self._waiting = {}  # id of a request of ours -> queue that takes its answer
        self._attachments = {}  # (id of the request, role) -> queue that takes the bytes

    def request(self, method, params=None, attachment=None):
        """Asks and waits. With `attachment`, the role of one, returns (result, its bytes)."""
        answer, data = queue.Queue(), queue.Queue()
        with self._lock:
            request_id, self._next_id = self._next_id, self._next_id + 1
            self._waiting[request_id] = answer
            if attachment is not None:
                # Registered before asking: result and attachment may arrive in either order.
                self._attachments[request_id, attachment] = data
        try:
            message = {"jsonrpc": "2.0", "id": request_id, "method": method}
            if params is not None:
                message["params"] = params
            self._send_json(message)
            response = answer.get(timeout=ANSWER_SECONDS)
            if response.get("error") is not None:
                raise RpcError(f"{method}: {response['error'].get('message')}")
            result = response.get("result")
            return result if attachment is None else (result, data.get(timeout=ANSWER_SECONDS))
        except queue.Empty:
            raise TimeoutError(f"{method}: no answer within {ANSWER_SECONDS} s") from None
        finally:
            with self._lock:
                self._waiting.pop(request_id, None)
                self._attachments.pop((request_id, attachment), None)

    def hello(self, params):
        """The first message, before `serve` runs: only its answer can come."""
        request_id, self._next_id = self._next_id, self._next_id + 1
        self._send_json({"jsonrpc": "2.0", "id": request_id, "method": "host.v1.hello", "params": params})
        while True:
            kind, body = self._read_frame()
            message = json.loads(body) if kind == JSON_KIND else {}
            if message.get("error") is not None:
                why = f"{message['error'].get('message')} ({message['error'].get('code')})"
                raise RpcError(why.replace(params["token"], "[token]"))  # The host may quote it; nobody may print it.
            if message.get("id") == request_id:
                result = message.get("result")
                if not isinstance(result, dict) or result.get("protocolVersion") != params["protocolVersion"]:
                    raise RpcError(f"the host answered {json.dumps(result)}, not version {params['protocolVersion']}")
                return result

    def close(self):
        """Ends the connection, and every request that still waits."""
        with self._lock:
            waiting = list(self._waiting.values())
        for answer in waiting:
            answer.put({"error": {"message": "the connection was closed"}})
        self._sock.close()

    def serve(self, methods):
        """Reads until the socket ends or a method returns `STOP`. `methods`: name -> function of the params."""
        while True:
            kind, body = self._read_frame()
            if kind == ATTACHMENT_KIND:
                request_id, role, data = parse_attachment(body)
                with self._lock:
                    waiting = self._attachments.get((request_id, role))
                if waiting is not None:
                    waiting.put(data)
            elif kind == JSON_KIND and self._receive(body, methods):
                return

    def _receive(self, body, methods):
        """Handles one JSON message; true when its method returned `STOP`."""
        try:
            message = json.loads(body)
        except ValueError as error:
            self._reply(None, error={"code": PARSE_ERROR, "message": f"invalid JSON: {error}"})
            return False
        if not isinstance(message, dict):
            self._reply(None, error={"code": INVALID_REQUEST, "message": "a message is one object"})
            return False
        method, request_id = message.get("method"), message.get("id")
        if method is None:  # An answer. Each direction has its own ids: our 1 is not the host's 1.
            with self._lock:
                waiting = self._waiting.get(request_id) if isinstance(request_id, int) else None
            if waiting is not None:
                waiting.put(message)
            else:
                print(f"an answer to a request that was never made: {message}", file=sys.stderr)
            return False
        result, error = None, None
        if method in methods:
            try:
                result = methods[method](message.get("params"))
            except Exception as failure:
                error = {"code": APPLICATION_ERROR, "message": f"{type(failure).__name__}: {failure}"}
        else:
            error = {"code": METHOD_NOT_FOUND, "message": f"method not found: {method}"}
        stop = result is STOP
        if "id" in message:  # A notification gets no answer, whatever happened.
            self._reply(request_id, None if stop else result, error)
        return stop

    def _reply(self, request_id, result=None, error=None):
        body = {"result": result} if error is None else {"error": error}
        self._send_json({"jsonrpc": "2.0", "id": request_id, **body})

    def _send_json(self, message):
        body = json.dumps(message, separators=(",", ":")).encode("ascii")
        # The length counts the kind byte and the body, in bytes.
        frame = struct.pack(">IB", 1 + len(body), JSON_KIND) + body
        with self._write_lock:  # A frame goes out whole.
            self._sock.sendall(frame)

    def _read_frame(self):
        (length,) = struct.unpack(">I", self._read(4))
        if not 0 < length <= MOST_FRAME_BYTES:
            raise ConnectionError(f"a frame of {length} bytes")
        kind = self._read(1)[0]
        return kind, self._read(length - 1)

    def _read(self, count):
        data = bytearray(count)
        view, done = memoryview(data), 0
        while done < count:
            received = self._sock.recv_into(view[done:])
            if received == 0:
                raise ConnectionError("the host closed the connection")
            done += received
        return data


def parse_attachment(body):
    """The body of an attachment frame: id tag, role, then the bytes (a view of `body`, uncopied)."""
    try:
        if body[0] == 0:  # An integer id, eight bytes, signed.
            (request_id,) = struct.unpack_from(">q", body, 1)
            at = 9
        elif body[0] == 1:  # A string id.
            request_id, at = read_string(body, 1)
        else:
            raise ValueError(f"id tag {body[0]}")
        role, at = read_string(body, at)
    except (ValueError, IndexError, struct.error) as error:
        raise ConnectionError(f"malformed attachment of {len(body)} bytes: {error}") from error
    return request_id, role, memoryview(body)[at:]


def read_string(body, at):
    """Text behind its length in bytes, and where it ends."""
    (length,) = struct.unpack_from(">I", body, at)
    end = at + 4 + length
    if end > len(body):
        raise ValueError(f"text of {length} bytes at {at}")
    return body[at + 4 : end].decode("utf-8"), end


def parse_framebuffer(data):
    """`mxfb0001`: the magic, then width, height, stride and pixel format, then height * stride bytes."""
    if len(data) < 24 or data[:8] != b"mxfb0001":
        raise ValueError("not an mxfb0001 framebuffer")
    width, height, stride, pixel_format = struct.unpack_from(">IIII", data, 8)
    if stride < width * 4 or pixel_format > 3 or len(data) != 24 + height * stride:
        raise ValueError(f"a framebuffer of {width}x{height}, stride {stride}, format {pixel_format}, {len(data)} bytes")
    return width, height, data[24:]


class Watcher:
    """Captures every VM's framebuffer once a second and knows how that goes."""

    def __init__(self, connection, capabilities):
        self._connection = connection
        self._capabilities = capabilities
        self._stopped = threading.Event()
        self._status = ("ready", "watching")

    def run(self):
        known, frame = None, 0
        while not self._stopped.is_set():
            try:
                vms = self._connection.request("host.v1.listVms")
                if vms != known:
                    known = vms
                    print(json.dumps(vms))  # The host shows an extension's stdout to a person.
                for vm in vms:
                    self._capture(vm["id"], frame)
                frame += 1
                # The same words as long as nothing changes: the host shows a status when it is a new one.
                self._set("ready", f"watching {', '.join(vm['id'] for vm in vms) or 'no VM'}")
            except Exception as error:  # Whatever went wrong, the next second gets its chance.
                self._set("degraded", f"{type(error).__name__}: {error}")
            self._stopped.wait(CAPTURE_EVERY_SECONDS)

    def stop(self):
        self._stopped.set()

    def status(self, _params):
        state, message = self._status
        return {
            "state": state,
            "message": message,
            "version": VERSION,
            "protocolVersion": 1,
            "capabilities": self._capabilities,
        }

    def _capture(self, vm_id, frame):
        result, data = self._connection.request("host.v1.captureFramebuffer", {"vmId": vm_id}, "framebuffer")
        if result["encoding"] != "mxfb0001" or result["byteLength"] != len(data):
            raise ValueError(f"asked for {result['byteLength']} bytes of {result['encoding']}, got {len(data)}")
        width, height, pixels = parse_framebuffer(data)
        print(f"{vm_id} frame {frame}: {width}x{height}, crc32 {zlib.crc32(pixels):08x}")

    def _set(self, state, message):
        if self._stopped.is_set():
            return
        if state != self._status[0]:
            print(f"{state}: {message}", file=sys.stderr)
        self._status = (state, message)


def main():
    # The token stands in the environment only; taken out of it, no child of ours inherits it.
    token = os.environ.pop("MX_EXTENSION_TOKEN", None)
    if token is None:
        sys.exit("no MX_EXTENSION_TOKEN: start this with a host, as in extwire run --protocol mx -- python3 mx_extension.py")
    address, port = os.environ["MX_EXTENSION_HOST"].rsplit(":", 1)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)

    try:
        sock = socket.create_connection((address, int(port)), timeout=ANSWER_SECONDS)
    except OSError as error:
        sys.exit(f"no host listens at {address}:{port}: {error}")
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection = Connection(sock)
    try:
        hello = connection.hello(
            {
                "token": token,
                "protocolVersion": int(os.environ["MX_EXTENSION_PROTOCOL"]),
                "extensionId": os.environ["MX_EXTENSION_ID"],
            }
        )
    except (RpcError, OSError) as error:
        sys.exit(f"hello failed: {error}")
    sock.settimeout(None)

    watcher = Watcher(connection, hello["hostCapabilities"])
    thread = threading.Thread(target=watcher.run, daemon=True)
    thread.start()
    try:
        connection.serve({"extension.v1.reportStatus": watcher.status, "extension.v1.shutdown": lambda _params: STOP})
    except OSError as error:
        sys.exit(f"connection lost: {error}")
    finally:
        watcher.stop()
        connection.close()
        thread.join(1)


if __name__ == "__main__":
    main()
