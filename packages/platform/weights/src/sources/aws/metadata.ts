import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { WeightsError } from "../../fault.ts";
import { createHttpClient, type HttpClient } from "../../transfer/http/http-client.ts";
import { ask } from "../open-http.ts";
import { readText } from "../read-text.ts";
import type { IssuedCredentials } from "./credentials.ts";
import { parseIssued } from "./issued.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where plain HTTP may carry a container's keys: this machine, and the fixed addresses of the container services. */
const plainHosts = new Set(["localhost", "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]", "[::1]"]);

/** The address of a container's credentials service, if the environment names one. */
export function containerEndpoint(environment: Environment): URL | undefined {
  const relative = environment.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI;
  const full = environment.AWS_CONTAINER_CREDENTIALS_FULL_URI;
  if (relative) return new URL(relative.startsWith("/") ? relative : `/${relative}`, "http://169.254.170.2");
  if (!full) return undefined;
  const url = URL.parse(full);
  const isLoopback = url !== null && isIP(url.hostname) === 4 && url.hostname.startsWith("127.");
  if (url !== null && (url.protocol === "https:" || isLoopback || plainHosts.has(url.hostname))) return url;
  const message =
    "AWS_CONTAINER_CREDENTIALS_FULL_URI: must be https, or http on this machine or at a container service";
  throw new WeightsError("refused", "InvalidOption", message);
}

export async function containerCredentials(
  url: URL,
  environment: Environment,
  signal: AbortSignal,
): Promise<IssuedCredentials> {
  const file = environment.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE;
  const token = file ? (await readFile(file, "utf8")).trim() : environment.AWS_CONTAINER_AUTHORIZATION_TOKEN;
  return withOwnClient(async (client) => {
    const shownAs = `the container's credentials at ${url.host}`;
    const target = { url, shownAs, ...(token ? { credentials: () => ({ authorization: token }) } : {}) };
    return parseIssued(
      await readText(await ask(client, target, { method: "GET", headers: {}, signal }), shownAs),
      shownAs,
    );
  });
}

/** A machine's own role, by the second version of the metadata service only: it hands out nothing without a token first. */
export async function instanceCredentials(environment: Environment, signal: AbortSignal): Promise<IssuedCredentials> {
  const base = new URL(environment.AWS_EC2_METADATA_SERVICE_ENDPOINT || "http://169.254.169.254");
  const shownAs = `the instance metadata at ${base.host}`;
  const soon = AbortSignal.any([signal, AbortSignal.timeout(5_000)]);
  return withOwnClient(async (client) => {
    const get = async (path: string, headers: Record<string, string>, method: "GET" | "PUT" = "GET") =>
      readText(await ask(client, { url: new URL(path, base), shownAs }, { method, headers, signal: soon }), shownAs);
    const token = await get("/latest/api/token", { "x-aws-ec2-metadata-token-ttl-seconds": "21600" }, "PUT");
    const headers = { "x-aws-ec2-metadata-token": token.trim() };
    const roles = "/latest/meta-data/iam/security-credentials/";
    const [role = ""] = (await get(roles, headers)).trim().split("\n");
    return parseIssued(await get(`${roles}${encodeURIComponent(role)}`, headers), shownAs);
  });
}

/** These addresses come from the operator and are not public; proxies are not for them, and the client of the model must not reach them. */
async function withOwnClient<T>(use: (client: HttpClient) => Promise<T>): Promise<T> {
  const client = createHttpClient({ environment: {}, addresses: "any" });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}
