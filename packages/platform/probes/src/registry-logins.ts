import type { RegistrySecrets } from "@trivium/domain";
import { isReason, type KubeClient, Secret } from "@trivium/kube";
import { isObject, type Json, type JsonObject } from "@trivium/std";
import { type DockerAuth, loginIn, type RegistryLogins } from "@trivium/weights";

interface Entry {
  /** Host, or host and the beginning of a repository. */
  readonly place: string;
  readonly auth: DockerAuth;
}

/** The logins that the named Secrets hold, for one repository. What a Secret holds stays in here. */
export function secretLogins(client: KubeClient, { namespace, secrets }: RegistrySecrets, repository: string) {
  const logins: RegistryLogins = async (host) => {
    const entries: Entry[] = [];
    for (const { name } of secrets) entries.push(...(await entriesOf(client, { namespace, name })));
    // The first Secret wins; among its entries the one that says most.
    const fitting = entries.filter(({ place }) => covers(place, host, repository));
    const longest = Math.max(0, ...fitting.map(({ place }) => place.length));
    return loginIn(fitting.find(({ place }) => place.length === longest)?.auth);
  };
  return logins;
}

async function entriesOf(client: KubeClient, ref: { namespace: string; name: string }): Promise<Entry[]> {
  const secret = await client.get(Secret, ref).catch((error: unknown) => {
    if (isReason(error, "NotFound")) return undefined;
    throw error;
  });
  const whole = parsed(secret?.data?.[".dockerconfigjson"]);
  const old = parsed(secret?.data?.[".dockercfg"]);
  const auths = isObject(whole?.auths ?? null) ? (whole?.auths as JsonObject) : (old ?? {});
  return Object.entries(auths).flatMap(([key, auth]) => (isObject(auth) ? [{ place: placeOf(key), auth }] : []));
}

function parsed(encoded: string | undefined): JsonObject | undefined {
  if (encoded === undefined) return undefined;
  try {
    const value = JSON.parse(Buffer.from(encoded, "base64").toString("utf8")) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Without scheme, and without what tools append for the hub. */
function placeOf(key: string): string {
  const bare = key.replace(/^https?:\/\//, "").replace(/\/(v1|v2)?\/?$/, "");
  return /^(index\.|registry-1\.)?docker\.io$/.test(bare) ? "docker.io" : bare;
}

/** A host may begin with `*.`; a path covers what lies below it. */
function covers(place: string, host: string, repository: string): boolean {
  const [placeHost = "", ...path] = place.split("/");
  const isHost = placeHost.startsWith("*.") ? host.endsWith(placeHost.slice(1)) : placeHost === host;
  const folder = path.join("/");
  return isHost && (folder === "" || repository === folder || repository.startsWith(`${folder}/`));
}
