import { WeightsError } from "../../fault.ts";
import type { HttpAnswer, HttpClient } from "../../transfer/http/http-client.ts";
import type { Digest } from "../../transfer/remote-file.ts";
import { ask, type HttpTarget } from "../open-http.ts";
import { PageGuard } from "../page-guard.ts";
import { readText } from "../read-text.ts";
import { maxFiles } from "../relative-path.ts";
import { hubFault } from "./hub-fault.ts";

export interface HubPlace {
  /** `https://huggingface.co` or a mirror, without a slash at the end. */
  readonly endpoint: string;
  readonly token: string | undefined;
}

export interface HubEntry {
  readonly path: string;
  readonly size: number;
  readonly digest: Digest;
}

/** The two questions we have for a hub (which commit, which files) and the address of a file. */
export class HubApi {
  readonly repo: string;
  readonly #client: HttpClient;
  readonly #place: HubPlace;

  constructor(client: HttpClient, place: HubPlace, repo: string) {
    this.#client = client;
    this.#place = place;
    this.repo = repo;
  }

  async commitOf(revision: string, signal: AbortSignal): Promise<string> {
    const { value } = await this.#json(`/api/models/${this.repo}/revision/${encodeURIComponent(revision)}`, signal);
    const sha = isRecord(value) ? value.sha : undefined;
    if (typeof sha === "string" && /^[0-9a-f]{40,64}$/.test(sha)) return sha;
    throw this.#strange("did not return a commit");
  }

  async filesOf(commit: string, signal: AbortSignal): Promise<HubEntry[]> {
    const entries: HubEntry[] = [];
    let next: string | undefined = `/api/models/${this.repo}/tree/${commit}?recursive=true&expand=false`;
    const pages = new PageGuard(this.repo);
    while (next !== undefined) {
      const { value, answer } = await this.#json(next, signal);
      if (!Array.isArray(value)) throw this.#strange("did not return a list of files");
      for (const each of value) {
        const entry = this.#entryOf(each);
        if (entry !== undefined) entries.push(entry);
      }
      if (entries.length > maxFiles)
        throw new WeightsError("refused", "TooManyFiles", `${this.repo}: more than ${maxFiles} files`);
      next = pages.next(nextPage(answer));
    }
    return entries;
  }

  fileTarget(commit: string, path: string): HttpTarget {
    return this.#target(`/${this.repo}/resolve/${commit}/${path.split("/").map(encodeURIComponent).join("/")}`);
  }

  async #json(path: string, signal: AbortSignal): Promise<{ value: unknown; answer: HttpAnswer }> {
    const answer = await ask(this.#client, this.#target(path), {
      method: "GET",
      headers: { accept: "application/json" },
      signal,
    });
    const text = await readText(answer, this.repo);
    try {
      return { value: JSON.parse(text), answer };
    } catch {
      throw this.#strange("did not return JSON");
    }
  }

  #target(path: string): HttpTarget {
    const { endpoint, token } = this.#place;
    // Only our own hub is asked: a page link to elsewhere must not take the token along.
    const url = new URL(path, `${endpoint}/`);
    const home = new URL(endpoint);
    if (url.origin !== home.origin) throw this.#strange(`points to ${url.host} for the next page of its list`);
    if (home.pathname !== "/" && !url.pathname.startsWith(home.pathname)) url.pathname = home.pathname + url.pathname;
    return {
      url,
      shownAs: `${this.repo} at ${home.host}`,
      ...(token === undefined ? {} : { credentials: () => ({ authorization: `Bearer ${token}` }) }),
      fault: (answer) => hubFault(answer, this.repo, token !== undefined),
    };
  }

  #entryOf(each: unknown): HubEntry | undefined {
    if (!isRecord(each) || each.type !== "file") return undefined;
    const { path, oid, lfs } = each;
    const size = isRecord(lfs) && typeof lfs.size === "number" ? lfs.size : each.size;
    const hash = isRecord(lfs) ? lfs.oid : oid;
    if (typeof path !== "string" || typeof hash !== "string" || !isLength(size))
      throw this.#strange("lists a file without a description");
    const algorithm = isRecord(lfs) ? "sha256" : "git-sha1";
    const hex = hash.replace(/^sha256:/, "");
    // The digest becomes the name of a file in the store.
    if (!digestForms[algorithm].test(hex)) throw this.#strange(`lists ${path} with an invalid digest`);
    return { path, size, digest: { algorithm, hex } };
  }

  #strange(what: string): WeightsError {
    return new WeightsError(
      "unreachable",
      "Unreachable",
      `${this.repo}: the hub at ${new URL(this.#place.endpoint).host} ${what}`,
    );
  }
}

const digestForms = { sha256: /^[0-9a-f]{64}$/, "git-sha1": /^[0-9a-f]{40}$/ } as const;

/** Long lists come in pages; the next one is named in the Link header. */
function nextPage(answer: HttpAnswer): string | undefined {
  return /<([^<>]{1,4096})>\s*;\s*rel="?next"?/.exec(answer.headers("link") ?? "")?.[1];
}

function isLength(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
