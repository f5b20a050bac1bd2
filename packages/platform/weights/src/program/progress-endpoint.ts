import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { WeightsError } from "../fault.ts";
import type { Reporter } from "./reporter.ts";

export interface ProgressEndpoint extends AsyncDisposable {
  readonly port: number;
  /** Speaks as before and remembers the last thing said, for whoever asks. */
  readonly reporter: Reporter;
}

/**
 * Answers every GET with the latest state as one JSON object: `starting`, `progress` or `done`, in the form of `--json`. For a controller
 * that reads a pod's progress without giving the pod any right to write. It carries no secrets, and nothing can be done through it.
 */
export async function openProgressEndpoint(
  place: { readonly host: string; readonly port: number },
  reporter: Reporter,
): Promise<ProgressEndpoint> {
  let latest: unknown = { event: "starting" };
  const server = createServer((request, response) => {
    const isRead = request.method === "GET" || request.method === "HEAD";
    const headers = { "content-type": "application/json", "cache-control": "no-store" };
    response.writeHead(isRead ? 200 : 405, headers).end(isRead ? `${JSON.stringify(latest)}\n` : undefined);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => {
      const message = `cannot listen on ${place.host} port ${place.port}: ${error.message}; change --progress-port`;
      reject(new WeightsError("refused", "InvalidOption", message));
    });
    server.listen(place.port, place.host, resolve);
  });
  // It must never keep the program alive.
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    reporter: {
      progress(progress) {
        latest = { event: "progress", ...progress };
        reporter.progress(progress);
      },
      result(value, text) {
        latest = value;
        reporter.result(value, text);
      },
      note: reporter.note,
      failure: reporter.failure,
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
