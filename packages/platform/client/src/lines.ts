/**
 * Cuts text that arrives in arbitrary pieces into lines, one batch of whole lines for each piece that completes some.
 * Batches keep the cost of a busy watch at one turn of the event loop per piece, not per line.
 */
export async function* lineBatches(pieces: AsyncIterable<string> | string): AsyncGenerator<string[]> {
  if (typeof pieces === "string") {
    const lines = pieces.split("\n");
    if (lines.at(-1) === "") lines.pop();
    if (lines.length > 0) yield lines;
    return;
  }
  // Parts of an unfinished line are joined once, when its end arrives: a huge line costs no repeated copying.
  let open: string[] = [];
  for await (const piece of pieces) {
    const end = piece.lastIndexOf("\n");
    if (end < 0) {
      if (piece !== "") open.push(piece);
      continue;
    }
    open.push(piece.slice(0, end));
    const lines = open.join("").split("\n");
    open = end + 1 < piece.length ? [piece.slice(end + 1)] : [];
    yield lines;
  }
  if (open.length > 0) yield [open.join("")];
}
