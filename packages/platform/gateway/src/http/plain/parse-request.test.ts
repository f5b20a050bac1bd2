import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parsePlainHead } from "./parse-request.ts";

const head = (...lines: string[]) => ["POST /v1/chat/completions HTTP/1.1", ...lines].join("\r\n");

describe("a plain request", () => {
  it("is read as the server of Node reads it", () => {
    const plain = parsePlainHead(
      head("Host: a:80", "Content-Length: 12", "X-A:\t b c \t", "x-empty:", "X-B: \xc3\xa0"),
    );
    assert.deepEqual(plain, {
      method: "POST",
      url: "/v1/chat/completions",
      headers: { host: "a:80", "content-length": "12", "x-a": "b c", "x-empty": "", "x-b": "\xc3\xa0" },
      rawHeaders: ["Host", "a:80", "Content-Length", "12", "X-A", "b c", "x-empty", "", "X-B", "\xc3\xa0"],
      length: 12,
      isLast: false,
    });
  });

  it("can end its connection", () => {
    const isLast = (value: string) =>
      parsePlainHead(head("host: a", "content-length: 0", `connection: ${value}`))?.isLast;
    assert.deepEqual([isLast("Close"), isLast("keep-alive")], [true, false]);
  });

  const rest = ["host: a", "content-length: 2"];
  for (const [what, text] of [
    ["another method", "GET /v1/models HTTP/1.1\r\nhost: a\r\ncontent-length: 2"],
    ["another version", "POST / HTTP/1.0\r\nhost: a\r\ncontent-length: 2"],
    ["a whole URL", "POST http://evil/ HTTP/1.1\r\nhost: a\r\ncontent-length: 2"],
    ["two spaces", "POST  / HTTP/1.1\r\nhost: a\r\ncontent-length: 2"],
    ["a fragment", "POST /#a HTTP/1.1\r\nhost: a\r\ncontent-length: 2"],
    ["bytes in the path", "POST /\xff HTTP/1.1\r\nhost: a\r\ncontent-length: 2"],
    ["no host", head("content-length: 2")],
    ["an empty host", head("host:", "content-length: 2")],
    ["two hosts", head(...rest, "Host: b")],
    ["no length", head("host: a")],
    ["two lengths", head(...rest, "content-length: 2")],
    ["a list of lengths", head("host: a", "content-length: 2, 2")],
    ["a length with a sign", head("host: a", "content-length: +2")],
    ["a length in hexadecimal", head("host: a", "content-length: 0x2")],
    ["a length beyond numbers", head("host: a", "content-length: 99999999999999999999")],
    ["chunks", head(...rest, "Transfer-Encoding: chunked")],
    ["a question before the body", head(...rest, "expect: 100-continue")],
    ["an upgrade", head(...rest, "connection: Upgrade", "upgrade: websocket")],
    ["headers named in Connection", head(...rest, "connection: keep-alive, x-secret")],
    ["a header twice", head(...rest, "x-a: 1", "X-A: 2")],
    ["a name that every object has", head(...rest, "constructor: 1")],
    ["a name that is no property", head(...rest, "__proto__: 1")],
    ["a folded line", head(...rest, "x-a: 1", " 2")],
    ["a space before the colon", head(...rest, "x-a : 1")],
    ["no colon", head(...rest, "x-a")],
    ["no name", head(...rest, ": 1")],
    ["a line feed in a value", head(...rest, "x-a: 1\nx-b: 2")],
    ["a carriage return in a value", head(...rest, "x-a: 1\r2")],
    ["a zero in a value", head(...rest, "x-a: \0")],
    ["too many headers", head(...rest, ...Array.from({ length: 100 }, (_, at) => `x-${at}: 1`))],
    ["nothing", ""],
  ] as const) {
    it(`has not ${what}`, () => assert.equal(parsePlainHead(text), undefined));
  }
});
