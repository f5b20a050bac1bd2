import { defineQuery, type Query } from "@trivium/reconcile";
import type { Instant } from "@trivium/std";
import type { ModelHeader } from "./weights/model-header.ts";
import type {
  ImagePlace,
  ImageReport,
  RegistryPlace,
  RegistryRefusal,
  RepositoriesPlace,
  RepositoryReport,
  TagReport,
} from "./weights/registry-report.ts";

/** What only the world outside the API knows, by name. `platform/probes` answers; whoever runs reconcilers joins the two. */

const minute = 60_000;
const hour = 60 * minute;

/** How a remote file presents itself now, without its bytes. */
export interface SourceHead {
  /** Without quotes and weakness mark. */
  readonly version?: string;
  readonly length?: number;
  /** When it was asked. */
  readonly at: Instant;
}
/** A source that answered, and refused: there is nothing, or not for whoever asked. */
export interface SourceRefusal {
  readonly refused: "not-found" | "not-allowed";
  readonly why: string;
}
export const sourceHead = defineQuery<{ readonly url: string }, SourceHead | SourceRefusal>("sourceHead", {
  ttl: hour,
});

/** One file of a repository. */
export interface RepositoryFile {
  readonly path: string;
  readonly bytes?: number;
}
export interface RepositoryListing {
  readonly files: readonly RepositoryFile[];
}
/** What a repository of models has, by its URI. */
export const repositoryFiles = defineQuery<{ readonly uri: string }, RepositoryListing | SourceRefusal>(
  "repositoryFiles",
  { ttl: hour },
);

export interface HeaderPlace {
  readonly uri: string;
  /** Of the file, where it is known: new bytes are a new question. */
  readonly version?: string;
}

/** A file that claims to be a model's and cannot be read as one: cut off, of an old version, or something else altogether. */
export interface BrokenFile {
  readonly format: "broken";
  readonly why: string;
}
/** What the header of a model file says, read over ranges; absent when the file is of no known format. */
export const modelHeader = defineQuery<HeaderPlace, ModelHeader | BrokenFile>("modelHeader", { ttl: 24 * hour });

/** A file or folder where the operator runs. */
export type LocalFile =
  | {
      readonly is: "file" | "folder";
      readonly bytes: number;
      /** Changes whenever the content does. */
      readonly version: string;
      readonly at: Instant;
    }
  | { readonly is: "unreadable"; readonly why: string };
/** Absent when there is nothing. */
export const localFile = defineQuery<{ readonly path: string }, LocalFile>("localFile", { ttl: minute });

/** The SHA-256 of a file where the operator runs, in lower case. The version is part of the question, so a new content is a new one. */
export const localDigest = defineQuery<{ readonly path: string; readonly version: string }, string>("localDigest", {
  ttl: Number.POSITIVE_INFINITY,
  timeout: 2 * hour,
});

/** The model names that a server lists at `/v1/models`. */
export const servedModels = defineQuery<{ readonly url: string }, readonly string[]>("servedModels", {
  ttl: minute,
  timeout: 5_000,
});

/** The last lines of a container's log. */
export interface LogPlace {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** How often it has been restarted: another life, another log. */
  readonly restarts: number;
  readonly lines: number;
}
export const logTail = defineQuery<LogPlace, string>("logTail", { ttl: 5_000, timeout: 5_000 });

/** The same, of something that was said once and stays true: how an engine started. */
export const logOnce = defineQuery<LogPlace, string>("logOnce", {
  ttl: Number.POSITIVE_INFINITY,
  timeout: 10_000,
});

/** Whether a model server is working on requests now. */
export const isBusy = defineQuery<{ readonly url: string; readonly engine: string }, boolean>("isBusy", {
  ttl: 5_000,
  timeout: 5_000,
});

/** Whether the API serves a kind at all: neighbours that somebody may have installed. */
export const isServed = defineQuery<{ readonly group: string; readonly kind: string }, boolean>("isServed", {
  ttl: 5 * minute,
});

/** Something that somebody warns of, in their words. */
export interface WarningReport {
  readonly reason: string;
  readonly message: string;
}
export interface WarnedObject {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** What is older is no news. */
  readonly since?: string;
}
/** The newest Warning among the Events of an object; absent when there is none. Events are many, so they are asked for, not watched. */
export const lastWarning = defineQuery<WarnedObject, WarningReport>("lastWarning", { ttl: 30_000, timeout: 10_000 });

/** What the image behind a tag or a digest is, asked again and again, because tags move. */
export const imageConfig = defineQuery<ImagePlace, ImageReport | RegistryRefusal>("imageConfig", {
  ttl: 10 * minute,
  timeout: 30_000,
});

/** The tags of a repository. */
export const registryTags = defineQuery<RegistryPlace & AskedEvery, TagReport | RegistryRefusal>("registryTags", {
  ttl: hour,
  timeout: 2 * minute,
});

/** The repositories of a registry whose names start like this. */
export const registryRepositories = defineQuery<RepositoriesPlace & AskedEvery, RepositoryReport | RegistryRefusal>(
  "registryRepositories",
  { ttl: hour, timeout: 2 * minute },
);

/** How old an answer may be: part of the question, because different people want it differently often. */
export interface AskedEvery {
  readonly everyMs: number;
}

/** The same question with an answer that is good for as long as the asker says. */
export function askedEvery<A extends AskedEvery, R>(query: Query<A, R>, everyMs: number): Query<A, R> {
  return { ...query, ttl: everyMs };
}
