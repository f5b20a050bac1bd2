import { isBusy, servedModels } from "@trivium/domain";
import { type Answered, answer } from "@trivium/reconcile";
import { isObject, type Json } from "@trivium/std";
import { Agent } from "undici";

const maxBytes = 1 << 20;
/** Made with the first question. */
let agent: Agent | undefined;

/** Answers what model servers say of themselves. */
export function modelServerAnswers(): Answered[] {
  return [
    answer(servedModels, ({ url }, { signal }) => listedBy(url, signal)) as Answered,
    answer(isBusy, ({ url, engine }, { signal }) => isWorking(url, engine, signal)) as Answered,
  ];
}

async function listedBy(url: string, signal: AbortSignal): Promise<readonly string[] | undefined> {
  const text = await read(`${url}/v1/models`, signal);
  if (text === undefined) return undefined;
  const list = parsed(text);
  const entries = isObject(list) && Array.isArray(list.data) ? list.data : [];
  return entries.flatMap((entry) => (isObject(entry) && typeof entry.id === "string" ? [entry.id] : []));
}

/** Where each engine tells how many requests it is working on. */
const gauges: Readonly<Record<string, string>> = {
  vllm: "vllm:num_requests_running",
  tgi: "tgi_batch_current_size",
  sglang: "sglang:num_running_reqs",
};

async function isWorking(url: string, engine: string, signal: AbortSignal): Promise<boolean | undefined> {
  if (engine === "llamacpp") {
    const slots = parsed((await read(`${url}/slots`, signal)) ?? "");
    if (!Array.isArray(slots)) return undefined;
    return slots.some((slot) => isObject(slot) && slot.is_processing === true);
  }
  const gauge = gauges[engine];
  const text = gauge === undefined ? undefined : await read(`${url}/metrics`, signal);
  const lines = (text ?? "").split("\n").filter((line) => gauge !== undefined && line.startsWith(gauge));
  // A gauge that is missing tells nothing, and nothing is not idle.
  return lines.length === 0 ? undefined : lines.some((line) => Number(line.split(" ").at(-1)) > 0);
}

/** Nothing where there is no such path; everything else that is not a success is a failure to answer. */
async function read(url: string, signal: AbortSignal): Promise<string | undefined> {
  const { origin, pathname, search } = new URL(url);
  agent ??= new Agent({ headersTimeout: 5_000, bodyTimeout: 5_000 });
  const { statusCode, body } = await agent.request({ origin, path: pathname + search, method: "GET", signal });
  if (statusCode !== 200) {
    await body.dump({ limit: maxBytes });
    if (statusCode === 404) return undefined;
    throw new Error(`${url} responded with ${statusCode}`);
  }
  let text = "";
  for await (const piece of body.setEncoding("utf8")) {
    text += piece;
    if (text.length > maxBytes) throw new Error(`the response of ${url} is larger than ${maxBytes} bytes`);
  }
  return text;
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
