import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  addService,
  type ClusterFixture,
  completes,
  type ModelServer,
  startFixture,
  startModel,
  until,
} from "./fixture.ts";

const annotations = (served: string) => ({ "trivium.dev/models": "base", "trivium.dev/served-adapters": served });

describe("adapters are requested by their names", () => {
  let fixture: ClusterFixture;
  let plain: ModelServer;
  let naming: ModelServer;

  before(async () => {
    plain = await startModel(completes, ["tiny"]);
    naming = await startModel(completes, ["tiny", "law"]);
    fixture = await startFixture({
      before: async (client) => {
        await addService(client, "llama", [plain.port], { annotations: annotations("poet=0,style=1") });
        await addService(client, "vllm", [naming.port], { annotations: annotations("law") });
        await addService(client, "second", [plain.port], { annotations: annotations("ode=0,poet=1") });
        await addService(client, "stand-in", [plain.port], { annotations: annotations("med") });
      },
    });
    await until(async () => (await namesOf("default/stand-in")).includes("tiny"), "the servers list their models");
  });
  after(async () => {
    await fixture.close();
    await plain.close();
    await naming.close();
  });

  const namesOf = async (service: string): Promise<readonly string[]> => {
    const answer = await fetch(`${fixture.gateway.url}/v1/models`);
    const { data } = (await answer.json()) as { data: { service: string; names: string[] }[] };
    return data.find((one) => one.service === service)?.names ?? [];
  };
  const ask = async (model: string, more: object = {}) => {
    const body = JSON.stringify({ model, messages: [], ...more });
    const answer = await fetch(`${fixture.gateway.url}/v1/chat/completions`, { method: "POST", body });
    return { status: answer.status, text: await answer.text() };
  };
  const received = (server: ModelServer): object => JSON.parse(server.requests.at(-1)?.body ?? "null");

  it("llama.cpp gets the number of the adapter beside the name of its model", async () => {
    assert.equal((await ask("style")).status, 200);
    assert.deepEqual(received(plain), { lora: [{ id: 1, scale: 1 }], model: "tiny", messages: [] });
    assert.equal((await ask("default/llama/poet")).status, 200);
    assert.deepEqual(received(plain), { lora: [{ id: 0, scale: 1 }], model: "tiny", messages: [] });
    assert.equal((await ask("llama")).status, 200);
    assert.deepEqual(received(plain), { model: "tiny", messages: [] });
  });

  it("one that several services have is requested with the name of the service", async () => {
    const { status, text } = await ask("poet");
    assert.equal(status, 404);
    assert.match(text, /set model to one of: default\/llama\/poet, default\/second\/poet/);
    assert.equal((await ask("second/poet")).status, 200);
    assert.deepEqual(received(plain), { lora: [{ id: 1, scale: 1 }], model: "tiny", messages: [] });
  });

  it("what a caller sets itself wins", async () => {
    assert.equal((await ask("style", { lora: [{ id: 0, scale: 0.5 }] })).status, 200);
    assert.deepEqual(received(plain), { lora: [{ id: 0, scale: 0.5 }], model: "tiny", messages: [] });
  });

  it("a server that lists its adapters gets the name", async () => {
    assert.equal((await ask("law")).status, 200);
    assert.deepEqual(received(naming), { model: "law", messages: [] });
  });

  it("one that the server did not load is neither listed nor answered by the model without it", async () => {
    const before = plain.requests.length;
    const { status, text } = await ask("med");
    const { error } = JSON.parse(text) as { error: { code: string; message: string } };
    assert.deepEqual([status, error.code], [404, "model_not_found"]);
    assert.match(
      error.message,
      /^Adapter med is not available: the server of default\/stand-in has not loaded it; it serves: tiny$/,
    );
    assert.equal(plain.requests.length, before);
    assert.deepEqual(await namesOf("default/stand-in"), ["base", "tiny"]);
    assert.deepEqual(await namesOf("default/llama"), ["base", "poet", "style", "tiny"]);
    assert.deepEqual(await namesOf("default/vllm"), ["base", "tiny", "law"]);
  });
});
