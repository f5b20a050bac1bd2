import type { AnyObject } from "@trivium/kube";

/** A service as a person asks for it in one line: these weights, under this name. */
export interface SimpleService {
  readonly name: string;
  readonly namespace: string;
  /** `file:///path`, `hf://org/repo[@revision]`, `https://…` or `s3://…`. */
  readonly source: string;
  /** The files of a repository that make up the model, the first one first; none where the source is the file. */
  readonly files: readonly string[];
  readonly contextTokens?: number | undefined;
  /** On every object, so that they are found again together. */
  readonly labels: Readonly<Record<string, string>>;
}

/** The objects of a dialect for a simple service, or why its API cannot say it, with what to do. */
export type WrittenService =
  | { readonly is: "written"; readonly objects: readonly AnyObject[] }
  | { readonly is: "impossible"; readonly why: string };
