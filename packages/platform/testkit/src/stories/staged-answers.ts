import {
  isBusy,
  isServed,
  type LocalFile,
  localDigest,
  localFile,
  type ModelHeader,
  modelHeader,
  type SourceHead,
  servedModels,
  sourceHead,
} from "@trivium/domain";
import { type KubeClient, Pod } from "@trivium/kube";
import { type Answered, answer } from "@trivium/reconcile";
import type { Instant } from "@trivium/std";

/** What the world says when it is asked, by address. `null`: there is nothing. Addresses that are not here do not answer. */
export interface GivenAnswers {
  readonly sourceHead?: Readonly<Record<string, Omit<SourceHead, "at"> | null>>;
  /** Of a GGUF header the metadata is enough. */
  readonly modelHeader?: Readonly<Record<string, Partial<ModelHeader> | null>>;
  readonly localFile?: Readonly<Record<string, { readonly bytes: number; readonly version: string } | null>>;
  readonly localDigest?: Readonly<Record<string, string>>;
  /** What every engine lists. Left out: the name that it was started with. */
  readonly servedModels?: readonly string[];
  readonly isBusy?: boolean;
}

/** The world outside the API, played from a story. */
export class StagedAnswers {
  readonly #client: KubeClient;
  readonly #now: () => Instant;
  #given: GivenAnswers;

  constructor(given: GivenAnswers, { client, now }: { client: KubeClient; now: () => Instant }) {
    this.#given = given;
    this.#client = client;
    this.#now = now;
  }

  change(given: GivenAnswers): void {
    this.#given = { ...this.#given, ...given };
  }

  all(): Answered[] {
    return [
      answer(sourceHead, async ({ url }) => {
        const head = said(this.#given.sourceHead, url);
        return head && { ...head, at: this.#now() };
      }),
      answer(modelHeader, async ({ uri }) => {
        const header = said(this.#given.modelHeader, uri);
        return header && ({ ...plainGguf, ...header } as ModelHeader);
      }),
      answer(localFile, async ({ path }): Promise<LocalFile | undefined> => {
        const file = said(this.#given.localFile, path);
        return file && { is: "file", ...file, at: this.#now() };
      }),
      answer(localDigest, async ({ path }) => said(this.#given.localDigest, path)),
      answer(servedModels, async ({ url }) => this.#given.servedModels ?? (await this.#listedAt(url))),
      answer(isBusy, async () => this.#given.isBusy ?? false),
      answer(isServed, async (asked) => {
        const served = await this.#client.discover();
        return served.some(({ group, kind }) => group === asked.group && kind === asked.kind);
      }),
    ] as Answered[];
  }

  /** An engine lists the name that its arguments give it, or else what it was told to load. */
  async #listedAt(url: string): Promise<string[]> {
    const address = new URL(url).hostname;
    const { items } = await this.#client.list(Pod);
    const pod = items.find(({ status }) => status?.podIP === address);
    if (pod === undefined) throw new Error(`nobody listens at ${address}`);
    const args = pod.spec?.containers[0]?.args ?? [];
    const named = args.findIndex((word) => word === "--alias" || word === "--served-model-name");
    return [args[named === -1 ? 0 : named + 1] ?? "model"];
  }
}

const plainGguf = {
  format: "gguf",
  version: 3,
  byteOrder: "little",
  files: 1,
  metadata: {},
  tensorCount: 0,
  warnings: [],
} as const;

function said<T>(answers: Readonly<Record<string, T | null>> | undefined, address: string): T | undefined {
  const found = answers?.[address];
  if (found === undefined) throw new Error(`${address} does not answer`);
  return found ?? undefined;
}
