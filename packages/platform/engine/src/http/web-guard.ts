import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { hostname } from "node:os";
import { hostnameOf, isHostAllowed, isOriginAllowed } from "@trivium/std";
import { ApiError } from "../api/api-error.ts";
import type { ServerSettings } from "../flags/settings.ts";

/** The header by which the gateway says that it has judged the caller, with a token that both were given. */
export const gatewayHeader = "x-trivium-gateway";

export interface WebGuard {
  /** Throws for a request that a web page of a stranger may have sent. */
  confirm(request: IncomingMessage): void;
  /** Lets the page that asked read the answer, where it may. */
  allowOrigin(request: IncomingMessage, response: ServerResponse): void;
}

export function webGuard(settings: ServerSettings, gatewayToken: string | undefined): WebGuard {
  const { host, allowedHosts, corsOrigins, apiKeys } = settings;
  const access = { hosts: [hostname(), host, ...allowedHosts], origins: corsOrigins };
  const token = gatewayToken === undefined || gatewayToken === "" ? undefined : digest(gatewayToken);
  const isVouchedFor = ({ headers }: IncomingMessage): boolean => {
    const given = headers[gatewayHeader];
    return token !== undefined && typeof given === "string" && timingSafeEqual(token, digest(given));
  };
  const mayRead = ({ headers }: IncomingMessage): boolean =>
    headers.origin !== undefined && isOriginAllowed(headers.origin, headers.host ?? "", access);
  return {
    confirm(request) {
      if (isVouchedFor(request)) return;
      const { headers } = request;
      // Where a key is needed a page without one gets nothing, whatever name it came by.
      if (headers.host !== undefined && apiKeys.length === 0 && !isHostAllowed(headers.host, access))
        throw new ApiError(
          421,
          "invalid_request_error",
          `host ${hostnameOf(headers.host).slice(0, 100)} is not allowed; ` +
            "use localhost or an IP address, or allow the host name with --allowed-hosts",
        );
      if (headers.origin !== undefined && !mayRead(request))
        throw new ApiError(
          403,
          "permission_error",
          `origin ${headers.origin.slice(0, 100)} is not allowed; allow it with --cors-origins`,
        );
    },
    allowOrigin(request, response) {
      if (!mayRead(request)) return;
      response.setHeader("access-control-allow-origin", request.headers.origin as string);
      response.setHeader("vary", "Origin");
    },
  };
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
