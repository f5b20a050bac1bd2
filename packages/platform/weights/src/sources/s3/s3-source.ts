import { WeightsError } from "../../fault.ts";
import type { HttpClient } from "../../transfer/http/http-client.ts";
import type { RemoteFile } from "../../transfer/remote-file.ts";
import { headOf } from "../http-source.ts";
import { ask, openHttp } from "../open-http.ts";
import { PageGuard } from "../page-guard.ts";
import { readText } from "../read-text.ts";
import { checkRelativePath, maxFiles } from "../relative-path.ts";
import type { Listing, Source } from "../source.ts";
import { parseListing, type S3Object } from "./s3-listing.ts";
import { type S3Place, s3Target } from "./s3-place.ts";
import { encodeStrictly } from "./sigv4.ts";

/** Buckets. A key that is an object is that file; any other key is a folder, and all that lies under it is the model. */
export function createS3Source(client: HttpClient, place: S3Place): Source<"s3"> {
  return {
    async resolve({ bucket, key }, signal): Promise<Listing> {
      const at = new Bucket(client, place, bucket);
      const single = key === "" || key.endsWith("/") ? undefined : await at.object(key, signal);
      const files =
        single === undefined ? await at.folder(key === "" || key.endsWith("/") ? key : `${key}/`, signal) : [single];
      if (files.length === 0)
        throw new WeightsError("not-found", "NotFound", `s3://${bucket}/${key}: object or folder not found`);
      return { pinned: `s3://${bucket}/${key}`, files };
    },
  };
}

class Bucket {
  readonly #client: HttpClient;
  readonly #place: S3Place;
  readonly #name: string;

  constructor(client: HttpClient, place: S3Place, name: string) {
    this.#client = client;
    this.#place = place;
    this.#name = name;
  }

  async object(key: string, signal: AbortSignal): Promise<RemoteFile | undefined> {
    try {
      const { size, version } = await headOf(this.#client, s3Target(this.#place, this.#name, { key }), signal);
      return this.#file({ key, size: size ?? 0, etag: version }, key.slice(key.lastIndexOf("/") + 1), signal);
    } catch (error) {
      if (error instanceof WeightsError && error.kind === "not-found") return undefined;
      throw error;
    }
  }

  async folder(prefix: string, signal: AbortSignal): Promise<RemoteFile[]> {
    const objects: S3Object[] = [];
    const pages = new PageGuard(`s3://${this.#name}/${prefix}`);
    for (let token: string | undefined = ""; token !== undefined; ) {
      const page = await this.#page(prefix, token, signal);
      // Consoles make an empty object to show a folder.
      objects.push(...page.objects.filter(({ key }) => !key.endsWith("/")));
      if (objects.length > maxFiles)
        throw new WeightsError("refused", "TooManyFiles", `s3://${this.#name}/${prefix}: more than ${maxFiles} files`);
      token = pages.next(page.next);
    }
    return objects.map((object) => this.#file(object, object.key.slice(prefix.length), signal));
  }

  async #page(prefix: string, token: string, signal: AbortSignal) {
    const pairs: [string, string][] = [
      ["encoding-type", "url"],
      ["list-type", "2"],
      ["prefix", prefix],
    ];
    if (token !== "") pairs.unshift(["continuation-token", token]);
    const query = pairs.map(([name, value]) => `${name}=${encodeStrictly(value)}`).join("&");
    const target = s3Target(this.#place, this.#name, { query });
    const answer = await ask(this.#client, target, { method: "GET", headers: {}, signal });
    const page = parseListing(await readText(answer, target.shownAs));
    if (page === undefined)
      throw new WeightsError(
        "unreachable",
        "Unreachable",
        `${target.shownAs}: the server did not return a list of objects`,
      );
    return page;
  }

  #file({ key, size, etag }: S3Object, path: string, signal: AbortSignal): RemoteFile {
    const target = s3Target(this.#place, this.#name, { key });
    checkRelativePath(path, target.shownAs);
    const again = async (): Promise<RemoteFile> => {
      const found = await this.object(key, signal);
      if (found === undefined)
        throw new WeightsError("not-found", "NotFound", `${target.shownAs}: deleted during the download`);
      return { ...found, path };
    };
    return {
      path,
      shownAs: target.shownAs,
      size,
      ...(etag === undefined ? {} : { version: etag }),
      open: async (options) => ({ ...(await openHttp(this.#client, target, options)), protocol: "s3" }),
      relist: again,
    };
  }
}
