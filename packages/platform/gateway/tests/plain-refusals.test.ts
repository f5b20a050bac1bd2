import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import {
  addService,
  type ClusterFixture,
  completes,
  type FixtureOptions,
  type ModelServer,
  startFixture,
  startModel,
  until,
} from "./fixture.ts";

/** A header twice is reason enough to leave a request to the server of Node. */
const odd = "x-odd: 1\r\nx-odd: 2\r\n";
const key = "authorization: Bearer right-key\r\n";
const body = JSON.stringify({ model: "demo", messages: [] });
const half = body.length / 2;

const post = (headers: string, path = "/v1/chat/completions") =>
  `POST ${path} HTTP/1.1\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`;

for (const [name, options, refusals] of [
  [
    "keys",
    { keys: ["right-key"] },
    [
      ["no key", "host: localhost\r\n", undefined, 401],
      ["a wrong key", "host: localhost\r\nauthorization: Bearer wrong\r\n", undefined, 401],
      ["a web page of a stranger", `host: localhost\r\norigin: https://evil.example\r\n${key}`, undefined, 403],
      ["a path that climbs", `host: localhost\r\n${key}`, "/a/../b", 400],
    ],
  ],
  ["no keys", {}, [["the host name of a stranger", "host: evil.example\r\n", undefined, 421]]],
] as const satisfies readonly (readonly [
  string,
  FixtureOptions,
  readonly (readonly [string, string, string | undefined, number])[],
])[]) {
  describe(`half a body at a gateway with ${name}`, () => {
    let fixture: ClusterFixture;
    let model: ModelServer;
    const sockets = new Set<Socket>();

    before(async () => {
      model = await startModel(completes);
      fixture = await startFixture({ ...options, before: (client) => addService(client, "demo", [model.port]) });
      await until(async () => (await start(post(allowed))).answered(200), "it answers");
    });
    after(async () => {
      for (const socket of sockets) socket.destroy();
      await fixture.close();
      await model.close();
    });

    const allowed = `host: localhost\r\n${key}`;
    /** A connection that has sent something, and what came back. */
    const start = async (text: string) => {
      const socket = connect(Number(new URL(fixture.gateway.url).port), "127.0.0.1");
      sockets.add(socket.setNoDelay(true).on("error", () => {}));
      const seen = { answer: "", isClosed: false };
      socket.on("data", (piece) => {
        seen.answer += piece.toString("latin1");
      });
      socket.on("close", () => {
        seen.isClosed = true;
      });
      await new Promise((resolve) => socket.write(text, resolve));
      const answered = async (status: number) => {
        await until(() => seen.isClosed || /\r\n\r\n./s.test(seen.answer), "it is answered");
        return seen.answer.startsWith(`HTTP/1.1 ${status} `);
      };
      return { socket, seen, answered };
    };
    const partsOf = (answer: string): string[] =>
      answer
        .split("\r\n")
        .map((line) => line.toLowerCase())
        .filter((line) => !line.startsWith("date: "))
        .sort();

    for (const [what, headers, path, status] of refusals) {
      it(`is refused and its connection closed, as by the server of Node: ${what}`, async () => {
        const answers: string[][] = [];
        for (const more of ["", odd]) {
          const { seen } = await start(post(headers + more, path).slice(0, -half));
          await until(() => seen.isClosed, "the connection is closed");
          assert.match(seen.answer, new RegExp(`^HTTP/1.1 ${status} .*\r\nconnection: close\r\n`, "is"));
          answers.push(partsOf(seen.answer));
        }
        assert.deepEqual(answers[0], answers[1]);
      });
    }

    it("is refused also on a connection whose first request was allowed", async () => {
      const [, headers, path, status] = refusals[0];
      const { seen } = await start(post(allowed) + post(headers, path).slice(0, -half));
      await until(() => seen.isClosed, "the connection is closed");
      assert.match(seen.answer, new RegExp(`^HTTP/1.1 200 .*HTTP/1.1 ${status} `, "s"));
    });

    it("is waited for when nothing in its head is wrong, byte by byte", async () => {
      const { socket, seen, answered } = await start(post(allowed).slice(0, -half));
      const before = model.requests.length;
      for (const byte of body.slice(-half)) {
        assert.equal(seen.answer, "");
        await new Promise((resolve) => socket.write(byte, () => setImmediate(resolve)));
      }
      assert.equal(await answered(200), true);
      assert.deepEqual(JSON.parse(model.requests[before]?.body ?? ""), { model: "tiny", messages: [] });
    });
  });
}
