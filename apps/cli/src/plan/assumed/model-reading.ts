import type { ArtifactReading, LocalRoot, SourceRefusal } from "@trivium/domain";
import { whereIs } from "@trivium/domain";
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

/** Reads models from this machine, with the logins of the caller. */
export function modelReadingAnswer({ environment, localRoots }: ReadingOptions): Answered {
  const client = createHttpClient({ environment, addresses: "any" });
  const fileRoots = localRoots.map(({ path, realPath }) => realPath ?? path);
  return answer(modelReading, async ({ uri }, { signal }) => {
    const source = parseSourceUri(uri);
    const place = source.scheme === "file" ? formatFileUri(whereIs(source.path, localRoots) ?? source.path) : uri;
    try {
      const { files } = await resolveModel(place, { client, environment, fileRoots, include: [], retry: once, signal });
      return await inspectModel(files, { signal });
    } catch (error) {
      if (!(error instanceof WeightsError) || error.kind !== "not-found") throw error;
      return { refused: "not-found" as const, why: error.message };
    }
  }) as Answered;
}
