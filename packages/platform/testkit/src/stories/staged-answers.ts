import {
  type ImagePlace,
  type ImageReport,
  imageConfig,
  isBusy,
  isServed,
  type LocalFile,
  lastWarning,
  localDigest,
  localFile,
  type ModelHeader,
  modelHeader,
  type RegistryRefusal,
  registryRepositories,
  registryTags,
  repositoryFiles,
  type SourceHead,
  type SourceRefusal,
  servedModels,
  sourceHead,
} from "@trivium/domain";
import { Event, type KubeClient, Pod } from "@trivium/kube";
import { type Answered, answer } from "@trivium/reconcile";
import type { Instant } from "@trivium/std";

/** What the world says when it is asked, by address. `null`: there is nothing. Addresses that are not here do not answer. */
export interface GivenAnswers {
  readonly sourceHead?: Readonly<Record<string, Omit<SourceHead, "at"> | SourceRefusal | null>>;
  /** The names of the files of a repository, each with its size. */
  readonly repositoryFiles?: Readonly<Record<string, Readonly<Record<string, number>> | SourceRefusal>>;
  /** Of a GGUF header the metadata is enough. */
  readonly modelHeader?: Readonly<Record<string, Partial<ModelHeader> | null>>;
  readonly localFile?: Readonly<Record<string, { readonly bytes: number; readonly version: string } | null>>;
  readonly localDigest?: Readonly<Record<string, string>>;
  /** What every engine lists. Left out: the name that it was started with. */
  readonly servedModels?: readonly string[];
  readonly isBusy?: boolean;
  /** What the registry says of an image, by its full name; of the report the labels are enough. */
  readonly imageConfig?: Readonly<Record<string, Partial<ImageReport> | RegistryRefusal | null>>;
  /** Tags by `registry/repository`, and repositories by registry. */
  readonly registryTags?: Readonly<Record<string, readonly string[] | RegistryRefusal>>;
  readonly registryRepositories?: Readonly<Record<string, readonly string[] | RegistryRefusal>>;
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
        const head = reported(this.#given.sourceHead, url);
        return head && ("refused" in head ? head : { ...head, at: this.#now() });
      }),
      answer(repositoryFiles, async ({ uri }) => {
        const files = answered(this.#given.repositoryFiles, uri);
        if ("refused" in files) return files as SourceRefusal;
        return { files: Object.entries(files).map(([path, bytes]) => ({ path, bytes: Number(bytes) })) };
      }),
      answer(modelHeader, async ({ uri }) => {
        const header = reported(this.#given.modelHeader, uri);
        return header && ({ ...plainGguf, ...header } as ModelHeader);
      }),
      answer(localFile, async ({ path }): Promise<LocalFile | undefined> => {
        const file = reported(this.#given.localFile, path);
        return file && { is: "file", ...file, at: this.#now() };
      }),
      answer(localDigest, async ({ path }) => reported(this.#given.localDigest, path)),
      answer(servedModels, async ({ url }) => this.#given.servedModels ?? (await this.#listedAt(url))),
      answer(isBusy, async () => this.#given.isBusy ?? false),
      ...this.#registry(),
      answer(lastWarning, async ({ namespace, uid }) => {
        const { items } = await this.#client.list(Event, { namespace });
        const reported = items.filter(
          ({ type, reason, involvedObject }) =>
            type === "Warning" && reason !== "BackOff" && involvedObject.uid === uid,
        );
        const newest = reported.sort((a, b) => ((a.lastTimestamp ?? "") < (b.lastTimestamp ?? "") ? -1 : 1)).at(-1);
        return newest && { reason: newest.reason ?? "", message: newest.message ?? "" };
      }),
      answer(isServed, async (asked) => {
        const served = await this.#client.discover();
        return served.some(({ group, kind }) => group === asked.group && kind === asked.kind);
      }),
    ] as Answered[];
  }

  #registry(): Answered[] {
    return [
      answer(imageConfig, async (place) => {
        const name = nameOf(place);
        const image = answered(this.#given.imageConfig, name) ?? noImage(name);
        return "reason" in image ? image : ({ ...plainImage, platform: place.platform, ...image } as ImageReport);
      }),
      answer(registryTags, async ({ registry, repository }) => {
        const tags = answered(this.#given.registryTags, `${registry}/${repository}`);
        return "reason" in tags ? tags : { is: "tags", tags, at: this.#now() };
      }),
      answer(registryRepositories, async ({ registry, prefix }) => {
        const found = answered(this.#given.registryRepositories, registry);
        if ("reason" in found) return found;
        const repositories = found.filter((name) => name.startsWith(prefix));
        return { is: "repositories", repositories, at: this.#now() } as const;
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

const plainImage = { is: "image", digest: `sha256:${"a".repeat(64)}`, labels: {} } as const;

const noImage = (name: string): RegistryRefusal => ({
  is: "refused",
  reason: "not-found",
  why: `${name} does not exist`,
});

const nameOf = ({ registry, repository, reference }: ImagePlace): string =>
  `${registry}/${repository}${reference.includes(":") ? "@" : ":"}${reference}`;

function answered<T>(answers: Readonly<Record<string, T>> | undefined, address: string): T {
  const found = answers?.[address];
  if (found === undefined) throw new Error(`${address} does not answer`);
  return found;
}

function reported<T>(answers: Readonly<Record<string, T | null>> | undefined, address: string): T | undefined {
  return answered(answers, address) ?? undefined;
}
