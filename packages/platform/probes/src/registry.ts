import {
  type ImagePlace,
  type ImageReport,
  imageConfig,
  type RegistryRefusal,
  type RegistrySecrets,
  type RepositoriesPlace,
  type RepositoryReport,
  registryRepositories,
  registryTags,
  type TagReport,
} from "@trivium/domain";
import type { KubeClient } from "@trivium/kube";
import { type Answered, answer } from "@trivium/reconcile";
import { type AddressRule, createHttpClient, type HttpClient, RegistryApi } from "@trivium/weights";
import { type HubLogin, hubToken } from "./hub-token.ts";
import { refusalOf, refused } from "./registry-fault.ts";
import { readImage } from "./registry-image.ts";
import { readGitHubRepositories, readHubRepositories, readPages } from "./registry-lists.ts";
import { secretLogins } from "./registry-logins.ts";
import { Patience } from "./registry-patience.ts";

export interface RegistryOptions {
  /** Reads the Secrets that questions name. */
  readonly client: KubeClient;
  /** Proxies and certificates; nothing of tenants, and no logins. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Which addresses may be asked: registries are named by tenants. */
  readonly addresses: AddressRule;
  readonly now: () => number;
  /** Where repositories of the two registries without a catalog are listed. */
  readonly hub?: string;
  readonly github?: string;
}

const maxRemembered = 2_000;

/** Answers what container registries have. */
export function registryAnswers(options: RegistryOptions): Answered[] {
  const client = createHttpClient(options);
  const { now, hub = "https://hub.docker.com", github = "https://api.github.com" } = options;
  const patience = new Patience(now);
  const clientOf = (secrets: RegistrySecrets): HttpClient => patience.clientFor(JSON.stringify(secrets), client);
  const apiOf = (host: string, repo: string, secrets: RegistrySecrets): RegistryApi =>
    new RegistryApi(clientOf(secrets), { host, repo }, secretLogins(options.client, secrets, repo));
  const lastSeen = new Map<string, ImageReport>();

  const find = async (args: ImagePlace, signal: AbortSignal): Promise<ImageReport | RegistryRefusal> => {
    const api = apiOf(args.registry, args.repository, args.logins);
    const key = JSON.stringify([args.registry, args.repository, args.reference, args.platform]);
    const before = lastSeen.get(key);
    // Most tags stay where they are; asking for the digest is enough then, and is not counted as a pull.
    if (before !== undefined && (await api.digestOf(args.reference, signal)) === before.digest) return before;
    const report = await readImage(api, args, signal);
    lastSeen.delete(key);
    if (report.is === "image") lastSeen.set(key, report);
    for (const oldest of lastSeen.keys()) {
      if (lastSeen.size <= maxRemembered) break;
      lastSeen.delete(oldest);
    }
    return report;
  };

  const repositoriesOf = async (args: RepositoriesPlace, signal: AbortSignal): Promise<string[] | RegistryRefusal> => {
    const { registry, prefix, logins } = args;
    const [owner = "", ...rest] = prefix.split("/");
    if (registry !== "docker.io" && registry !== "ghcr.io") {
      const catalog = readPages(
        apiOf(registry, "", logins),
        { path: "_catalog?n=1000", field: "repositories" },
        signal,
      );
      return catalog.catch((error: unknown) => withoutCatalog(refusalOf(error)));
    }
    if (rest.length === 0 || owner === "")
      return refused(
        "unsupported",
        `${registry} lists repositories by owner only; start the filter with an owner, such as owner/aim-*`,
      );
    const login = await secretLogins(options.client, logins, prefix)(registry);
    const asking = clientOf(logins);
    if (registry === "docker.io") {
      const known = login?.is === "basic" ? halvesOf(login.basic) : undefined;
      const token = known === undefined ? undefined : await hubToken({ client: asking, base: hub }, known, signal);
      return readHubRepositories({ client: asking, base: hub, token }, owner, signal);
    }
    // Personal tokens of GitHub are stored as a password, with or without a name.
    const token = login?.is === "basic" ? halvesOf(login.basic).password : login?.token;
    const why = "ghcr.io requires authentication to list repositories";
    if (!token) return refused("unauthorized", why);
    return readGitHubRepositories({ client: asking, base: github, token }, owner, signal);
  };

  return [
    answer(imageConfig, (args, { signal }) => find(args, signal).catch(refusalOf)) as Answered,
    answer(registryTags, async ({ registry, repository, logins }, { signal }): Promise<TagReport | RegistryRefusal> => {
      const api = apiOf(registry, repository, logins);
      const listed = readPages(api, { path: "tags/list?n=1000", field: "tags" }, signal);
      const tags = await listed.catch(refusalOf);
      return Array.isArray(tags) ? { is: "tags", tags, at: now() } : tags;
    }) as Answered,
    answer(registryRepositories, async (args, { signal }): Promise<RepositoryReport | RegistryRefusal> => {
      const found = await repositoriesOf(args, signal).catch(refusalOf);
      if (!Array.isArray(found)) return found;
      const repositories = found.filter((name) => name.startsWith(args.prefix));
      return { is: "repositories", repositories, at: now() };
    }) as Answered,
  ];
}

/** Many registries list nothing, whoever asks: then filters must name their repositories. */
function withoutCatalog(refusal: RegistryRefusal): RegistryRefusal {
  if (refusal.reason === "address-not-allowed") return refusal;
  return { ...refusal, why: `${refusal.why}; if the registry has no catalog, use filters without *` };
}

/** A login as one text is a name and a password; one without a colon is a password alone. */
function halvesOf(basic: string): HubLogin {
  const text = Buffer.from(basic, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return { user: text.slice(0, Math.max(0, colon)), password: text.slice(colon + 1) };
}
