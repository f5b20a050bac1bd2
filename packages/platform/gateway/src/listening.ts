import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Opens the port, and resolves with its number. */
export function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Connections beside those that the server counts itself. */
export interface OtherConnections {
  closeIdle(): void;
  closeAll(): void;
}

/** Ends idle connections at once and the others after `grace`. */
export function closeServer(server: Server, grace: number, others?: OtherConnections): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  others?.closeIdle();
  const cut = setTimeout(() => {
    server.closeAllConnections();
    others?.closeAll();
  }, grace);
  return closed.finally(() => clearTimeout(cut));
}

export const urlOf = (host: string, port: number): string =>
  `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
