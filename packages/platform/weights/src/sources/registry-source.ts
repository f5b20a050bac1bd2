import { WeightsError } from "../fault.ts";
import type { HttpClient } from "../transfer/http-client.ts";
import type { OpenOptions, RemoteFile } from "../transfer/remote-file.ts";
import { openHttp } from "./open-http.ts";
import { RegistryApi } from "./registry-api.ts";
import type { RegistryLogins } from "./registry-login.ts";
import { checkRelativePath, mostFiles } from "./relative-path.ts";
import type { Source } from "./source.ts";

/** Where packers write the name of the file that a layer is. */
const titles = ["org.opencontainers.image.title", "org.cncf.model.filepath"];

/** Models packed as artifacts of an OCI registry: each layer with a title is a file, and its digest is the file's. */
export function createRegistrySource(client: HttpClient, logins: RegistryLogins): Source<"registry"> {
  return {
    async resolve(place, signal) {
      const api = new RegistryApi(client, place, logins);
      let { digest, document } = await api.manifest(place.reference, signal);
      const [child] = Array.isArray(document.manifests) ? (document.manifests as Layer[]) : [];
      if (child !== undefined && typeof child.digest === "string")
        ({ digest, document } = await api.manifest(child.digest, signal));
      const layers = Array.isArray(document.layers) ? (document.layers as Layer[]) : [];
      if (layers.length > mostFiles)
        throw new WeightsError("refused", "TooManyFiles", `${api.shownAs}: more than ${mostFiles} layers`);
      const files = layers.flatMap((layer) => fileOf(client, api, layer) ?? []);
      if (files.length > 0) return { pinned: `${api.shownAs}@${digest}`, files };
      throw new WeightsError(
        "refused",
        "Rejected",
        `${api.shownAs}: no layer names a file; this is an image, not a packed model`,
      );
    },
  };
}

interface Layer {
  readonly digest?: unknown;
  readonly size?: unknown;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

function fileOf(client: HttpClient, api: RegistryApi, { digest, size, annotations }: Layer): RemoteFile | undefined {
  const path = titles.map((title) => annotations?.[title]).find((title) => typeof title === "string");
  if (typeof path !== "string") return undefined;
  const hex = /^sha256:([0-9a-f]{64})$/.exec(String(digest))?.[1];
  if (hex === undefined || !Number.isSafeInteger(size) || (size as number) < 0) {
    throw new WeightsError("refused", "Rejected", `${api.shownAs}: the layer ${path} has no sha256 digest or no size`);
  }
  checkRelativePath(path, api.shownAs);
  const target = api.blobTarget(`sha256:${hex}`);
  const openOnce = async (options: OpenOptions) => {
    // The digest says which bytes these are; storage behind a registry has ETags of its own.
    return { ...(await openHttp(client, target, options)), version: undefined, protocol: "oci" };
  };
  const open = (options: OpenOptions) =>
    openOnce(options).catch(async (error) => {
      if (!(error instanceof WeightsError) || error.reason !== "TokenRejected") throw error;
      await api.renew(options.signal);
      return openOnce(options);
    });
  return { path, shownAs: `${api.shownAs}/${path}`, size: size as number, digest: { algorithm: "sha256", hex }, open };
}
