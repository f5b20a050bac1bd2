import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { Exchange } from "../exchange.ts";
import { PlainResponse } from "./plain-response.ts";

describe("a plain response", () => {
  const server = createServer();
  before(() => once(server.listen(0, "127.0.0.1"), "listening"));
  after(() => server.close());

  /** What a client receives from a response that `write` writes. */
  const received = async (write: (response: PlainResponse, socket: Socket) => void): Promise<string> => {
    const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
    const [socket] = (await once(server, "connection")) as [Socket];
    let text = "";
    client.on("data", (piece) => {
      text += piece.toString("latin1");
    });
    const closed = once(client, "close");
    write(new PlainResponse(socket, { keepAlive: undefined, onOver: () => socket.destroySoon() }), socket);
    await closed;
    return text;
  };

  for (const [what, headers] of [
    ["a value that HTTP cannot carry", { "content-length": 2, "x-a": "日本" }],
    ["a line break in a value", { "content-length": 2, "x-a": "1\r\nx-b: 2" }],
    ["an invalid name", { "content-length": 2, "x a": "1" }],
  ] as const) {
    it(`with ${what} becomes a 500`, async () => {
      const text = await received((response, socket) => {
        const request = { headers: {}, rawHeaders: [], socket, complete: true, resume: () => {} };
        const exchange = new Exchange(request, response, { is: "whole", bytes: Buffer.alloc(0) });
        exchange.run(() => {
          response.writeHead(200, headers);
          response.end("hi");
        });
        assert.equal(response.statusCode, 500);
      });
      assert.match(text, /^HTTP\/1.1 500 .*Internal error/s);
      assert.doesNotMatch(text, /x-b|HTTP\/1.1 200/);
    });
  }
});
