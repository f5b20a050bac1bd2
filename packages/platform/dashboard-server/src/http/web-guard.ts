import type { IncomingMessage } from "node:http";
import { hostnameOf, isHostAllowed } from "@trivium/std";
import { requestHeader, requestHeaderValue } from "../contract.ts";
import { Refused } from "./fault.ts";

export interface HostRules {
  readonly allowedHosts: readonly string[];
  /** The option of the program that allows more; not every program has one. */
  readonly hostsOption?: string | undefined;
}

/**
 * Refuses what a page of another origin may have sent. A foreign name that resolves to this machine (DNS rebinding) is known by the `Host`; a
 * page of another port or site by `Origin` and `Sec-Fetch-Site`; a form or link by the header that only scripts of the same origin can set.
 */
export function checkSender(request: IncomingMessage, hosts: HostRules): void {
  checkHost(request, hosts);
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

function checkHost({ headers }: IncomingMessage, { allowedHosts, hostsOption }: HostRules): void {
  const { host = "" } = headers;
  if (host !== "" && isHostAllowed(host, { hosts: allowedHosts })) return;
  const name = hostnameOf(host).slice(0, 100) || "(none)";
  const more = hostsOption === undefined ? "" : `, or allow the host name with ${hostsOption}`;
  throw new Refused("HostNotAllowed", `Host ${name} is not allowed; use localhost or an IP address${more}`);
}

function checkOrigin(origin: string | undefined, host: string): void {
  if (origin === undefined) return;
  const own = host.trim().toLowerCase();
  if (origin === `http://${own}` || origin === `https://${own}`) return;
  throw new Refused("OriginNotAllowed", `Origin ${origin.slice(0, 100)} is not allowed; open the dashboard itself`);
}
