import assert from "node:assert/strict";
import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { EndpointSlice } from "@trivium/kube";
import OpenAI from "openai";
import {
  type Answer,
  addService,
  type ClusterFixture,
  chunk,
  completes,
  endpoints,
  type ModelServer,
  startFixture,
  startModel,
  until,
} from "./fixture.ts";

describe("streams and replicas", () => {
  let fixture: ClusterFixture;
  let model: ModelServer;
  let answer: Answer = completes;

  before(async () => {
    model = await startModel((request, response, body) => answer(request, response, body));
    fixture = await startFixture({ before: (client) => addService(client, "demo", [model.port]) });
  });
  after(async () => {
    await fixture.close();
    await model.close();
  });

  const url = () => `${fixture.gateway.url}/v1/chat/completions`;
  const body = (name: string, more: object = {}) => JSON.stringify({ model: name, messages: [], ...more });
  const ask = (name: string, more: object = {}) => fetch(url(), { method: "POST", body: body(name, more) });

  it("tells a client whose server died in the middle of a stream, and closes", async () => {
    const dying = await startModel((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(chunk("half"));
      setTimeout(() => dying.kill(), 20);
    });
    await addService(fixture.client, "dying", [dying.port]);
    const openai = new OpenAI({ baseURL: `${fixture.gateway.url}/v1`, apiKey: "none", maxRetries: 0 });
    await until(async () => (await openai.models.list()).data.some(({ id }) => id === "dying"), "it is listed");
    const stream = await openai.chat.completions.create({ model: "dying", stream: true, messages: [] });
    let observed = "";
    await assert.rejects(async () => {
      for await (const part of stream) observed += part.choices[0]?.delta.content ?? "";
    }, /The model server of default\/dying stopped in the middle of its response/);
    assert.equal(observed, "half");
    await until(() => fixture.gateway.requests() === 0, "nothing is in flight");
  });

  it("breaks an answer visibly that is no stream", async () => {
    answer = (_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": 100 });
      response.write("{");
      setTimeout(() => response.destroy(), 10);
    };
    const response = await ask("demo");
    await assert.rejects(response.text());
    answer = completes;
  });

  it("passes events on as they come, and waits for a slow client without hoarding", async () => {
    const piece = Buffer.alloc(256 * 1024, 0x78);
    let written = 0;
    let isFull = false;
    answer = (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const push = () => {
        while (written < 400) {
          written += 1;
          if (!response.write(piece)) {
            isFull = true;
            return void response.once("drain", push);
          }
        }
        response.end();
      };
      push();
    };
    const { port } = new URL(fixture.gateway.url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.pause();
    const text = body("demo", { stream: true });
    socket.write(`POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
    await until(() => isFull, "the server was held back");
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.ok(written < 200, `${written} of 400 pieces were taken from the server while the client read nothing`);
    socket.destroy();
    await until(() => model.open() === 0 && fixture.gateway.requests() === 0, "all has ended");
    answer = completes;
  });

  it("tries another replica when one cannot be reached, and avoids the first", async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const dead = (closed.address() as AddressInfo).port;
    await new Promise((resolve) => closed.close(resolve));
    await addService(fixture.client, "pair", [dead, model.port], { portName: "other" });
    await until(async () => (await ask("pair")).status === 200, "it answers");
    for (let round = 0; round < 20; round += 1) assert.equal((await ask("pair")).status, 200);
  });

  it("lets replicas that leave finish their streams, and fails nobody while they change", async () => {
    let finish = () => {};
    const old = await startModel((request, response, text) => {
      if (!text.includes("long")) return completes(request, response, text);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(chunk("begun"));
      finish = () => response.end("data: [DONE]\n\n");
    });
    const fresh = await startModel(completes);
    await addService(fixture.client, "rolling", [old.port]);
    await until(async () => (await ask("rolling")).status === 200, "it answers");
    const long = await ask("rolling", { stream: true, user: "long" });
    let isRolling = true;
    const statuses: number[] = [];
    const load = Array.from({ length: 4 }, async () => {
      while (isRolling) {
        const response = await ask("rolling");
        await response.arrayBuffer();
        statuses.push(response.status);
      }
    });
    for (const slice of endpoints("rolling", [fresh.port])) await fixture.client.create(EndpointSlice, slice);
    await until(() => fresh.requests.length > 5, "the new one is used");
    const leaving = {
      endpoints: [{ addresses: ["127.0.0.1"], conditions: { ready: false, serving: true, terminating: true } }],
    };
    await fixture.client.patch(
      EndpointSlice,
      { namespace: "default", name: `rolling-${old.port}` },
      { type: "merge", body: leaving },
    );
    const isLeftAlone = async (): Promise<boolean> => {
      const [before, observed] = [old.requests.length, statuses.length];
      await until(() => statuses.length > observed + 20, "requests go on");
      return old.requests.length === before;
    };
    await until(isLeftAlone, "the old one gets no more").finally(() => {
      isRolling = false;
    });
    await Promise.all(load);
    assert.deepEqual(new Set(statuses), new Set([200]));
    finish();
    assert.match(await long.text(), /begun.*\[DONE\]/s);
    await Promise.all([old.close(), fresh.close()]);
  });

  it("waits for the only server while it restarts in its place", async () => {
    const restarting = await startModel(completes);
    await addService(fixture.client, "restarting", [restarting.port]);
    await until(async () => (await ask("restarting")).status === 200, "it answers");
    await restarting.close();
    const answered = ask("restarting");
    await until(() => fixture.gateway.requests() === 1, "the request is held");
    const again = await startModel(completes, ["tiny"], restarting.port);
    assert.equal((await answered).status, 200);
    await again.close();
  });

  it("asks a second server for a computation when the first died before it answered, but not for more", async () => {
    let deaths = 0;
    const mortal: Answer = (request) => {
      deaths += 1;
      request.socket.destroy();
    };
    const [first, second] = [await startModel(mortal), await startModel(mortal)];
    await addService(fixture.client, "mortals", [first.port, second.port]);
    await until(
      async () => (await (await fetch(`${fixture.gateway.url}/v1/models`)).text()).includes("mortals"),
      "it is listed",
    );
    deaths = 0;
    const failed = await ask("mortals");
    assert.equal(failed.status, 502);
    assert.match(await failed.text(), /stopped before it responded/);
    assert.equal(deaths, 2);
    await fetch(`${fixture.gateway.url}/v1/responses`, { method: "POST", body: body("mortals") });
    assert.equal(deaths, 3);
    await Promise.all([first.close(), second.close()]);
  });

  it("asks as many others as it needs when replicas are withdrawn before they end", async (t) => {
    const fresh = await startModel(completes);
    let left = 0;
    const leave = async ({ socket }: IncomingMessage): Promise<void> => {
      const name = `leaving-${socket.localPort}`;
      await fixture.client.delete(EndpointSlice, { namespace: "default", name });
      // Slices arrive in order: where a later one is known, so is the withdrawal.
      if (left === 2)
        for (const slice of endpoints("leaving", [fresh.port])) await fixture.client.create(EndpointSlice, slice);
      await addService(fixture.client, `after-${name}`, [fresh.port]);
      await until(async () => (await ask(`after-${name}`)).status === 200, "it is withdrawn");
      left += 1;
      socket.destroy();
    };
    const leaving: Answer = (request) => void leave(request);
    const servers = [await startModel(leaving), await startModel(leaving), await startModel(leaving)];
    t.after(() => Promise.all([...servers, fresh].map((server) => server.close())));
    await addService(
      fixture.client,
      "leaving",
      servers.map(({ port }) => port),
    );
    await until(
      async () => (await (await fetch(`${fixture.gateway.url}/v1/models`)).text()).includes("leaving"),
      "it is listed",
    );
    assert.equal((await ask("leaving")).status, 200);
    assert.equal(left, 3);
  });

  it("spreads requests over replicas by what they have to do", async () => {
    const hanging: Answer = () => {};
    const servers = [await startModel(hanging), await startModel(hanging), await startModel(hanging)];
    await addService(
      fixture.client,
      "three",
      servers.map(({ port }) => port),
    );
    await until(
      async () => (await (await fetch(`${fixture.gateway.url}/v1/models`)).text()).includes("three"),
      "it is listed",
    );
    const leaving = new AbortController();
    const requests = Array.from({ length: 9 }, () =>
      fetch(url(), { method: "POST", body: body("three"), signal: leaving.signal }).catch(() => {}),
    );
    await until(() => servers.reduce((sum, server) => sum + server.open(), 0) === 9, "all are under way");
    assert.deepEqual(
      servers.map((server) => server.open()),
      [3, 3, 3],
    );
    leaving.abort();
    await Promise.all(requests);
    await until(() => servers.every((server) => server.open() === 0), "all were given up");
    await Promise.all(servers.map((server) => server.close()));
  });

  it("sends what begins alike to the same replica when asked to", async () => {
    const servers = [await startModel(completes), await startModel(completes), await startModel(completes)];
    const ports = servers.map(({ port }) => port);
    await addService(fixture.client, "affine", ports, { annotations: { "trivium.dev/balance": "prefix" } });
    await until(async () => (await ask("affine")).status === 200, "it answers");
    for (const server of servers) server.requests.length = 0;
    const system = { role: "system", content: "You are kind.".repeat(60) };
    for (let round = 0; round < 9; round += 1) {
      await ask("affine", { messages: [system, { role: "user", content: `Question ${round}` }] });
    }
    assert.deepEqual(servers.map(({ requests }) => requests.length).sort(), [0, 0, 9]);
    await Promise.all(servers.map((server) => server.close()));
  });

  it("asks for the body only when it is wanted", async () => {
    const { port } = new URL(fixture.gateway.url);
    const send = (path: string) =>
      new Promise<{ status: number | undefined; continued: boolean }>((resolve, reject) => {
        let continued = false;
        const text = body("demo");
        const headers = { expect: "100-continue", "content-length": text.length };
        const request = httpRequest({ port, path, method: "POST", headers }, (response: IncomingMessage) => {
          response.resume();
          resolve({ status: response.statusCode, continued });
        });
        request.on("continue", () => {
          continued = true;
          request.end(text);
        });
        request.on("error", reject);
        request.flushHeaders();
      });
    assert.deepEqual(await send("/v1/chat/completions"), { status: 200, continued: true });
    assert.deepEqual(await send("/nowhere"), { status: 404, continued: false });
  });

  it("removes what is about one connection and says who asked", async () => {
    const { port } = new URL(fixture.gateway.url);
    const text = body("demo");
    await new Promise<void>((resolve, reject) => {
      const headers = {
        connection: "keep-alive, x-secret",
        "x-secret": "1",
        "x-kept": "2",
        te: "trailers",
        "proxy-authorization": "no",
        "x-forwarded-for": "9.9.9.9",
        "content-length": text.length,
        host: "models.localhost",
      };
      const request = httpRequest({ port, path: "/v1/chat/completions", method: "POST", headers }, (response) => {
        response.resume().on("end", resolve);
      });
      request.on("error", reject).end(text);
    });
    const { headers } = model.requests.at(-1) as ModelServer["requests"][number];
    assert.equal(headers["x-kept"], "2");
    for (const name of ["x-secret", "te", "proxy-authorization"]) assert.equal(headers[name], undefined, name);
    assert.equal(headers["x-forwarded-for"], "9.9.9.9, 127.0.0.1");
    assert.equal(headers["x-forwarded-host"], "models.localhost");
    assert.equal(headers.host, "models.localhost");
  });
});
