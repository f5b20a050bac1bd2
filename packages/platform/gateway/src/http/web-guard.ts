import type { RouteTable } from "@trivium/engines";
import { hostnameOf, isHostAllowed, isOriginAllowed, type WebAccess } from "@trivium/std";
import { type Failure, fail } from "../failure.ts";
import type { RequestHead } from "./exchange.ts";

export interface WebGuardParts {
  readonly access: WebAccess;
  /** Whether callers need a key: a page that has none learns nothing, whatever name it came by. */
  readonly keys: object | undefined;
  readonly view: { readonly routes: RouteTable };
}

/** Why a request is refused that a web page may have sent; nothing when it may go on. */
export function faultOfCaller({ headers }: RequestHead, parts: WebGuardParts): Failure | undefined {
  const { host = "", origin } = headers;
  if (parts.keys === undefined && !isHostAllowed(host, parts.access) && !parts.view.routes.hasHost(hostnameOf(host))) {
    const name = shown(hostnameOf(host));
    return fail(
      421,
      "host_not_allowed",
      `Host ${name} is not allowed; use localhost or an IP address, or allow the host name with --allowed-hosts`,
    );
  }
  if (origin !== undefined && !isOriginAllowed(origin, host, parts.access)) {
    return fail(403, "origin_not_allowed", `Origin ${shown(origin)} is not allowed; allow it with --allowed-origins`);
  }
  return undefined;
}

const shown = (text: string): string => text.slice(0, 100);
