import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MalformedResponse, type ResponseHead } from "./response-head.ts";
import { ResponseReader } from "./response-reader.ts";

interface Read {
  readonly heads: ResponseHead[];
  body: string;
  end: string | undefined;
}

/** Feeds a response in pieces of a size, in the one buffer that the next piece overwrites. */
function read(text: string, size = text.length, method = "POST"): Read {
  const result: Read = { heads: [], body: "", end: undefined };
  const pieces: Buffer[] = [];
  const reader = new ResponseReader(method, {
    onHead: (head) => result.heads.push(head),
    onPiece: (piece) => pieces.push(piece),
    onEnd: (rest) => {
      result.end = rest;
    },
  });
  const arrivals = Buffer.alloc(size);
  for (let at = 0; at < text.length; at += size) {
    const length = arrivals.write(text.slice(at, at + size), "latin1");
    reader.feed(arrivals.subarray(0, length));
  }
  if (result.end === undefined && reader.endOfConnection()) result.end = "with the connection";
  result.body = Buffer.concat(pieces).toString("latin1");
  return result;
}

const chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

describe("a response is read alike however its bytes are cut", () => {
  const whole: [string, string, Omit<Read, "heads"> & { status: number }][] = [
    ["a length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", { status: 200, body: "hello", end: "nothing" }],
    ["no body", "HTTP/1.1 204 No Content\r\n\r\n", { status: 204, body: "", end: "nothing" }],
    ["an empty body", "HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n", { status: 500, body: "", end: "nothing" }],
    ["no reason", "HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n", { status: 200, body: "", end: "nothing" }],
    [
      "chunks",
      `${chunked}5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n`,
      { status: 200, body: "hello world", end: "nothing" },
    ],
    ["trailers", `${chunked}1\r\na\r\n0\r\nx-b: c\r\nx-d: e\r\n\r\n`, { status: 200, body: "a", end: "nothing" }],
    ["its connection", "HTTP/1.0 200 OK\r\n\r\nhello", { status: 200, body: "hello", end: "with the connection" }],
    [
      "announcements",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi",
      { status: 200, body: "hi", end: "nothing" },
    ],
    [
      "the same length twice",
      "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\nhi",
      { status: 200, body: "hi", end: "nothing" },
    ],
    ["a short body", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhi", { status: 200, body: "hi", end: undefined }],
    ["a chunk that is cut", `${chunked}5\r\nhel`, { status: 200, body: "hel", end: undefined }],
  ];
  for (const [name, text, { status, ...expected }] of whole) {
    it(`with ${name}`, () => {
      for (let size = 1; size <= text.length; size += 1) {
        const { heads, ...rest } = read(text, size);
        assert.deepEqual([heads.map((head) => head.status), rest], [[status], expected], `in pieces of ${size}`);
      }
    });
  }

  for (const [name, head, length] of [
    ["one number for equal lengths", "200 OK\r\ncontent-length: 2\r\nx: y\r\ncontent-length: 2", ["2"]],
    ["a number without leading zeros", "200 OK\r\ncontent-length: 0002\r\nx: y", ["2"]],
    ["zero as it is", "200 OK\r\ncontent-length: 0\r\nx: y", ["0"]],
    ["zero without further zeros", "200 OK\r\ncontent-length: 000\r\nx: y", ["0"]],
    ["no length where there is never a body", "204 None\r\ncontent-length: 4\r\nx: y\r\ncontent-length: 4", []],
    ["the length of what was not modified", "304 Not Modified\r\ncontent-length: 4\r\nx: y", ["4"]],
  ] as const) {
    it(`passes on ${name}`, () => {
      const headers = read(`HTTP/1.1 ${head}\r\n\r\n`).heads[0]?.headers ?? [];
      assert.deepEqual(
        headers.filter((_, at) => headers[at - 1] === "content-length"),
        length,
      );
      assert.equal(headers[headers.indexOf("x") + 1], "y");
      assert.equal(headers.length, 2 + 2 * length.length);
    });
  }

  it("has no body for HEAD", () =>
    assert.equal(read("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n", 9, "HEAD").end, "nothing"));

  it("reports what follows the end, and does not read it", () => {
    const { body, end } = read(
      "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhiHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nno",
    );
    assert.deepEqual([body, end], ["hi", "extra"]);
    assert.equal(read(`${chunked}0\r\n\r\nx`).end, "extra");
  });
});

describe("a response that two readers could understand differently is refused", () => {
  const length = "content-length: 2\r\n";
  const cases: [string, string][] = [
    ["no status line", "hello there\r\n\r\n"],
    ["another protocol", "HTTP/2 200\r\n\r\n"],
    ["a low status", `HTTP/1.1 099 Low\r\n${length}\r\nhi`],
    ["an upgrade", "HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n"],
    ["conflicting content-length headers", `HTTP/1.1 200 OK\r\n${length}content-length: 9\r\n\r\nhi`],
    ["a list of lengths", "HTTP/1.1 200 OK\r\ncontent-length: 2, 2\r\n\r\nhi"],
    ["a signed length", "HTTP/1.1 200 OK\r\ncontent-length: +2\r\n\r\nhi"],
    [
      "content-length and transfer-encoding in one response",
      `HTTP/1.1 200 OK\r\n${length}transfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ["a space before the colon", `HTTP/1.1 200 OK\r\nx-a : b\r\n${length}\r\nhi`],
    ["a folded line", `HTTP/1.1 200 OK\r\nx-a: b\r\n c\r\n${length}\r\nhi`],
    ["a line feed in a value", `HTTP/1.1 200 OK\r\nx-a: b\nx-c: d\r\n${length}\r\nhi`],
    ["a zero in a value", `HTTP/1.1 200 OK\r\nx-a: b\0\r\n${length}\r\nhi`],
    ["no colon", `HTTP/1.1 200 OK\r\nx-a\r\n${length}\r\nhi`],
    ["no name", `HTTP/1.1 200 OK\r\n: b\r\n${length}\r\nhi`],
    ["a size that is none", `${chunked}zz\r\nhi\r\n`],
    ["a negative size", `${chunked}-1\r\nhi\r\n`],
    ["an endless size", `${chunked}fffffffffffff\r\nhi\r\n`],
    ["an empty size", `${chunked}\r\nhi\r\n`],
    ["a bare line feed", `${chunked}2\nhi\n0\n\n`],
    ["a chunk that is too long", `${chunked}2\r\nhello\r\n0\r\n\r\n`],
    ["endless headers", `HTTP/1.1 200 OK\r\nx-a: ${"a".repeat(20_000)}`],
    ["endless trailers", `${chunked}0\r\n${"x-a: bbbbbbbbbbbbbbbbbbb\r\n".repeat(1_000)}`],
    ["an endless size line", `${chunked}1;${"a".repeat(2_000)}`],
  ];
  for (const [name, text] of cases) {
    it(`because of ${name}`, () => {
      assert.throws(() => read(text), MalformedResponse);
      assert.throws(() => read(text, text.length > 1_000 ? 500 : 3), MalformedResponse);
    });
  }
});

describe("the headers of a response", () => {
  const headOf = (lines: string): ResponseHead => read(`HTTP/1.1 200 OK\r\n${lines}\r\n\r\n`).heads[0] as ResponseHead;

  it("keep their order, their repetitions and the bytes of their values", () => {
    const { headers, contentType } = headOf(
      "Set-Cookie: a=1\r\nContent-Type:\ttext/event-stream \r\nset-cookie: b=2\r\n__proto__: x\r\nx-name: \xc3\xa0\r\ncontent-length: 0",
    );
    assert.deepEqual(headers, [
      ...["set-cookie", "a=1", "content-type", "text/event-stream", "set-cookie", "b=2"],
      ...["__proto__", "x", "x-name", "\xc3\xa0", "content-length", "0"],
    ]);
    assert.equal(contentType, "text/event-stream");
  });

  for (const [lines, expected] of [
    ["content-length: 0", 4_000],
    ["content-length: 0\r\nkeep-alive: timeout=5, max=100", 4_000],
    ["content-length: 0\r\nkeep-alive: max=100, timeout=65", 64_000],
    ["content-length: 0\r\nkeep-alive: timeout=999999999", 600_000],
    ["content-length: 0\r\nkeep-alive: timeout=1", 0],
    ["content-length: 0\r\nConnection: Close", 0],
    ["content-length: 0\r\nConnection: x, close", 0],
    ["x-a: b", 0],
  ] as const) {
    it(`give the connection ${expected} ms with ${lines.replaceAll("\r\n", ", ")}`, () =>
      assert.equal(headOf(lines).keepAlive, expected));
  }

  it("end a connection of HTTP/1.0 that does not say otherwise", () => {
    const keepAliveOf = (more: string) =>
      read(`HTTP/1.0 200 OK\r\ncontent-length: 0\r\n${more}\r\n`).heads[0]?.keepAlive;
    assert.deepEqual([keepAliveOf(""), keepAliveOf("connection: keep-alive\r\n")], [0, 4_000]);
  });
});
