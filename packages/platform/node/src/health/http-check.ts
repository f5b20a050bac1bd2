import { type IncomingMessage, request as plainRequest, type RequestOptions } from "node:http";
import { request as secureRequest } from "node:https";
import type { api } from "@trivium/kube";
import type { Millis } from "@trivium/std";
import { type CheckResult, type CheckTarget, portOf } from "./check-target.ts";
import { authorityOf, dialMessage } from "./dial-message.ts";

export interface HttpInput {
  readonly get: api.HTTPGetAction;
  readonly target: CheckTarget;
  readonly timeout: Millis;
  /** What it says it is: `probe` or `lifecycle`. */
  readonly purpose?: "probe" | "lifecycle";
}

const maxBody = 10 * 1024;
const maxHops = 10;

/** Healthy when the answer is a success, or leads to one on the same host. */
export async function checkHttp(input: HttpInput): Promise<CheckResult> {
  const { get, target, timeout } = input;
  const host = get.host || target.address;
  const scheme = (get.scheme || "HTTP").toLowerCase();
  const authority = authorityOf(host, portOf(get.port, target));
  // A path that looks like another host stays a path.
  const begun = URL.parse(`${scheme}://${authority}/${(get.path ?? "").replace(/^\//, "")}`);
  if (begun === null) return { is: "errored", message: `invalid path ${JSON.stringify(get.path)}` };
  const late = AbortSignal.timeout(timeout);
  let url = begun;
  try {
    for (let hops = 0; hops < maxHops; hops += 1) {
      const { status, location, body } = await ask(url, headersOf(input), late);
      if (status < 200 || status >= 400)
        return { is: "unhealthy", message: `HTTP probe failed with statuscode: ${status}` };
      if (status < 300) return { is: "healthy" };
      const next = location === undefined ? null : URL.parse(location, url.href);
      if (next === null || next.hostname !== begun.hostname)
        return { is: "warning", message: `Probe terminated redirects, Response body: ${body}` };
      url = next;
    }
    return { is: "unhealthy", isSilent: true, message: `Get "${url.href}": stopped after 10 redirects` };
  } catch (error) {
    const message = `Get "${shown(url, get.path)}": ${wordsOf(error, authority, late)}`;
    return { is: "unhealthy", isSilent: true, message };
  }
}

/** As it was written: an address without a path is not given one. */
const shown = (url: URL, path: string | undefined): string => (path ? url.href : url.href.replace(/\/$/, ""));

function wordsOf(error: unknown, authority: string, late: AbortSignal): string {
  if (late.aborted) return "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
  return dialMessage(error, authority);
}

function headersOf({ get, purpose = "probe" }: HttpInput): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (const { name, value } of get.httpHeaders ?? []) {
    const key = name.toLowerCase();
    headers[key] = [...(headers[key] ?? []), value];
  }
  headers["user-agent"] ??= [`kube-${purpose}/1.36`];
  headers.accept ??= ["*/*"];
  if (headers.accept[0] === "") delete headers.accept;
  return headers;
}

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: string;
}

function ask(url: URL, headers: Record<string, string[]>, signal: AbortSignal): Promise<Answer> {
  const options: RequestOptions & { rejectUnauthorized: boolean } = {
    headers: Object.fromEntries(
      Object.entries(headers).map(([key, all]) => [key, all.length === 1 ? (all[0] ?? "") : all]),
    ),
    agent: false,
    signal,
    // As a kubelet does it: the question is whether it answers, not who it is.
    rejectUnauthorized: false,
  };
  return new Promise((resolve, reject) => {
    const take = (answer: IncomingMessage): void => {
      const { statusCode: status = 0, headers: answered } = answer;
      let body = "";
      const done = (): void => resolve({ status, location: answered.location, body });
      answer.setEncoding("utf8").on("data", (piece: string) => {
        body += piece.slice(0, maxBody - body.length);
        if (body.length < maxBody) return;
        done();
        answer.destroy();
      });
      answer.once("end", done);
      answer.on("error", reject);
    };
    const call = url.protocol === "https:" ? secureRequest(url, options, take) : plainRequest(url, options, take);
    call.on("error", reject).end();
  });
}
