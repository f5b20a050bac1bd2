/** The payloads of a stream of server-sent events, as they come. A line without an end is not kept for ever. */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    let start = 0;
    for (let end = rest.indexOf("\n"); end !== -1; end = rest.indexOf("\n", start)) {
      const payload = payloadOf(rest.slice(start, end));
      if (payload !== undefined) yield payload;
      start = end + 1;
    }
    rest = rest.slice(start);
    if (rest.length > longestLine) throw new EventTooLong();
  }
  const last = payloadOf(rest + decoder.decode());
  if (last !== undefined) yield last;
}

const longestLine = 4 * 1024 * 1024;

export class EventTooLong extends Error {
  constructor() {
    super("an event is larger than 4Mi");
  }
}

function payloadOf(line: string): string | undefined {
  return line.startsWith("data:") ? line.slice(5).trim() : undefined;
}
