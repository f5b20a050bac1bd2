import type { KubeClient, Ref } from "@trivium/kube";

const longest = 160;

/** Follows the log of a container that gets a model ready, and tells its last line in a few words. */
export class LogNews {
  readonly #following = new AbortController();
  readonly key: string;

  constructor(client: KubeClient, pod: Ref, container: string, tell: (news: string) => void) {
    this.key = logKey(pod, container);
    void this.#follow(client, pod, container, tell);
  }

  stop(): void {
    this.#following.abort();
  }

  async #follow(client: KubeClient, pod: Ref, container: string, tell: (news: string) => void): Promise<void> {
    const { signal } = this.#following;
    try {
      for await (const line of client.log(pod, { container, follow: true, tailLines: 1, signal })) {
        const news = readNews(line);
        if (news !== undefined && !signal.aborted) tell(news);
      }
    } catch {
      // A log that cannot be read is only news that are missing.
    }
  }
}

export const logKey = (pod: Ref, container: string): string => `${pod.namespace}/${pod.name}/${container}`;

/** What a line of progress says: `trivium-weights` counts bytes, others show a share. */
export function readNews(line: string): string | undefined {
  const progress = readProgress(line);
  if (progress !== undefined) return `pulling weights ${Math.floor(progress * 100)} %`;
  const share = /(?<![\d.])(\d{1,3})(?:\.\d+)?\s?%/.exec(line);
  if (share !== null && Number(share[1]) <= 100) return `pulling weights ${share[1]} %`;
  return undefined;
}

function readProgress(line: string): number | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const { bytes, total } = JSON.parse(line) as { bytes?: unknown; total?: unknown };
    if (typeof bytes !== "number" || typeof total !== "number" || total <= 0) return undefined;
    return Math.min(1, Math.max(0, bytes / total));
  } catch {
    return undefined;
  }
}

/** News go into a stream of events: no line end, no control character, and not for ever. */
export function plainLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not pass
  const plain = text.replace(/[\x00-\x1f\x7f]+/g, " ").trim();
  return plain.length > longest ? `${plain.slice(0, longest)}…` : plain;
}
