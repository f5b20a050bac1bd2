import { batch, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { WatchLine, WatchSpec } from "@trivium/dashboard-server/contract";
import { keepConnected, type LinkState } from "./connection.ts";
import { applyLines, emptyTable, type LiveTable, type TableLine } from "./table.ts";

interface Entry {
  readonly table: Signal<LiveTable>;
  uses: number;
}

const entries = new Map<string, Entry>();
let running: AbortController | undefined;
let isDue = false;

/** Whether the page is current: `broken` while the stream is down, and what is shown may be old. */
export const linkState = signal<LinkState>("connecting");

/** The live objects below a path of the API. They stay known until the page stops to use them. */
export function tableOf(path: string): ReadonlySignal<LiveTable> {
  return entryOf(path).table;
}

/** Watches these paths until the returned function is called. All uses of a page share one stream. */
export function use(paths: readonly string[]): () => void {
  for (const path of paths) entryOf(path).uses += 1;
  reopen();
  return () => {
    for (const path of paths) entryOf(path).uses -= 1;
    reopen();
  };
}

function entryOf(path: string): Entry {
  const entry = entries.get(path) ?? { table: signal(emptyTable), uses: 0 };
  entries.set(path, entry);
  return entry;
}

/** Pages change several uses at once: the stream is opened again after the last. */
function reopen(): void {
  if (isDue) return;
  isDue = true;
  setTimeout(() => {
    isDue = false;
    open();
  });
}

let watched = "";

function open(): void {
  const wanted = [...entries].filter(([, { uses }]) => uses > 0).map(([path]) => path);
  const now = wanted.sort().join(" ");
  if (now === watched) return;
  watched = now;
  for (const [path, { uses }] of entries) if (uses === 0) entries.delete(path);
  running?.abort();
  if (wanted.length === 0) return;
  running = new AbortController();
  const { signal: ended } = running;
  void keepConnected({ watches: specs, receive, report, signal: ended });
}

function report(state: LinkState): void {
  linkState.value = state;
}

const specs = (): WatchSpec[] =>
  [...entries].map(([path, { table }]) => {
    const { resourceVersion } = table.peek();
    return { id: path, path, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  });

function receive(lines: readonly WatchLine[]): void {
  const changes = lines.filter((line): line is TableLine => line.type !== "HEARTBEAT");
  batch(() => {
    for (const [id, own] of Map.groupBy(changes, (line) => line.id)) {
      const table = entries.get(id)?.table;
      if (table !== undefined) table.value = applyLines(table.peek(), own);
    }
  });
}
