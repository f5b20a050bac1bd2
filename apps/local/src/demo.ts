import { readFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { apiVersionOf, isReason, type KubeClient, type KubeObject } from "@trivium/kube";
import { InferenceService, Model } from "@trivium/llmkube";
import { Refusal } from "@trivium/std";
import { parseAllDocuments } from "yaml";
import { checkoutFolder } from "./programs.ts";

export interface DemoParts {
  readonly client: KubeClient;
  readonly gateway: string;
  /** The gateway requires one where it is given. */
  readonly key?: string | undefined;
  readonly signal: AbortSignal;
  print(line: string): void;
}

const question = "What is Trivium?";
const patience = 120_000;
/** Who waits longer than this wants to know for what. */
const slow = 3_000;
const kinds = [Model, InferenceService];

/** The manifest of the model that comes with this build; none in a build without it. */
export function demoManifest(): string | undefined {
  const checkout = checkoutFolder();
  return checkout === undefined ? undefined : join(checkout, "examples", "llmkube", "demo.yaml");
}

/** Serves the model that comes with this build and asks it one question: the whole way, from a manifest to an answer. */
export async function runDemo(parts: DemoParts): Promise<void> {
  const { client, gateway, print } = parts;
  const manifest = demoManifest();
  if (manifest === undefined) return;
  const objects = readObjects(manifest);
  if (await isTaken(client, objects)) {
    print("demo            skipped: Model default/demo exists and has another source");
    return;
  }
  print(`demo            ${manifest}`);
  for (const object of objects) await apply(client, object);
  await untilReady(parts);
  const { answer, firstToken } = await ask(gateway, parts.key);
  print(`                ${question}`);
  print(`                ${answer.trim()}`);
  print(`                first token after ${(firstToken / 1000).toFixed(2)}s; try it yourself:`);
  const body = JSON.stringify({ model: "demo", messages: [{ role: "user", content: question }] });
  const header = parts.key === undefined ? "" : '-H "Authorization: Bearer $TRIVIUM_API_KEY" ';
  print(`                curl ${header}${gateway}/v1/chat/completions -d '${body}'`);
}

function readObjects(path: string): KubeObject[] {
  return parseAllDocuments(readFileSync(path, "utf8")).map((document) => document.toJS() as KubeObject);
}

/** A model of the same name that the user serves is not replaced. */
async function isTaken(client: KubeClient, objects: readonly KubeObject[]): Promise<boolean> {
  const ours = objects.find(({ kind }) => kind === "Model") as Model | undefined;
  try {
    const { spec } = await client.get(Model, { namespace: "default", name: "demo" });
    return spec.source !== ours?.spec.source;
  } catch (error) {
    if (isReason(error, "NotFound")) return false;
    throw error;
  }
}

async function apply(client: KubeClient, object: KubeObject): Promise<void> {
  const kind = kinds.find((one) => one.kind === object.kind && apiVersionOf(one) === object.apiVersion);
  if (kind === undefined) throw new Error(`the demo manifest contains an unknown kind ${object.kind}`);
  const named = { ...object, metadata: { ...object.metadata, namespace: "default" } };
  await client.apply(kind as never, named as never, { fieldManager: "trivium", force: true });
}

/** Steps that take a while are told; the watch ends when the service is ready, or when it takes too long. */
async function untilReady({ client, signal, print }: DemoParts): Promise<void> {
  const late = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
  let step: string | undefined;
  const telling = setInterval(() => print(`                ${step ?? "waiting for InferenceService demo"}`), slow);
  const one = { namespace: "default", fieldSelector: "metadata.name=demo", signal: late };
  try {
    for await (const event of client.watch(InferenceService, one)) {
      if (event.type !== "ADDED" && event.type !== "MODIFIED") continue;
      if (event.object.status?.phase === "Ready") return;
      step = stepOf(event.object);
    }
  } finally {
    clearInterval(telling);
  }
  throw new Refusal(
    `not ready: ${step ?? "InferenceService demo has no status"}; see kubectl describe isvc.inference.llmkube.dev demo`,
  );
}

function stepOf({ status }: InferenceService): string | undefined {
  const messageOf = (wanted: string) => status?.conditions?.find(({ type }) => type === wanted)?.message;
  return messageOf("Degraded") ?? messageOf("Progressing");
}

async function ask(gateway: string, key: string | undefined): Promise<{ answer: string; firstToken: number }> {
  const response = await fetch(`${gateway}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({
      model: "default/demo",
      stream: true,
      temperature: 0.2,
      messages: [{ role: "user", content: question }],
    }),
    signal: AbortSignal.timeout(patience),
  });
  if (!response.ok || response.body === null)
    throw new Refusal(`the demo model does not respond: ${await response.text()}`);
  let [answer, firstToken, rest] = ["", 0, ""];
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const token = tokenOf(line);
      if (token !== "" && firstToken === 0) firstToken = performance.now();
      answer += token;
    }
  }
  return { answer, firstToken };
}

function tokenOf(line: string): string {
  if (!line.startsWith("data: {")) return "";
  const chunk = JSON.parse(line.slice("data: ".length)) as { choices?: { delta?: { content?: string } }[] };
  return chunk.choices?.[0]?.delta?.content ?? "";
}
