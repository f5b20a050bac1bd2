import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import {
  type Answer,
  addService,
  type ClusterFixture,
  chunk,
  completes,
  type ModelServer,
  startFixture,
  startModel,
  until,
} from "./fixture.ts";

/** Answers in every form a model server may use. */
const answers: Record<string, Answer> = {
  completes,
  chunked: (_, response) => {
    response.writeHead(200, { "content-type": "application/json", "x-a": ["1", "2"] });
    response.write('{"a":');
    setImmediate(() => response.end('"\xe4"}'));
  },
  large: (_, response) => response.writeHead(200, { "content-type": "text/plain" }).end("x".repeat(300_000)),
  empty: (_, response) => response.writeHead(204).end(),
  failing: (_, response) => response.writeHead(503, { "retry-after": "3" }).end('{"error":{"message":"busy"}}'),
  breaking: (_, response) => {
    response.writeHead(200, { "content-length": 100 }).write("half");
    setTimeout(() => response.destroy(), 10);
  },
  dying: (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write(chunk("half"));
    setTimeout(() => response.destroy(), 10);
  },
};

describe("plain requests and the others", () => {
  let fixture: ClusterFixture;
  let model: ModelServer;
  const sockets = new Set<Socket>();

  before(async () => {
    model = await startModel((request, response, body) => {
      const { user = "completes" } = JSON.parse(body) as { user?: string };
      (answers[user] as Answer)(request, response, body);
    });
    fixture = await startFixture({
      limits: { headersTimeout: 300, requestTimeout: 600, bodyBytes: 100_000 },
      before: (client) => addService(client, "demo", [model.port]),
    });
    await until(async () => (await talk(post({ user: "completes" }), 1)).startsWith("HTTP/1.1 200 "), "it answers");
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    await fixture.close();
    await model.close();
  });

  const open = (): Socket => {
    const socket = connect(Number(new URL(fixture.gateway.url).port), "127.0.0.1");
    sockets.add(socket.setNoDelay(true).on("error", () => {}));
    return socket;
  };
  const post = (fields: object, headers = "", path = "/v1/chat/completions") => {
    const body = JSON.stringify({ model: "demo", messages: [], ...fields });
    return `POST ${path} HTTP/1.1\r\nhost: localhost\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  };
  /** Sends pieces on one connection, and gives what comes back until so many responses are whole or the connection ends. */
  const talk = async (text: string | readonly string[], responses: number): Promise<string> => {
    const socket = open();
    let answer = "";
    let isClosed = false;
    socket.on("data", (piece) => {
      answer += piece.toString("latin1");
    });
    socket.on("close", () => {
      isClosed = true;
    });
    for (const piece of [text].flat()) {
      socket.write(piece, "latin1");
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => isClosed || countWhole(answer) >= responses, "all is answered");
    socket.destroy();
    return answer;
  };
  const withoutDate = (answer: string): string => answer.replace(/^date: .*\r\n/gim, "");

  // A header that is there twice is reason enough to leave a request to the server of Node.
  const odd = "x-odd: 1\r\nx-odd: 2\r\n";
  const origin = "origin: http://localhost:3000\r\n";
  for (const [what, fields, headers] of [
    ["an answer of known length", {}, ""],
    ["a stream", { stream: true }, ""],
    ["chunks and repeated headers", { user: "chunked" }, ""],
    ["a large body", { user: "large" }, ""],
    ["no body", { user: "empty" }, ""],
    ["an error of the server", { user: "failing" }, ""],
    ["an unknown model", { model: "other" }, ""],
    ["no model", { model: "" }, ""],
    ["a web page of this machine", {}, origin],
    ["the end of the connection", {}, "connection: close\r\n"],
    ["an answer that breaks off", { user: "breaking" }, ""],
    ["a stream that breaks off", { user: "dying", stream: true }, ""],
  ] as const) {
    it(`are answered alike: ${what}`, async () => {
      const [plain, other] = [await talk(post(fields, headers), 1), await talk(post(fields, headers + odd), 1)];
      assert.deepEqual(partsOf(withoutDate(plain)), partsOf(withoutDate(other)));
    });
  }

  // Where a body was not read, the connection must end; a plain request has been read whole.
  for (const [what, fields, headers] of [
    ["a body that is too large", { user: "x".repeat(150_000) }, ""],
    ["a web page of a stranger", {}, "origin: https://evil.example\r\n"],
  ] as const) {
    it(`are refused alike, but for the end of the connection: ${what}`, async () => {
      const withoutConnection = (answer: string) =>
        withoutDate(answer).replace(/^(?:connection|keep-alive): .*\r\n/gim, "");
      const [plain, other] = [await talk(post(fields, headers), 1), await talk(post(fields, headers + odd), 1)];
      assert.deepEqual(partsOf(withoutConnection(plain)), partsOf(withoutConnection(other)));
    });
  }

  it("follow each other on one connection in any order, also ahead of their answers", async () => {
    const get = "GET /v1/models/demo HTTP/1.1\r\nhost: localhost\r\n\r\n";
    const [a, b] = [post({ user: "completes" }), post({ stream: true })];
    for (const sent of [a + a + a, a + b + get + a + b, get + a + a, a + post({}, odd) + b]) {
      const count = sent.split(" HTTP/1.1\r\n").length - 1;
      for (const pieces of [[sent], sent.match(/.{1,100}/gs) as string[], sent.match(/.{1,7}/gs) as string[]]) {
        const answer = await talk(pieces, count);
        assert.equal(answer.match(/HTTP\/1\.1 200 OK/g)?.length, count, answer);
        assert.equal(countWhole(answer), count);
      }
    }
  });

  it("are read alike wherever their bytes are cut", async () => {
    const text = post({ user: "completes" });
    const expected = partsOf(withoutDate(await talk(text, 1)));
    for (let at = 1; at < text.length; at += 1) {
      const answer = await talk([text.slice(0, at), text.slice(at)], 1);
      assert.deepEqual(partsOf(withoutDate(answer)), expected, `cut at ${at}`);
    }
  });

  it("end when their client is too slow", async () => {
    assert.match(await talk("", 1), /^HTTP\/1.1 408 /);
    assert.match(await talk(post({}).slice(0, -3), 1), /^HTTP\/1.1 408 /);
  });

  it("leave nothing behind when clients go away in any phase", async () => {
    const text = post({ stream: true });
    const head = text.indexOf("\r\n\r\n") + 4;
    for (const cut of [0, 10, head, head + 5, text.length]) {
      for (const how of ["destroy", "resetAndDestroy", "end"] as const) {
        for (let round = 0; round < 10; round += 1) {
          const socket = open();
          await new Promise<void>((resolve) => socket.once("connect", resolve));
          if (cut > 0) await new Promise((resolve) => socket.write(text.slice(0, cut), resolve));
          socket[how]();
        }
      }
    }
    await until(() => fixture.gateway.requests() === 0 && model.open() === 0, "nothing is in flight");
    assert.match(await talk(text, 1), /^HTTP\/1.1 200 /);
  });
});

/** Responses that have arrived whole. */
function countWhole(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\r\n\r\n", at);
    if (end === -1) return count;
    const head = text.slice(at, end);
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? Number.NaN);
    const isChunked = /^transfer-encoding: chunked$/im.test(head);
    const last = isChunked ? text.indexOf("\r\n0\r\n\r\n", end) : end;
    at = isChunked ? last + 7 : end + 4 + (length || 0);
    if ((isChunked && last === -1) || at > text.length) return count;
    count += 1;
  }
  return count;
}

/** The status, the headers by name, and the body without the sizes of its chunks, which depend on time. */
function partsOf(answer: string) {
  const [head = "", ...rest] = answer.split("\r\n\r\n");
  const [status, ...headers] = head.split("\r\n");
  const body = rest.join("\r\n\r\n");
  const isChunked = /^transfer-encoding: chunked$/im.test(head);
  return {
    status,
    headers: headers.map((line) => line.toLowerCase()).sort(),
    body: isChunked ? body.replace(/(^|\r\n)[\da-f]+\r\n/g, "") : body,
  };
}
