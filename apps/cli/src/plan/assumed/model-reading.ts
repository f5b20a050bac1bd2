import type { ArtifactReading, LocalRoot, SourceRefusal } from "@trivium/domain";
import { whereIs } from "@trivium/domain";
import { describeRefusedPath } from "@trivium/engines";
import { type Answered, answer, defineQuery } from "@trivium/reconcile";
import { formatFileUri, parseSourceUri } from "@trivium/std";
import { createHttpClient, inspectModel, resolveModel, WeightsError } from "@trivium/weights";

/** What the headers and the configuration of a model say, read where it is: what an agent reports of files that it has downloaded. */
export const modelReading = defineQuery<{ readonly uri: string }, ArtifactReading | SourceRefusal>("modelReading", {
  ttl: Number.POSITIVE_INFINITY,
});

export interface ReadingOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly localRoots: readonly LocalRoot[];
}

const once = { attempts: 1, firstDelayMs: 0, maxDelayMs: 0 };

/** The words that a service has for such a path once it is applied. */
const refusePath = (path: string, roots: readonly LocalRoot[]): SourceRefusal => ({
  refused: "not-found",
  why: describeRefusedPath(
    path,
    roots.map((root) => root.path),
  ),
});

/** Reads models from this machine, with the logins of the caller. */
export function modelReadingAnswer({ environment, localRoots }: ReadingOptions): Answered {
  const client = createHttpClient({ environment, addresses: "any" });
  const fileRoots = localRoots.map(({ path, realPath }) => realPath ?? path);
  return answer(modelReading, async ({ uri }, { signal }) => {
    const source = parseSourceUri(uri);
    const path = source.scheme === "file" ? whereIs(source.path, localRoots) : undefined;
    if (source.scheme === "file" && path === undefined) return refusePath(source.path, localRoots);
    const place = path === undefined ? uri : formatFileUri(path);
    try {
      const { files } = await resolveModel(place, { client, environment, fileRoots, include: [], retry: once, signal });
      return await inspectModel(files, { signal });
    } catch (error) {
      if (!(error instanceof WeightsError) || error.kind !== "not-found") throw error;
      return { refused: "not-found" as const, why: error.message };
    }
  }) as Answered;
}
