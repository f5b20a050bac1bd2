import type { RemoteFile } from "../transfer/remote-file.ts";
import type { ModelUri } from "./uri.ts";

/** What a URI stands for at this moment. */
export interface Listing {
  /** The URI with everything that can move nailed down, such as a branch turned into a commit. */
  readonly pinned: string;
  readonly files: readonly RemoteFile[];
}

/** One kind of place that models come from. */
export interface Source<S extends ModelUri["scheme"] = ModelUri["scheme"]> {
  resolve(uri: Extract<ModelUri, { scheme: S }>, signal: AbortSignal): Promise<Listing>;
}
