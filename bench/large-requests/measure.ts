import { setImmediate as turn } from "node:timers/promises";
import type { Pool } from "undici";
import type { MeasuredServer } from "../support/measured-server.ts";
import { namespace } from "../support/services.ts";
import { type LargeCase, large } from "./cases.ts";

export interface LargeFigures {
  readonly status: number;
  /** Milliseconds, the median of all rounds. */
  readonly processor: number;
  readonly took: number;
  /** The longest GET of another client meanwhile: the median of all rounds, and of the worst. */
  readonly waited: number;
  readonly worst: number;
}

interface Round {
  readonly status: number;
  readonly processor: number;
  readonly took: number;
  readonly waited: number;
}

interface Clients {
  readonly server: MeasuredServer;
  readonly writer: Pool;
  /** A connection of its own. */
  readonly reader: Pool;
}

const rounds = 7;

export async function measureLarge(each: LargeCase, clients: Clients): Promise<LargeFigures> {
  const taken: Round[] = [];
  for (let round = 0; round < rounds; round += 1) taken.push(await measureRound(each, clients));
  const median = (of: (round: Round) => number): number => taken.map(of).sort((a, b) => a - b)[rounds >> 1] ?? 0;
  return {
    status: taken[0]?.status ?? 0,
    processor: median(({ processor }) => processor),
    took: median(({ took }) => took),
    waited: median(({ waited }) => waited),
    worst: Math.max(...taken.map(({ waited }) => waited)),
  };
}

async function measureRound(each: LargeCase, clients: Clients): Promise<Round> {
  const { server, writer } = clients;
  await remove(each, clients);
  if (each.on === "object") await createFor(each, writer);
  const before = server.processorTime();
  const reading = { isOver: false };
  const longest = longestGet(clients.reader, reading);
  const began = performance.now();
  const status = await send(writer, each);
  const took = performance.now() - began;
  reading.isOver = true;
  return { status, took, waited: await longest, processor: server.processorTime() - before };
}

/** GETs of a small object, one after the other, and the longest of them in milliseconds. */
async function longestGet(reader: Pool, reading: { readonly isOver: boolean }): Promise<number> {
  let longest = 0;
  while (!reading.isOver) {
    const began = performance.now();
    const { body } = await reader.request({ method: "GET", path: `/api/v1/namespaces/${namespace}` });
    await body.dump();
    longest = Math.max(longest, performance.now() - began);
    await turn();
  }
  return longest;
}

async function send(pool: Pool, { method, path, body, type }: LargeCase): Promise<number> {
  const answer = await pool.request({ method, path, body, headers: { "content-type": type } });
  await answer.body.dump();
  return answer.statusCode;
}

async function createFor({ path, body, type, method }: LargeCase, writer: Pool): Promise<void> {
  const values = JSON.parse(body) as { data: Record<string, string> };
  const other = JSON.stringify({
    ...values,
    data: Object.fromEntries(Object.keys(values.data).map((key) => [key, "v"])),
  });
  const collection = path.replace(/\/[^/]+$/, "");
  const first = method === "PUT" ? ({ method: "POST", path: collection } as const) : ({ method, path } as const);
  const answer = await writer.request({ ...first, body: other, headers: { "content-type": type } });
  if (answer.statusCode >= 300) throw new Error(`${first.method} ${first.path}: ${answer.statusCode}`);
  await answer.body.dump();
}

async function remove({ path }: LargeCase, { writer }: Clients): Promise<void> {
  const collection = path.replace(/\/large.*$/, "");
  const { body } = await writer.request({ method: "DELETE", path: `${collection}/${large}?gracePeriodSeconds=0` });
  await body.dump();
}
