import { Agent, request } from "node:https";
import { parentPort, workerData } from "node:worker_threads";

/**
 * Creates large ConfigMaps over few connections, from a thread of its own: its next request may arrive before the server has
 * seen that its last answer was written. Reports how often each outcome was seen.
 */
export interface Posting {
  readonly port: number;
  readonly token: string;
  readonly authority: string;
  readonly lanes: number;
  readonly requests: number;
  readonly bytes: number;
}

const { port, token, authority, lanes, requests, bytes } = workerData as Posting;
const agent = new Agent({ keepAlive: true, maxSockets: lanes, ca: authority });
const path = "/api/v1/namespaces/default/configmaps";
const outcomes: Record<string, number> = {};
let left = requests;

function post(body: string): Promise<string> {
  return new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "content-length": String(body.length),
    };
    const call = request({ host: "127.0.0.1", port, method: "POST", path, agent, headers }, async (response) => {
      try {
        let length = 0;
        for await (const chunk of response as AsyncIterable<Buffer>) length += chunk.length;
        resolve(length > body.length ? String(response.statusCode) : `${response.statusCode} with ${length} bytes`);
      } catch (error) {
        resolve((error as NodeJS.ErrnoException).code ?? String(error));
      }
    });
    call.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    call.end(body);
  });
}

async function lane(): Promise<void> {
  while (left > 0) {
    const metadata = { name: `large-${lanes}-${left--}` };
    const data = { filler: "x".repeat(bytes) };
    const outcome = await post(JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata, data }));
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
}

await Promise.all(Array.from({ length: lanes }, lane));
agent.destroy();
parentPort?.postMessage(outcomes);
