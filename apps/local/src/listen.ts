import { type Api, type HealthCheck, type RunningServer, type ServerIdentity, serveHttps } from "@trivium/apiserver";
import { Refusal } from "@trivium/std";
import { defaultPort, type UpOptions } from "./options.ts";

export interface Listening {
  readonly identity: ServerIdentity;
  readonly checks: readonly HealthCheck[];
  report(what: string, error: unknown): void;
}

/** Opens the door of the API, or says in a line why it cannot. */
export async function listen(api: Api, { host, port }: UpOptions, listening: Listening): Promise<RunningServer> {
  try {
    return await serveHttps(api, { ...listening, host, port, tokens: api.tokenOwner });
  } catch (error) {
    throw refusalOf(error, host, port) ?? error;
  }
}

function refusalOf(error: unknown, host: string, port: number): Refusal | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "EADDRINUSE": {
      const other = port === defaultPort ? defaultPort + 1 : defaultPort;
      const advice = `choose another with --port, such as ${other}`;
      return new Refusal(`port ${port} of ${host} is in use by another program; ${advice}`);
    }
    case "EACCES":
      return new Refusal(`this user may not listen on port ${port}; choose one above 1023 with --port`);
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new Refusal(`${host} is not an address of this machine; choose another with --host`);
    default:
      return undefined;
  }
}
