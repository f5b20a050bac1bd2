import type { JsonObject } from "@trivium/std";
import type { RepositoryFile } from "../queries.ts";
import type { ModelHeader } from "./model-header.ts";

/** Files that one machine should hold. Who wants them, and why, is not its business. */
export interface WantedArtifact {
  /** What tells it from others; the same wish keeps its key. */
  readonly key: string;
  readonly source: ArtifactSource;
  /** The folder that shows the files, as pods name it. */
  readonly path: string;
  /** Variables for whoever fetches: regions and endpoints, never secrets. */
  readonly settings: Readonly<Record<string, string>>;
  readonly secret?: SecretVariables | undefined;
  /** Whether headers and configuration are read once the files are there. */
  readonly reading: "headers" | "nothing";
  /** Whether one that is a single zip archive is shown unpacked. */
  readonly unpacking?: "zip" | undefined;
  /** What becomes of the files when nobody wants them any more. */
  readonly afterwards: "remove" | "keep";
  /** Until the download is permitted only the files of the source are listed. Nothing means that it is. */
  readonly permit?: DownloadPermit | undefined;
}

/** `awaited`: whether the files are of any use here is not decided yet. `denied`: they are not. */
export type DownloadPermit = "awaited" | "denied";

export type ArtifactSource =
  | { readonly is: "fetched"; readonly uri: string }
  /** Somebody else puts the files there; they are never removed. */
  | { readonly is: "present" }
  /** There are no files: somebody else looks after all of it. */
  | { readonly is: "elsewhere" }
  | { readonly is: "refused"; readonly why: string };

/** A Secret whose entries become variables for whoever fetches. */
export interface SecretVariables {
  readonly namespace: string;
  readonly name: string;
  readonly entries: readonly SecretEntry[];
}

export interface SecretEntry {
  readonly key: string;
  readonly variable: string;
  /** Whether there is no use in trying without it. */
  readonly need: "must" | "may";
}

/** How far a machine is with one of them. */
export type ArtifactReport =
  | {
      readonly key: string;
      readonly is: "updating";
      readonly progress?: ArtifactProgress | undefined;
      /** Whether it waits for other downloads. */
      readonly isQueued?: true | undefined;
      /** What the source has, as soon as it was listed. */
      readonly listed?: readonly RepositoryFile[] | undefined;
    }
  | {
      readonly key: string;
      readonly is: "ready";
      readonly read?: ArtifactReading | undefined;
      readonly listed?: readonly RepositoryFile[] | undefined;
    }
  | {
      readonly key: string;
      readonly is: "failed";
      readonly why: string;
      /** With which `trivium-weights` ends for the same cause; nothing where the cause has none. */
      readonly exitCode?: number | undefined;
      readonly retry?: ArtifactRetry | undefined;
    };

/** Nothing is given up: it is tried again, later each time. */
export interface ArtifactRetry {
  /** How often it failed in a row. */
  readonly failures: number;
  readonly nextAt: number;
}

export interface ArtifactProgress {
  readonly bytes: number;
  readonly total: number;
  /** Bytes a second. */
  readonly rate: number;
  readonly at: number;
}

export interface ArtifactReading {
  readonly models: readonly { readonly path: string; readonly header: ModelHeader }[];
  readonly config?: JsonObject | undefined;
  /** The `adapter_config.json` of weights that are laid over a model. */
  readonly adapter?: JsonObject | undefined;
  /** What could not be read, for a person. */
  readonly problems: readonly string[];
}
