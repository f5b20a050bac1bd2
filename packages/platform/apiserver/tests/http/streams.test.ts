import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent } from "node:https";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "@trivium/testkit";
import { serveHttps } from "../../src/http/index.ts";
import { counting, identity, json, reports, serving, whoAmI } from "./serving.ts";

describe("a stream", () => {
  it("arrives as it is made, and ends when its client goes", async () => {
    const { state, answering } = counting("event\n", 5);
    await using served = await serving(answering);
    const response = await served.open("/watch");
    const [chunk] = (await once(response, "data")) as [Buffer];
    assert.match(chunk.toString(), /^event\n/);
    response.destroy();
    await until(() => state.aborted && state.ended, "the source goes on after its client left");
  });

  it("waits for a slow client instead of piling up, and goes on when it reads again", async () => {
    const { state, answering } = counting("x".repeat(64 * 1024));
    await using served = await serving(answering);
    const response = await served.open("/watch");
    response.pause();
    await until(() => state.taken > 0, "nothing was sent");
    let before = -1;
    await until(() => {
      const isStill = state.taken === before;
      before = state.taken;
      return isStill;
    }, "the source is read although nobody drains it");
    assert.ok(state.taken < 400, `${state.taken} pieces of 64 KiB were taken for a client that reads nothing`);
    const still = state.taken;
    response.resume();
    await until(() => state.taken > still + 50, "the stream does not go on");
    response.destroy();
    await until(() => state.ended, "the source goes on");
  });

  it("lets go of a client that reads nothing for long", async () => {
    const { state, answering } = counting("x".repeat(64 * 1024));
    await using served = await serving(answering, { stallTime: 150 });
    const response = await served.open("/watch");
    response.on("error", () => {});
    response.pause();
    await until(() => state.ended && state.aborted, "a stalled client is kept");
    assert.equal((await served.ask("/healthz")).status, 200);
  });

  it("is not cut by any of the limits on requests", async () => {
    const { answering } = counting("event\n", 20);
    await using served = await serving(answering, { headerTime: 600, requestTime: 800, idleTime: 600 });
    const response = await served.open("/watch");
    let bytes = 0;
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await sleep(2_500);
    assert.ok(!response.destroyed && !response.complete);
    const soFar = bytes;
    await until(() => bytes > soFar, "the stream stopped");
    response.destroy();
  });

  it("ends cleanly when the server closes, even when its source is silent and deaf", async () => {
    const deaf: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise<IteratorResult<string>>(() => {}) }),
    };
    const { server, open } = await serving(async () => ({ status: 200, headers: {}, body: deaf }), {
      closeTime: 60_000,
    });
    const response = await open("/watch");
    response.resume();
    const ended = once(response, "end");
    await Promise.all([server.close(), ended]);
    assert.ok(response.complete, "the client saw a whole answer, not a broken line");
  });

  it("that breaks breaks the line, so that the client does not take it for an end", async () => {
    const broken = async function* () {
      yield "one\n";
      throw new Error("disk on fire");
    };
    await using served = await serving(async () => ({ status: 200, headers: {}, body: broken() }));
    const response = await served.open("/watch");
    response.resume();
    const [error] = (await once(response, "error")) as [NodeJS.ErrnoException];
    assert.equal(error.code, "ECONNRESET");
    assert.equal(reports.at(-1), "GET /watch: the stream broke");
  });
});

describe("closing", () => {
  it("lets a request under way finish", async () => {
    const arrived = Promise.withResolvers<void>();
    const { server, ask } = await serving(async () => {
      arrived.resolve();
      await sleep(100);
      return json("done");
    });
    const asked = ask("/slow");
    await arrived.promise;
    const [answer] = await Promise.all([asked, server.close()]);
    assert.equal(answer.body, '"done"');
  });

  it("does not wait for connections that clients would keep", async () => {
    const { state, answering } = counting("event\n", 5);
    const { server, ask, open } = await serving(
      async (request, who) => (request.path === "/watch" ? answering(request, who) : json({})),
      { closeTime: 600_000 },
    );
    const agent = new Agent({ keepAlive: true });
    await ask("/api", { agent });
    const watch = await open("/watch", { agent });
    watch.resume();
    await server.close();
    assert.ok(state.ended);
    agent.destroy();
  });

  it("does not wait for ever for one that does not", async () => {
    const arrived = Promise.withResolvers<void>();
    const never = (): Promise<never> => {
      arrived.resolve();
      return new Promise(() => {});
    };
    const { server, open } = await serving(never, { closeTime: 50 });
    const asked = open("/never").catch((error: Error) => error);
    await arrived.promise;
    await server.close();
    assert.ok((await asked) instanceof Error);
  });

  it("frees the port; a taken one is an error that says so", async () => {
    const first = await serving(whoAmI);
    const api = { transport: () => async () => json({}) };
    await assert.rejects(serveHttps(api, { identity, port: first.server.port }), { code: "EADDRINUSE" });
    await first.server.close();
    const second = await serveHttps(api, { identity, port: first.server.port });
    await second.close();
  });
});
