import { diffLines, nearChanges } from "./diff-lines.ts";
import { ScrollBox } from "./scroll-box.tsx";

const marks = { same: " ", added: "+", removed: "-" } as const;

/** What differs between two texts. */
export function Diff({ before, after }: { readonly before: string; readonly after: string }) {
  const lines = nearChanges(diffLines(before, after));
  if (lines.length === 0) return <p class="muted">Nothing would change</p>;
  return (
    <ScrollBox class="diff" label="Difference">
      <pre>
        {lines.map(({ is, text }, at) => (
          <span key={`${at} ${text}`} class={`diff-${is}`}>{`${marks[is]} ${text}\n`}</span>
        ))}
      </pre>
    </ScrollBox>
  );
}
