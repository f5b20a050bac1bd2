import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { hostname } from "node:os";
import { gatewayHeader, gatewayProof, hostnameOf, isHostAllowed, isOriginAllowed } from "@trivium/std";
import { ApiError } from "../api/api-error.ts";
import type { ServerSettings } from "../flags/settings.ts";

export interface WebGuard {
  /** Throws for a request that a web page of a stranger may have sent. */
  confirm(request: IncomingMessage): void;
  /** Lets the page that asked read the answer, where it may. */
  allowOrigin(request: IncomingMessage, response: ServerResponse): void;
}

export function webGuard(settings: ServerSettings, gatewayToken: string | undefined): WebGuard {
  const { host, allowedHosts, corsOrigins, apiKeys } = settings;
  const access = { hosts: [hostname(), host, ...allowedHosts], origins: corsOrigins };
  const isVouchedFor = ({ headers, socket }: IncomingMessage): boolean => {
    const given = headers[gatewayHeader];
    if (typeof given !== "string" || gatewayToken === undefined || gatewayToken === "") return false;
    const proof = gatewayProof(gatewayToken, addressOf(socket));
    return given.length === proof.length && timingSafeEqual(Buffer.from(given, "latin1"), Buffer.from(proof, "latin1"));
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

/** Where the request arrived, as the gateway writes it. */
function addressOf({ localAddress = "", localPort }: Socket): string {
  const address = localAddress.replace(/^::ffff:(?=\d+\.)/, "");
  return address.includes(":") ? `[${address}]:${localPort}` : `${address}:${localPort}`;
}
