import type { JsonObject } from "@trivium/std";
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
  readonly secret?: SecretVariable | undefined;
  /** Whether headers and configuration are read once the files are there. */
  readonly reading: "headers" | "nothing";
  /** What becomes of the files when nobody wants them any more. */
  readonly afterwards: "remove" | "keep";
}

export type ArtifactSource =
  | { readonly is: "fetched"; readonly uri: string }
  /** Somebody else puts the files there; they are never removed. */
  | { readonly is: "present" }
  /** There are no files: somebody else looks after all of it. */
  | { readonly is: "elsewhere" }
  | { readonly is: "refused"; readonly why: string };

/** An entry of a Secret that a variable is set to. */
export interface SecretVariable {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
  readonly variable: string;
}

/** How far a machine is with one of them. */
export type ArtifactReport =
  | { readonly key: string; readonly is: "updating"; readonly progress?: ArtifactProgress | undefined }
  | { readonly key: string; readonly is: "ready"; readonly read?: ArtifactReading | undefined }
  | { readonly key: string; readonly is: "failed"; readonly why: string };

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
  /** What could not be read, for a person. */
  readonly problems: readonly string[];
}
