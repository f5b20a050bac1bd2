import type { IncomingMessage } from "node:http";
import { hostnameOf, isHostAllowed } from "@trivium/std";
import { requestHeader, requestHeaderValue } from "../contract.ts";
import { Refused } from "./fault.ts";

/**
 * Refuses what a page of another origin may have sent. A foreign name that resolves to this machine (DNS rebinding) is known by the `Host`; a
 * page of another port or site by `Origin` and `Sec-Fetch-Site`; a form or link by the header that only scripts of the same origin can set.
 */
export function checkSender(request: IncomingMessage, allowedHosts: readonly string[]): void {
  checkHost(request, allowedHosts);
  const { headers, method = "" } = request;
  checkOrigin(headers.origin, headers.host ?? "");
  if (isSafe(method)) return;
  if (headers[requestHeader] !== requestHeaderValue)
    throw new Refused("OriginNotAllowed", `${method} requires header ${requestHeader}: ${requestHeaderValue}`);
}

export const isSafe = (method: string): boolean => method === "GET" || method === "HEAD";

/** Data is for the page itself; a person who opens an address directly (`none`) is no other page. */
export function checkSameOrigin({ headers }: IncomingMessage): void {
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin" || site === "none") return;
  throw new Refused("OriginNotAllowed", "Pages of other origins cannot call the dashboard");
}

function checkHost({ headers }: IncomingMessage, hosts: readonly string[]): void {
  const { host = "" } = headers;
  if (host !== "" && isHostAllowed(host, { hosts })) return;
  const name = hostnameOf(host).slice(0, 100) || "(none)";
  const advice = "use localhost or an IP address, or allow the host name with --dashboard-hosts";
  throw new Refused("HostNotAllowed", `Host ${name} is not allowed; ${advice}`);
}

function checkOrigin(origin: string | undefined, host: string): void {
  if (origin === undefined) return;
  const own = host.trim().toLowerCase();
  if (origin === `http://${own}` || origin === `https://${own}`) return;
  throw new Refused("OriginNotAllowed", `Origin ${origin.slice(0, 100)} is not allowed; open the dashboard itself`);
}
