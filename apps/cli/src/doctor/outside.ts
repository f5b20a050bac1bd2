import { createHttpClient, type HttpClient } from "@trivium/weights";
import { type Finding, ok, problem, warning } from "./finding.ts";

/** Where images come from most of the time. */
const registries: Readonly<Record<string, string>> = {
  "ghcr.io": "https://ghcr.io/v2/",
  "docker.io": "https://registry-1.docker.io/v2/",
};

/** How long a place gets to respond. */
const patience = 5_000;

/** Whether the hub and registries respond from here, by the way that downloads take, and accept the token of the shell. */
export async function checkOutside(environment: NodeJS.ProcessEnv, asked = registries): Promise<readonly Finding[]> {
  const hub = (environment.HF_ENDPOINT || "https://huggingface.co").replace(/\/+$/, "");
  const places = Object.entries({ "Hugging Face": hub, ...asked });
  let client: HttpClient;
  try {
    client = createHttpClient({ environment, addresses: "any" });
  } catch (error) {
    return [problem("certificates", error instanceof Error ? error.message : String(error), "correct SSL_CERT_FILE")];
  }
  try {
    const reached = await Promise.all(places.map(([check, url]) => checkPlace(client, { check, url, environment })));
    return [...reached, ...(await checkToken(client, hub, environment.HF_TOKEN))];
  } finally {
    await client.close();
  }
}

interface Place {
  readonly check: string;
  readonly url: string;
  readonly environment: NodeJS.ProcessEnv;
}

async function checkPlace(client: HttpClient, { check, url, environment }: Place): Promise<Finding> {
  const status = await statusOf(client, url);
  if (typeof status === "number") return ok(check, `responds (${status})`);
  const host = hostOf(url);
  const fix =
    environment.HTTPS_PROXY || environment.https_proxy
      ? `allow ${host} in the proxy of HTTPS_PROXY`
      : `allow connections to ${host}`;
  return warning(check, `does not respond, so downloads from it fail: ${status}`, fix);
}

/** HF_ENDPOINT may be no address at all. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

async function checkToken(client: HttpClient, hub: string, token: string | undefined): Promise<Finding[]> {
  if (!token) return [ok("HF_TOKEN", "not set; public models need none")];
  const status = await statusOf(client, `${hub}/api/whoami-v2`, { authorization: `Bearer ${token}` });
  if (status === 200) return [ok("HF_TOKEN", "valid")];
  if (status === 401)
    return [problem("HF_TOKEN", "rejected (401)", "create another at huggingface.co/settings/tokens")];
  // A mirror need not have this address.
  if (typeof status === "number") return [ok("HF_TOKEN", `set; ${hostOf(hub)} has no way to check it (${status})`)];
  return [warning("HF_TOKEN", "not checked, because the hub does not respond", `allow connections to ${hostOf(hub)}`)];
}

/** The status of a response, whatever it is; or why there is none. */
async function statusOf(
  client: HttpClient,
  url: string,
  credentials: Readonly<Record<string, string>> = {},
): Promise<number | string> {
  try {
    const signal = AbortSignal.timeout(patience);
    const { status, body } = await client.send({ method: "GET", url: new URL(url), headers: {}, credentials, signal });
    await body.dump().catch(() => {});
    return status;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
