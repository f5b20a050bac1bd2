import { isObject, type Json } from "@trivium/std";
import { ask, type HttpClient, type RegistryApi, readText, WeightsError } from "@trivium/weights";

/** Registries can go on for ever; what comes after this is left out of nobody's sight by an error. */
const maxPages = 500;
const maxNames = 100_000;

/** All pages of a list of the registry's own API. */
export async function readPages(
  api: RegistryApi,
  { path, field }: { readonly path: string; readonly field: "tags" | "repositories" },
  signal: AbortSignal,
): Promise<string[]> {
  const names: string[] = [];
  let next: string | undefined = path;
  for (let page = 0; next !== undefined; page += 1) {
    checkLength(names, page, api.shownAs);
    const { text, next: following }: { text: string; next: string | undefined } = await api.page(next, signal);
    names.push(...namesIn(listIn(text, field, api.shownAs)));
    next = following;
  }
  return names;
}

export interface PublicApi {
  readonly client: HttpClient;
  readonly base: string;
  /** Sent as a bearer token, where there is one. */
  readonly token?: string | undefined;
}

/** Repositories of one owner at Docker Hub, as `owner/name`. */
export async function readHubRepositories(api: PublicApi, owner: string, signal: AbortSignal): Promise<string[]> {
  const names: string[] = [];
  const base = `${api.base}/v2/namespaces/${encodeURIComponent(owner)}/repositories`;
  for (let page = 1; ; page += 1) {
    checkLength(names, page, base);
    const text = await readPublic(api, `${base}?page_size=100&page=${page}`, signal);
    const document = jsonIn(text, base);
    const results = isObject(document) && Array.isArray(document.results) ? document.results : undefined;
    if (results === undefined) throw unreadable(base, "the response contains no list of repositories");
    names.push(...results.flatMap(nameOf).map((name) => `${owner}/${name}`));
    if (!isObject(document) || typeof document.next !== "string" || results.length === 0) return names;
  }
}

/** Container packages of an organisation, or else a person, at GitHub, as `owner/name`. */
export async function readGitHubRepositories(api: PublicApi, owner: string, signal: AbortSignal): Promise<string[]> {
  try {
    return await readPackages(api, { whose: "orgs", owner }, signal);
  } catch (error) {
    if (!(error instanceof WeightsError) || error.kind !== "not-found") throw error;
    return readPackages(api, { whose: "users", owner }, signal);
  }
}

async function readPackages(
  api: PublicApi,
  { whose, owner }: { readonly whose: "orgs" | "users"; readonly owner: string },
  signal: AbortSignal,
): Promise<string[]> {
  const names: string[] = [];
  const base = `${api.base}/${whose}/${encodeURIComponent(owner)}/packages`;
  for (let page = 1; ; page += 1) {
    checkLength(names, page, base);
    const text = await readPublic(api, `${base}?package_type=container&per_page=100&page=${page}`, signal);
    const packages = jsonIn(text, base);
    if (!Array.isArray(packages)) throw unreadable(base, "the response is not a list of packages");
    names.push(...packages.flatMap(nameOf).map((name) => `${owner}/${name}`));
    if (packages.length < 100) return names;
  }
}

async function readPublic({ client, token }: PublicApi, address: string, signal: AbortSignal): Promise<string> {
  const url = new URL(address);
  const shownAs = `${url.origin}${url.pathname}`;
  const credentials = () => ({ authorization: `Bearer ${token}` });
  const target = { url, shownAs, ...(token === undefined ? {} : { credentials }) };
  return readText(
    await ask(client, target, { method: "GET", headers: { accept: "application/json" }, signal }),
    shownAs,
  );
}

const nameOf = (entry: Json): string[] =>
  isObject(entry) && typeof entry.name === "string" && /^[\w./-]{1,255}$/.test(entry.name) ? [entry.name] : [];

function checkLength(names: readonly string[], page: number, shownAs: string): void {
  if (page <= maxPages && names.length <= maxNames) return;
  throw unreadable(shownAs, `the list has more than ${maxNames} names or ${maxPages} pages`);
}

/** `null` is how some registries write an empty list. */
function listIn(text: string, field: string, shownAs: string): readonly Json[] {
  const document = jsonIn(text, shownAs);
  // An empty list may be null, and some leave it out beside the name; anything else without one is no answer to the question.
  const isMeant = isObject(document) && (Object.hasOwn(document, field) || typeof document.name === "string");
  const list = isMeant ? (document[field] ?? []) : undefined;
  if (!Array.isArray(list)) throw unreadable(shownAs, `the response contains no list of ${field}`);
  return list;
}

const namesIn = (list: readonly Json[]): string[] =>
  list.filter((name): name is string => typeof name === "string" && name.length <= 512);

function jsonIn(text: string, shownAs: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw unreadable(shownAs, "the response is not JSON");
  }
}

const unreadable = (shownAs: string, why: string): WeightsError =>
  new WeightsError("refused", "Rejected", `${shownAs}: ${why}`);
