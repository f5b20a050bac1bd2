import { createHash } from "node:crypto";
import { isIP } from "node:net";
import { WeightsError } from "../../fault.ts";
import { type HttpAnswer, type HttpClient, type HttpRequest, showUrl } from "../../transfer/http/http-client.ts";
import { ask, type HttpTarget } from "../open-http.ts";
import { readText } from "../read-text.ts";
import type { RegistryLogin, RegistryLogins } from "./registry-login.ts";

const manifestTypes = [
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
].join(", ");

/**
 * One repository of an OCI registry: its manifests, checked against their digests, its lists, and where its blobs are. Without a
 * repository it is the registry itself, of which there is only the catalog.
 */
export class RegistryApi {
  readonly shownAs: string;
  readonly #client: HttpClient;
  readonly #base: string;
  readonly #hasRepo: boolean;
  readonly #host: string;
  readonly #logins: RegistryLogins;
  #authorization: string | undefined;

  constructor(client: HttpClient, place: { host: string; repo: string }, logins: RegistryLogins) {
    this.#client = client;
    this.shownAs = `oci://${place.host}/${place.repo}`;
    // As all registry clients do: plain HTTP is for registries on this very machine.
    const name = place.host.replace(/:\d+$/, "");
    const isHere = name === "localhost" || (isIP(name) === 4 && name.startsWith("127."));
    const [host, repo] = place.host === "docker.io" ? dockerHub(place.repo) : [place.host, place.repo];
    this.#base = `${isHere ? "http" : "https"}://${host}/v2${repo === "" ? "" : `/${repo}`}`;
    this.#hasRepo = repo !== "";
    this.#host = place.host;
    this.#logins = logins;
  }

  async manifest(
    reference: string,
    signal: AbortSignal,
  ): Promise<{ digest: string; document: Record<string, unknown> }> {
    const answer = await this.#askWithToken("GET", `manifests/${reference}`, manifestTypes, signal);
    const text = await readText(answer, this.shownAs);
    const digest = `sha256:${createHash("sha256").update(text).digest("hex")}`;
    if (reference.startsWith("sha256:") && reference !== digest) {
      throw new WeightsError(
        "mismatch",
        "DigestMismatch",
        `${this.shownAs}: expected manifest ${reference}, found ${digest}`,
      );
    }
    const document = documentIn(text);
    if (document === undefined)
      throw new WeightsError("unreachable", "Unreachable", `${this.shownAs}: the manifest is not a JSON object`);
    return { digest, document };
  }

  /** The digest of a manifest without its text, where the registry tells. Registries that count pulls do not count this. */
  async digestOf(reference: string, signal: AbortSignal): Promise<string | undefined> {
    const answer = await this.#askWithToken("HEAD", `manifests/${reference}`, manifestTypes, signal);
    await answer.body.dump({ limit: 65_536 }).catch(() => {});
    return answer.headers("docker-content-digest");
  }

  /** A document of the API by its path, and the path of the page behind it where it comes in pages. */
  async page(path: string, signal: AbortSignal): Promise<{ text: string; next: string | undefined }> {
    const answer = await this.#askWithToken("GET", path, "application/json", signal);
    return { text: await readText(answer, this.shownAs), next: this.#nextPath(answer.headers("link"), path) };
  }

  blobTarget(digest: string): HttpTarget {
    return this.#target(`blobs/${digest}`);
  }

  /** Tokens of registries are short-lived; whoever is refused asks here for a new one and tries again. */
  async renew(signal: AbortSignal): Promise<void> {
    this.#authorization = undefined;
    const url = new URL(`${this.#base}/${this.#hasRepo ? "tags/list" : "_catalog"}`);
    const answer = await this.#client.send({ method: "GET", url, headers: {}, signal });
    await answer.body.dump({ limit: 65_536 }).catch(() => {});
    if (answer.status === 401) await this.#answerChallenge(answer, signal);
  }

  /** Pages lead to pages of the same list; an address elsewhere is none of ours. */
  #nextPath(link: string | undefined, path: string): string | undefined {
    const target = /<([^<>]{1,4096})>\s*;\s*rel="?next"?/i.exec(link ?? "")?.[1];
    const next = target === undefined ? null : URL.parse(target, `${this.#base}/${path}`);
    if (next === null || !next.href.startsWith(`${this.#base}/`)) return undefined;
    return next.href.slice(this.#base.length + 1);
  }

  async #askWithToken(method: "GET" | "HEAD", path: string, accept: string, signal: AbortSignal): Promise<HttpAnswer> {
    const wanted = { method, headers: { accept }, signal } as const;
    try {
      return await ask(this.#client, this.#target(path), wanted);
    } catch (error) {
      if (!(error instanceof WeightsError) || error.reason !== "TokenRejected") throw error;
      await this.renew(signal);
      return ask(this.#client, this.#target(path), wanted);
    }
  }

  #target(path: string): HttpTarget {
    return {
      url: new URL(`${this.#base}/${path}`),
      shownAs: this.shownAs,
      credentials: () => (this.#authorization === undefined ? {} : { authorization: this.#authorization }),
    };
  }

  /** `WWW-Authenticate` says where a token is to be had; the login, if there is one, goes there. */
  async #answerChallenge(answer: HttpAnswer, signal: AbortSignal): Promise<void> {
    const challenge = answer.headers("www-authenticate") ?? "";
    const login = await this.#logins(this.#host);
    if (/^basic/i.test(challenge)) {
      if (login?.is === "basic") this.#authorization = `Basic ${login.basic}`;
      return;
    }
    const part = (name: string): string | undefined => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1];
    const realm = URL.parse(part("realm") ?? "");
    if (!/^bearer/i.test(challenge) || realm === null) return;
    const home = new URL(this.#base);
    if (home.protocol === "https:" && realm.protocol !== "https:") {
      throw new WeightsError(
        "not-allowed",
        "UnsafeRedirect",
        `${this.shownAs}: the registry requests the credentials unencrypted at ${realm.host}; use https`,
      );
    }
    const scope = this.#hasRepo ? `repository:${home.pathname.slice("/v2/".length)}:pull` : "registry:catalog:*";
    const token = await this.#tokenFrom({ realm, service: part("service"), scope, login }, signal);
    if (token !== undefined) this.#authorization = `Bearer ${token}`;
  }

  /** With a password the token is asked for by GET; a token that only renews others goes in the body of a POST. */
  async #tokenFrom({ realm, service, scope, login }: TokenRequest, signal: AbortSignal): Promise<string | undefined> {
    const words = { ...(service === undefined ? {} : { service }), scope };
    const shownAs = showUrl(realm);
    if (login?.is === "identity-token") {
      const form = { ...words, grant_type: "refresh_token", refresh_token: login.token, client_id: "trivium-weights" };
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      const body = new URLSearchParams(form).toString();
      return tokenIn(await this.#read({ url: realm, shownAs }, { method: "POST", headers, body, signal }));
    }
    for (const [name, value] of Object.entries(words)) realm.searchParams.set(name, value);
    const credentials = () => ({ authorization: `Basic ${login?.basic}` });
    const target = { url: realm, shownAs, ...(login === undefined ? {} : { credentials }) };
    return tokenIn(await this.#read(target, { method: "GET", headers: {}, signal }));
  }

  async #read(target: HttpTarget, wanted: Omit<HttpRequest, "url">): Promise<string> {
    return readText(await ask(this.#client, target, wanted), this.shownAs);
  }
}

/** The hub answers under another name than people write, and its own images have an invisible folder. */
function dockerHub(repo: string): [string, string] {
  return ["registry-1.docker.io", repo.includes("/") ? repo : `library/${repo}`];
}

interface TokenRequest {
  readonly realm: URL;
  readonly service: string | undefined;
  readonly scope: string;
  readonly login: RegistryLogin | undefined;
}

function documentIn(text: string): Record<string, unknown> | undefined {
  try {
    const document: unknown = JSON.parse(text);
    return typeof document === "object" && document !== null ? (document as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function tokenIn(text: string): string | undefined {
  return /"(?:token|access_token)"\s*:\s*"([\w.~+/=-]+)"/.exec(text)?.[1];
}
