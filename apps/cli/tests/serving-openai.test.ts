import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import OpenAI, { APIError, APIUserAbortError } from "openai";
import { Machine, missingKubectl, until } from "./serving/machine.ts";
import { modelManifest, routeManifest } from "./serving/manifests.ts";

const skip = await missingKubectl();

interface ObservedSlot {
  readonly is_processing: boolean;
}

describe("the official OpenAI client, the gateway and the real engine", { skip }, () => {
  const machine = new Machine();
  let openai: OpenAI;
  before(async () => {
    await machine.up();
    const flags = ["--alias", "chatty", "--jinja", "--slots"];
    await machine.apply(modelManifest({ name: "chat", flags }) + routeManifest("chat", "/chat"));
    await machine.apply(modelManifest({ name: "vectors", flags: ["--embeddings", "--pooling", "mean"] }));
    await machine.kubectl("rollout", "status", "deploy/chat", "deploy/vectors");
    openai = new OpenAI({ baseURL: `${machine.gateway}/v1`, apiKey: "none", maxRetries: 0 });
  });
  after(() => machine.remove());

  const query = { role: "user", content: "What is Trivium?" } as const;

  it("chats, and says how many tokens it took", async () => {
    const answer = await openai.chat.completions.create({
      model: "chatty",
      temperature: 0,
      max_tokens: 40,
      messages: [query],
    });
    assert.match(answer.choices[0]?.message.content ?? "", /roads|Trivium/);
    const { prompt_tokens: asked = 0, completion_tokens: reported = 0, total_tokens: both } = answer.usage ?? {};
    assert.ok(asked > 0 && reported > 0);
    assert.equal(both, asked + reported);
  });

  it("streams the same words piece by piece", async () => {
    const request = { model: "chatty", temperature: 0, seed: 7, max_tokens: 30, messages: [query] };
    const whole = await openai.chat.completions.create(request);
    const stream = await openai.chat.completions.create({
      ...request,
      stream: true,
      stream_options: { include_usage: true },
    });
    let pieces = 0;
    let text = "";
    let used: number | undefined;
    for await (const { choices, usage } of stream) {
      const piece = choices[0]?.delta.content ?? "";
      if (piece !== "") pieces += 1;
      text += piece;
      used = usage?.completion_tokens ?? used;
    }
    assert.equal(text, whole.choices[0]?.message.content);
    assert.ok(pieces > 1, `${pieces} pieces`);
    assert.equal(used, whole.usage?.completion_tokens);
  });

  it("makes vectors where it was started for that, and says how to where not", async () => {
    const { data } = await openai.embeddings.create({ model: "vectors", input: ["one", "two", "one"] });
    assert.equal(data.length, 3);
    assert.ok((data[0]?.embedding.length ?? 0) > 100);
    assert.deepEqual(data[0]?.embedding, data[2]?.embedding);
    assert.notDeepEqual(data[0]?.embedding, data[1]?.embedding);
    await assert.rejects(openai.embeddings.create({ model: "chatty", input: "one" }), /--embeddings/);
  });

  it("keeps to a JSON schema, and says so when it cannot call tools", async () => {
    const schema = {
      type: "object",
      properties: { name: { enum: ["Trivium"] }, roads: { type: "integer", minimum: 1, maximum: 9 } },
      required: ["name", "roads"],
      additionalProperties: false,
    };
    const answer = await openai.chat.completions.create({
      model: "chatty",
      temperature: 0,
      max_tokens: 400,
      messages: [query],
      response_format: { type: "json_schema", json_schema: { name: "place", strict: true, schema } },
    });
    const reported = JSON.parse(answer.choices[0]?.message.content ?? "");
    assert.equal(reported.name, "Trivium");
    assert.ok(Number.isInteger(reported.roads));
    const calling = openai.chat.completions.create({
      model: "chatty",
      messages: [query],
      tool_choice: "required",
      tools: [{ type: "function", function: { name: "look_up", parameters: schema } }],
    });
    await assert.rejects(calling, /400 .*chat template of this model does not support tool calls/);
  });

  it("answers mistakes with errors that say what to do", async () => {
    const unknown = await openai.chat.completions
      .create({ model: "nobody", messages: [query] })
      .catch((error: unknown) => error);
    assert.ok(unknown instanceof APIError);
    assert.deepEqual([unknown.status, unknown.code], [404, "model_not_found"]);
    assert.match(unknown.message, /Model nobody not found; available: .*chat.*vectors/);
    const long = "word ".repeat(4000);
    const tooLong = await openai.chat.completions
      .create({ model: "chatty", messages: [{ role: "user", content: long }] })
      .catch((error: unknown) => error);
    assert.ok(tooLong instanceof APIError);
    assert.equal(tooLong.status, 400);
    assert.match(tooLong.message, /context/);
  });

  it("leaves no slot and no request behind when 200 stream at once and many hang up", async () => {
    const outcomes = await Promise.all(Array.from({ length: 200 }, (_, index) => streamOnce(index)));
    assert.deepEqual(
      outcomes.filter((outcome) => outcome !== "whole" && outcome !== "hung up"),
      [],
    );
    assert.ok(outcomes.includes("whole") && outcomes.includes("hung up"), String(outcomes));
    await until("all slots are idle", async () => {
      const slots = (await (await fetch(`${machine.gateway}/chat/slots`)).json()) as ObservedSlot[];
      return slots.length === 4 && slots.every((slot) => !slot.is_processing);
    });
    const inFlight = 'trivium_gateway_in_flight{model="default/chat"}';
    await until("nothing is in flight", async () => (await machine.figure(inFlight)) === 0);
    assert.equal(await machine.figure("trivium_gateway_held"), 0);
  });

  /** Every other one hangs up: before the first word, or after some. */
  async function streamOnce(index: number): Promise<string> {
    const hangingUp = new AbortController();
    const words = index % 2 === 0 ? Number.POSITIVE_INFINITY : index % 7;
    if (words === 0) setTimeout(() => hangingUp.abort(), (index * 13) % 400);
    try {
      const stream = await openai.chat.completions.create(
        { model: "chatty", stream: true, max_tokens: 24, messages: [query] },
        { signal: hangingUp.signal },
      );
      let observed = 0;
      for await (const { choices } of stream) {
        if (choices[0]?.finish_reason) return "whole";
        observed += 1;
        if (observed > words) hangingUp.abort();
      }
      return hangingUp.signal.aborted ? "hung up" : "ended without a reason";
    } catch (error) {
      return error instanceof APIUserAbortError ? "hung up" : String(error);
    }
  }
});
