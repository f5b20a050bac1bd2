import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import type { Instant } from "@trivium/std";
import type { FileLog } from "./file-log.ts";
import { byAge, type LogPlace, linesBack, logFilesOf, readBlock, sizeOf } from "./log-files.ts";
import { type LogOptions, sinceOf, stampOf } from "./read-log.ts";

const newline = 10;
const blockSize = 64 * 1024;

/** The wanted part of a log in files, as text: bytes that are none are shown as such. */
export async function* readFileLog(log: FileLog, request: LogOptions, now: Instant): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let left = request.limitBytes ?? Number.POSITIVE_INFINITY;
  for await (const piece of piecesOf(log, request, now)) {
    const part = piece.length > left ? piece.subarray(0, left) : piece;
    left -= part.length;
    const text = decoder.decode(part, { stream: true });
    if (text !== "") yield text;
    if (left <= 0) return;
  }
}

async function* piecesOf(log: FileLog, request: LogOptions, now: Instant): AsyncGenerator<Buffer> {
  const stamper = request.timestamps ? new Stamper(log) : undefined;
  for await (const { block, place } of blocksOf(log, request, now)) {
    yield stamper === undefined ? block : stamper.stamp(block, place);
  }
}

async function* blocksOf(
  log: FileLog,
  request: LogOptions,
  now: Instant,
): AsyncGenerator<{ block: Buffer; place: LogPlace }> {
  const start = await startOf(log, request, now);
  let handle: FileHandle | undefined;
  let { file, offset } = start ?? { file: "", offset: 0 };
  try {
    while (request.signal?.aborted !== true) {
      // Asked for before looking: what comes in between is not missed.
      const { more, cancel } = log.whenMore(request.signal);
      const isEnded = log.isEnded;
      handle ??= file === "" ? undefined : await open(join(log.folder, file)).catch(() => undefined);
      const block = handle === undefined ? undefined : await readBlock(handle, offset, blockSize);
      if (block !== undefined && block.length > 0) {
        cancel();
        yield { block, place: { file, offset } };
        offset += block.length;
        continue;
      }
      const next = nextFile(log.folder, file);
      if (next !== undefined) {
        cancel();
        // A file is whole when there is one after it, and this one may have grown between the two looks.
        const rest = handle === undefined ? undefined : await readBlock(handle, offset, blockSize);
        if (rest !== undefined && rest.length > 0) {
          yield { block: rest, place: { file, offset } };
          offset += rest.length;
          continue;
        }
        await handle?.close();
        handle = undefined;
        [file, offset] = [next, 0];
        continue;
      }
      if (!request.follow || isEnded) {
        cancel();
        return;
      }
      await more;
    }
  } finally {
    await handle?.close();
  }
}

/** The file after this one; the oldest there is when this one was dropped long ago. */
function nextFile(folder: string, file: string): string | undefined {
  const files = logFilesOf(folder);
  if (file === "") return files[0];
  const index = files.indexOf(file);
  if (index >= 0) return files[index + 1];
  return files.find((each) => byAge(each, file) > 0);
}

/** Late enough, and among the last lines asked for: whichever comes later. */
async function startOf(log: FileLog, request: LogOptions, now: Instant): Promise<LogPlace | undefined> {
  const files = logFilesOf(log.folder);
  const last = files.at(-1);
  if (last === undefined) return undefined;
  const end = { file: last, offset: sizeOf(log.folder, last) };
  const since = await placeSince(log, files, { since: sinceOf(request, now), end });
  if (request.tailLines === undefined) return since;
  const tail = request.tailLines === 0 ? end : await linesBack(log.folder, request.tailLines, end);
  const order = files.indexOf(since.file) - files.indexOf(tail.file) || since.offset - tail.offset;
  return order > 0 ? since : tail;
}

async function placeSince(
  log: FileLog,
  files: readonly string[],
  { since, end }: { since: Instant; end: LogPlace },
): Promise<LogPlace> {
  if (since === 0) return { file: files[0] ?? end.file, offset: 0 };
  for (const file of files) {
    const offset = log.stamps.placeSince(file, since);
    if (offset === undefined) continue;
    // A line that began earlier and ended within is shown from its beginning.
    return offset === 0 && file === files[0] ? { file, offset } : await lineAt(log.folder, { file, offset });
  }
  return end;
}

async function lineAt(folder: string, place: LogPlace): Promise<LogPlace> {
  if (place.offset === 0) return place;
  const handle = await open(join(folder, place.file));
  try {
    const [before] = await readBlock(handle, place.offset - 1, 1);
    return before === newline ? place : await linesBack(folder, 1, place);
  } finally {
    await handle.close();
  }
}

/** Puts in front of each line when it came. */
class Stamper {
  readonly #log: FileLog;
  #isAtStart = true;

  constructor(log: FileLog) {
    this.#log = log;
  }

  stamp(block: Buffer, { file, offset }: LogPlace): Buffer {
    const parts: Buffer[] = [];
    for (let from = 0; from < block.length; ) {
      const at = block.indexOf(newline, from);
      const to = at < 0 ? block.length : at + 1;
      if (this.#isAtStart) {
        const time = this.#log.stamps.timeOf(file, offset + from) ?? this.#log.now();
        parts.push(Buffer.from(`${stampOf(time)} `));
      }
      parts.push(block.subarray(from, to));
      this.#isAtStart = at >= 0;
      from = to;
    }
    return Buffer.concat(parts);
  }
}
