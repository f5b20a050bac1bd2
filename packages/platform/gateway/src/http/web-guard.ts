import type { IncomingMessage } from "node:http";
import type { RouteTable } from "@trivium/engines";
import { hostnameOf, isHostAllowed, isOriginAllowed, type WebAccess } from "@trivium/std";
import { type Failure, fail } from "../failure.ts";

export interface WebGuardParts {
  readonly access: WebAccess;
  /** Whether callers need a key: a page that has none learns nothing, whatever name it came by. */
  readonly keys: object | undefined;
  readonly view: { readonly routes: RouteTable };
}

/** Why a request is refused that a web page may have sent; nothing when it may go on. */
export function faultOfCaller({ headers }: IncomingMessage, parts: WebGuardParts): Failure | undefined {
  const { host = "", origin } = headers;
  if (parts.keys === undefined && !isHostAllowed(host, parts.access) && !parts.view.routes.hasHost(hostnameOf(host))) {
    const name = shown(hostnameOf(host));
    return fail(
      421,
      "host_not_allowed",
      `This gateway does not answer for host ${name}; use localhost or an address, or allow the name with --allowed-hosts`,
    );
  }
  if (origin !== undefined && !isOriginAllowed(origin, host, parts.access)) {
    return fail(
      403,
      "origin_not_allowed",
      `Web pages from origin ${shown(origin)} are not allowed to call this gateway; allow them with --allowed-origins`,
    );
  }
  return undefined;
}

const shown = (text: string): string => text.slice(0, 100);
