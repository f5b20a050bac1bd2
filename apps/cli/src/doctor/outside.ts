import { type Finding, ok, problem, warning } from "./finding.ts";

/** Where images come from most of the time. */
const registries: Readonly<Record<string, string>> = {
  "ghcr.io": "https://ghcr.io/v2/",
  "docker.io": "https://registry-1.docker.io/v2/",
};

/** How long a place gets to respond. */
const patience = 5_000;

/** Whether the hub and registries respond from here, and accept the token of the shell. */
export async function checkOutside(environment: NodeJS.ProcessEnv, asked = registries): Promise<readonly Finding[]> {
  const hub = (environment.HF_ENDPOINT || "https://huggingface.co").replace(/\/+$/, "");
  const places = Object.entries({ "Hugging Face": hub, ...asked });
  const reached = await Promise.all(places.map(([check, url]) => checkPlace(check, url, environment)));
  return [...reached, ...(await checkToken(hub, environment.HF_TOKEN))];
}

async function checkPlace(check: string, url: string, { HTTPS_PROXY }: NodeJS.ProcessEnv): Promise<Finding> {
  const status = await statusOf(url, {});
  if (typeof status === "number") return ok(check, `responds (${status})`);
  const host = hostOf(url);
  const fix = HTTPS_PROXY ? `allow ${host} in the proxy of HTTPS_PROXY` : `allow connections to ${host}`;
  return warning(check, `does not respond, so downloads from it fail: ${status}`, fix);
}

/** HF_ENDPOINT may be no address at all. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

async function checkToken(hub: string, token: string | undefined): Promise<Finding[]> {
  if (!token) return [ok("HF_TOKEN", "not set; public models need none")];
  const status = await statusOf(`${hub}/api/whoami-v2`, { authorization: `Bearer ${token}` });
  if (status === 200) return [ok("HF_TOKEN", "valid")];
  if (status === 401)
    return [problem("HF_TOKEN", "rejected (401)", "create another at huggingface.co/settings/tokens")];
  return [warning("HF_TOKEN", "not checked, because the hub does not respond", `allow connections to ${hostOf(hub)}`)];
}

/** The status of a response, whatever it is; or why there is none. */
async function statusOf(url: string, headers: Record<string, string>): Promise<number | string> {
  try {
    const { status } = await fetch(url, { headers, redirect: "manual", signal: AbortSignal.timeout(patience) });
    return status;
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return cause instanceof Error ? cause.message : String(cause);
  }
}
