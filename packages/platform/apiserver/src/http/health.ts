import type { ApiResponse } from "@trivium/kube";
import type { Store } from "../store/store.ts";

/** One thing that must be well for the server to be. */
export interface HealthCheck {
  readonly name: string;
  /** `live` checks are about being stuck, `ready` ones about being able to serve yet. A ready check is no live check. */
  readonly of: "live" | "ready";
  isWell(): boolean;
  /** Why it is not, for whoever asks: no secrets. */
  reason?(): string | undefined;
}

const ping: HealthCheck = { name: "ping", of: "live", isWell: () => true };

/** A server whose every write fails is not ready, whatever it can still read. */
export const storeCheck = (store: Pick<Store, "writeFault">): HealthCheck => ({
  name: "store",
  of: "ready",
  isWell: () => store.writeFault() === undefined,
  reason: () => store.writeFault()?.message,
});

const reasonOf = (check: HealthCheck): string => check.reason?.() ?? "reason withheld";

const endpoint = /^\/(healthz|livez|readyz)(?:\/([^?]+))?\/?$/;

/** Answers `/healthz`, `/livez`, `/readyz`, their `?verbose` and `?exclude=` forms, and single checks behind a slash. */
export function answerHealth(target: string, checks: readonly HealthCheck[]): ApiResponse | undefined {
  const [path = "", query = ""] = target.split("?", 2);
  const match = endpoint.exec(path);
  if (match === null) return undefined;
  const [, name = "", single] = match;
  const asked = [ping, ...checks].filter((check) => name === "readyz" || check.of === "live");
  if (single !== undefined) return answerSingle(asked.find((check) => check.name === single));
  const parameters = new URLSearchParams(query);
  const excluded = new Set(parameters.getAll("exclude"));
  const failed = asked.filter((check) => !excluded.has(check.name) && !check.isWell());
  if (failed.length === 0 && !parameters.has("verbose")) return text(200, "ok");
  const lines = asked.map((check) => {
    if (excluded.has(check.name)) return `[+]${check.name} excluded: ok`;
    return failed.includes(check) ? `[-]${check.name} failed: ${reasonOf(check)}` : `[+]${check.name} ok`;
  });
  const outcome = failed.length === 0 ? "passed" : "failed";
  return text(failed.length === 0 ? 200 : 500, `${lines.join("\n")}\n${name} check ${outcome}\n`);
}

function answerSingle(check: HealthCheck | undefined): ApiResponse {
  if (check === undefined) return text(404, "404 page not found\n");
  return check.isWell()
    ? text(200, "ok")
    : text(500, `internal server error: ${check.name} failed: ${reasonOf(check)}\n`);
}

function text(status: number, body: string): ApiResponse {
  const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  return { status, headers, body };
}
