import { isReason, type KubeClient, Service } from "@trivium/kube";

/** `redis.cache.svc`, with or without the domain of the cluster. */
const written =
  /(?<![\w.-])([a-z0-9](?:[-a-z0-9]*[a-z0-9])?)\.([a-z0-9](?:[-a-z0-9]*[a-z0-9])?)\.svc(?:\.cluster\.local)?\.?(?![\w-]|\.\w)/g;

/**
 * Names of Services mean something only to the resolver of a cluster; a process has the machine's own. So the names in its texts become the
 * addresses of the Services, where they exist and have one. A name that is not known yet stays: the process fails and is asked anew.
 */
export async function serviceRewriter(client: KubeClient, texts: Iterable<string>): Promise<(text: string) => string> {
  const names = new Set<string>();
  for (const text of texts) for (const [, name, namespace] of text.matchAll(written)) names.add(`${namespace}/${name}`);
  if (names.size === 0) return (text) => text;
  const addresses = new Map<string, string>();
  for (const key of names) {
    const address = await addressOf(client, key);
    if (address !== undefined) addresses.set(key, address);
  }
  return (text) =>
    text.replace(written, (whole, name: string, namespace: string) => addresses.get(`${namespace}/${name}`) ?? whole);
}

async function addressOf(client: KubeClient, key: string): Promise<string | undefined> {
  const [namespace = "", name = ""] = key.split("/");
  try {
    const { clusterIP } = (await client.get(Service, { namespace, name })).spec ?? {};
    return clusterIP === undefined || clusterIP === "" || clusterIP === "None" ? undefined : clusterIP;
  } catch (error) {
    if (isReason(error, "NotFound")) return undefined;
    throw error;
  }
}
