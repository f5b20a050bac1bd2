import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Service } from "@trivium/kube";
import OpenAI from "openai";
import {
  type Answer,
  addService,
  type ClusterFixture,
  completes,
  type ModelServer,
  startFixture,
  startModel,
  until,
} from "./fixture.ts";

describe("the official OpenAI client through the gateway", () => {
  let fixture: ClusterFixture;
  let model: ModelServer;
  let openai: OpenAI;
  let answer: Answer = completes;

  before(async () => {
    model = await startModel((request, response, body) => answer(request, response, body));
    fixture = await startFixture({
      before: async (client) => {
        await addService(client, "demo", [model.port], { annotations: { "trivium.dev/models": "nice-name" } });
        await addService(client, "demo-engine", [model.port], { annotations: { "trivium.dev/models": "" } });
        await addService(client, "twin", [model.port], { namespace: "default" });
        await addService(client, "twin", [model.port], { namespace: "other" });
      },
    });
    openai = new OpenAI({ baseURL: `${fixture.gateway.url}/v1`, apiKey: "none", maxRetries: 0 });
  });
  after(async () => {
    await fixture.close();
    await model.close();
  });

  it("chats, and replaces names that the server does not know", async () => {
    for (const name of ["demo", "default/demo", "nice-name", "default/nice-name"]) {
      const answered = await openai.chat.completions.create({
        model: name,
        messages: [{ role: "user", content: "Hi" }],
      });
      assert.equal(answered.choices[0]?.message.content, "Hello world");
      assert.equal(answered.model, "tiny", name);
    }
  });

  it("streams", async () => {
    const stream = await openai.chat.completions.create({
      model: "demo",
      stream: true,
      messages: [{ role: "user", content: "Hi" }],
    });
    let text = "";
    for await (const part of stream) text += part.choices[0]?.delta.content ?? "";
    assert.equal(text, "Hello world");
  });

  it("embeds", async () => {
    const { data } = await openai.embeddings.create({ model: "demo", input: "Hi", encoding_format: "float" });
    assert.deepEqual(data[0]?.embedding, [0.5, 0.25]);
  });

  it("lists all models with the namespace that owns them, and finds one", async () => {
    const { data } = await openai.models.list();
    assert.deepEqual(
      data.map(({ id, owned_by }) => [id, owned_by]),
      [
        ["nice-name", "default"],
        ["default/twin", "default"],
        ["other/twin", "other"],
      ],
    );
    assert.equal((await openai.models.retrieve("default/demo")).id, "default/demo");
  });

  it("says what there is when a name is unknown, and what is meant when it is ambiguous", async () => {
    const ask = (name: string) => openai.chat.completions.create({ model: name, messages: [] });
    await assert.rejects(ask("nobody"), (error: unknown) => {
      assert.ok(error instanceof OpenAI.NotFoundError);
      assert.equal(error.code, "model_not_found");
      assert.match(error.message, /Model nobody not found; available: nice-name, default\/twin, other\/twin/);
      return true;
    });
    await assert.rejects(ask("twin"), /served by several Services; set model to one of: default\/twin, other\/twin/);
  });

  it("leaves a name to the Service that can serve, although another claims it", async () => {
    const annotations = { "trivium.dev/models": "nice-name", "trivium.dev/closed": "no node has enough memory" };
    await addService(fixture.client, "stuck", [], { annotations });
    const isClaimed = async () => (await openai.models.list()).data.some(({ id }) => id === "stuck");
    await until(isClaimed, "both claim the name");
    const answered = await openai.chat.completions.create({ model: "nice-name", messages: [] });
    assert.equal(answered.choices[0]?.message.content, "Hello world");
    await fixture.client.delete(Service, { namespace: "default", name: "stuck" });
    await until(async () => !(await isClaimed()), "the other is deleted");
  });

  it("knows no model behind a Service that says it is none", async () => {
    await assert.rejects(openai.chat.completions.create({ model: "demo-engine", messages: [] }), OpenAI.NotFoundError);
  });

  it("passes on the errors of the server", async () => {
    answer = (_, response) =>
      response
        .writeHead(400, { "content-type": "application/json" })
        .end('{"error":{"message":"too long","code":"context"}}');
    await assert.rejects(openai.chat.completions.create({ model: "demo", messages: [] }), /too long/);
    answer = completes;
  });

  it("ends the server's work at once when the client aborts", async () => {
    answer = (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('data: {"choices":[{"delta":{"content":"x"}}]}\n\n');
    };
    const stream = await openai.chat.completions.create({ model: "demo", stream: true, messages: [] });
    for await (const _ of stream) break;
    stream.controller.abort();
    await until(() => model.open() === 0 && fixture.gateway.requests() === 0, "the stream has ended everywhere");
    answer = completes;
  });

  it("leaves nothing behind after 200 streams of which many are broken off", async () => {
    answer = (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      let left = 20;
      const next = () => {
        if (left-- === 0 || response.destroyed) return void response.end("data: [DONE]\n\n");
        response.write(`data: {"choices":[{"delta":{"content":"${left} "}}]}\n\n`);
        setImmediate(next);
      };
      next();
    };
    let finished = 0;
    const one = async (index: number) => {
      const stream = await openai.chat.completions.create({ model: "demo", stream: true, messages: [] });
      let observed = 0;
      for await (const _ of stream) {
        observed += 1;
        if (index % 2 === 0 && observed > index % 17) break;
      }
      if (observed === 20) finished += 1;
    };
    await Promise.all(Array.from({ length: 200 }, (_, index) => one(index)));
    assert.ok(finished >= 100);
    await until(() => model.open() === 0 && fixture.gateway.requests() === 0, "nothing is in flight");
    answer = completes;
  });

  it("counts requests, tokens and times for each Service", async () => {
    const stream = await openai.chat.completions.create({ model: "demo", stream: true, messages: [] });
    for await (const _ of stream);
    const text = await (await fetch(`${fixture.gateway.adminUrl}/metrics`)).text();
    assert.match(text, /trivium_gateway_requests_total\{model="default\/demo",code="200"\} \d+/);
    assert.match(text, /trivium_gateway_tokens_total\{model="default\/demo",kind="completion"\} [1-9]/);
    assert.match(text, /trivium_gateway_time_to_first_token_seconds_count\{model="default\/demo"\} [1-9]/);
    assert.match(text, /trivium_gateway_refused_total\{reason="model_not_found"\} [1-9]/);
    assert.match(text, /trivium_gateway_in_flight\{model="default\/demo"\} 0/);
    assert.equal((await fetch(`${fixture.gateway.url}/metrics`)).status, 404);
  });
});
