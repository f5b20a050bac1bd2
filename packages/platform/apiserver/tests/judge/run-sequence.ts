import type { ApiRequest, ApiResponse, Transport } from "@trivium/kube";
import type { Json } from "@trivium/std";
import { parse as parseYaml } from "yaml";
import { EventStream, type WatchEvent } from "./event-stream.ts";
import type { Call, CollectStep, Sequence, Step, WaitStep } from "./sequence.ts";

/** What a server said to one step. Events come from `collect`, everything else from calls. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Parsed where it is JSON, else the text. */
  readonly body: Json;
  readonly events?: readonly WatchEvent[];
}

/** The words that stand for `{ns}` and `{id}`: the same on both servers, so that both see the same text. */
export interface Place {
  readonly namespace: string;
  readonly id: string;
}

/** Only what never happens takes that long; a busy machine is slow at what does. */
const patience = 90_000;

/** Runs the steps one after the other and gives an answer for each that has one to compare. */
export async function runSequence(sequence: Sequence, transport: Transport, place: Place): Promise<Answer[]> {
  const answers: Answer[] = [];
  const watches = new Map<string, EventStream>();
  try {
    for (const step of sequence.steps) answers.push(await runStep(step, { transport, place, answers, watches }));
  } finally {
    for (const watch of watches.values()) watch.stop();
  }
  return answers;
}

interface Running {
  readonly transport: Transport;
  readonly place: Place;
  readonly answers: readonly Answer[];
  readonly watches: Map<string, EventStream>;
}

async function runStep(step: Step, running: Running): Promise<Answer> {
  switch (step.is) {
    case "call":
      return withoutBodyOfHead(step, answerOf(await whole(await running.transport(requestOf(step, running)))));
    case "watch":
      return openWatch(step, running);
    case "collect":
      return collectEvents(step, running);
    case "wait":
      return waitUntil(step, running);
  }
}

/** A call with `watch` in its query may be answered with a stream although it is no watch. */
async function whole(response: ApiResponse): Promise<ApiResponse> {
  if (typeof response.body === "string") return response;
  let body = "";
  for await (const piece of response.body) body += piece;
  return { ...response, body };
}

/** HTTP drops it on the way, whatever the server says. */
const withoutBodyOfHead = (step: Call, answer: Answer): Answer =>
  step.method === "HEAD" ? { ...answer, body: "" } : answer;

async function openWatch(step: Call & { watch: string }, running: Running): Promise<Answer> {
  const stop = new AbortController();
  const response = await running.transport({ ...requestOf(step, running), signal: stop.signal });
  if (typeof response.body === "string") return answerOf(response);
  running.watches.set(step.watch, new EventStream(response.body, stop));
  return { status: response.status, headers: response.headers, body: null };
}

async function collectEvents(step: CollectStep, running: Running): Promise<Answer> {
  const stream = running.watches.get(step.watch);
  if (stream === undefined) return { status: 0, headers: {}, body: `the watch ${step.watch} was not opened` };
  const events = await stream.take(step.until, { bookmarks: step.bookmarks ?? false, patience });
  return { status: 200, headers: {}, body: null, events };
}

async function waitUntil(step: WaitStep, running: Running): Promise<Answer> {
  const deadline = Date.now() + (step.patience ?? patience);
  for (;;) {
    const answer = answerOf(await running.transport(requestOf(step, running)));
    if (step.until(answer.status, answer.body)) return { status: 0, headers: {}, body: "as awaited" };
    if (Date.now() > deadline) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function requestOf(step: Call, running: Running): ApiRequest {
  const body =
    step.body === undefined ? undefined : typeof step.body === "string" ? step.body : JSON.stringify(step.body);
  const json = body === undefined ? {} : { "content-type": "application/json" };
  return {
    method: step.method,
    path: filled(step.path, running),
    headers: { "user-agent": "judge/1.0", accept: "application/json", ...json, ...step.headers },
    ...(body === undefined ? {} : { body: filled(body, running) }),
  };
}

const reference = /"?\$(\d+)((?:\.[A-Za-z]\w*|\[\d+\])+)"?/g;

/** Puts names and values of earlier answers in their places. */
function filled(text: string, { place, answers }: Running): string {
  return text
    .replaceAll("{ns}", place.namespace)
    .replaceAll("{id}", place.id)
    .replace(reference, (whole, step: string, path: string) => {
      const value = valueAt(answers[Number(step) - 1], path);
      // A reference that is a whole string in JSON takes the type of what it refers to; in a path it is plain text.
      if (whole.startsWith('"') && whole.endsWith('"')) return JSON.stringify(value ?? null);
      const plain = typeof value === "string" ? value : JSON.stringify(value ?? null);
      return whole.replace(/\$\d+(?:\.[A-Za-z]\w*|\[\d+\])+/, encodeURIComponent(plain));
    });
}

/** In the body of a call; of the last event where the step collected events. */
function valueAt(answer: Answer | undefined, path: string): Json | undefined {
  let value: unknown = answer?.events === undefined ? answer?.body : { events: answer.events };
  for (const [, key, index] of path.matchAll(/\.(\w+)|\[(\d+)\]/g)) {
    value = (value as Record<string, unknown> | undefined)?.[(key ?? index) as string];
  }
  return value as Json | undefined;
}

function answerOf(response: ApiResponse): Answer {
  const text = typeof response.body === "string" ? response.body : "";
  const isYaml = response.headers["content-type"] === "application/yaml";
  return { status: response.status, headers: response.headers, body: parsed(text, isYaml) };
}

function parsed(text: string, isYaml: boolean): Json {
  try {
    return (isYaml ? parseYaml(text, { version: "1.1", schema: "core" }) : JSON.parse(text)) as Json;
  } catch {
    return text;
  }
}
