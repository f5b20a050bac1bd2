import { WeightsError } from "../../fault.ts";
import type { HttpClient } from "../../transfer/http/http-client.ts";
import type { OpenOptions, RemoteFile } from "../../transfer/remote-file.ts";
import { openHttp } from "../open-http.ts";
import { maxFiles } from "../relative-path.ts";
import type { Source } from "../source.ts";
import { RegistryApi } from "./registry-api.ts";
import { type ModelLayer, modelLayers } from "./registry-layers.ts";
import type { RegistryLogins } from "./registry-login.ts";
import { manifestFor } from "./registry-platform.ts";

export interface RegistryPlace {
  readonly logins: RegistryLogins;
  /** `os/architecture` */
  readonly platform: string;
  /** Which files of an archive are wanted; empty means all. */
  readonly include: readonly string[];
}

/** Models in an OCI registry: artifacts whose layers are files or archives, and images that carry a model in `/models`. */
export function createRegistrySource(client: HttpClient, place: RegistryPlace): Source<"registry"> {
  return {
    async resolve(at, signal) {
      const api = new RegistryApi(client, at, place.logins);
      let { digest, document } = await api.manifest(at.reference, signal);
      if (Array.isArray(document.manifests)) {
        const chosen = manifestFor(document.manifests, place.platform, api.shownAs);
        ({ digest, document } = await api.manifest(chosen, signal));
      }
      const layers = modelLayers(document, place.include, api.shownAs);
      if (layers.length > maxFiles)
        throw new WeightsError("refused", "TooManyFiles", `${api.shownAs}: more than ${maxFiles} layers`);
      if (layers.length > 0)
        return { pinned: `${api.shownAs}@${digest}`, files: layers.map((layer) => fileOf(client, api, layer)) };
      const message = `${api.shownAs}: not a packaged model: no layer is an archive or has a file name`;
      throw new WeightsError("refused", "Rejected", message);
    },
  };
}

function fileOf(client: HttpClient, api: RegistryApi, { hex, size, path, archive }: ModelLayer): RemoteFile {
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
  const shownAs = `${api.shownAs}/${path}`;
  const digest = { algorithm: "sha256", hex } as const;
  return { path, shownAs, size, digest, ...(archive === undefined ? {} : { archive }), open };
}
