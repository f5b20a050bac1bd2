import { diffLines, nearChanges } from "./diff-lines.ts";
import { ScrollBox } from "./scroll-box.tsx";

const marks = { same: " ", added: "+", removed: "-" } as const;

/** More is not drawn: a browser needs seconds for it, with each key. */
const mostLines = 1_000;

/** What differs between two texts. */
export function Diff({ before, after }: { readonly before: string; readonly after: string }) {
  const lines = nearChanges(diffLines(before, after));
  if (lines.length === 0) return <p class="muted">Nothing would change</p>;
  return (
    <ScrollBox class="diff" label="Difference">
      <pre>
        {lines.slice(0, mostLines).map(({ is, text }, at) => (
          <span key={`${at} ${text}`} class={`diff-${is}`}>{`${marks[is]} ${text}\n`}</span>
        ))}
      </pre>
      {lines.length > mostLines && <p class="muted">and {lines.length - mostLines} more lines</p>}
    </ScrollBox>
  );
}
