import { useState } from "preact/hooks";
import { ScrollBox } from "./scroll-box.tsx";

/** Text to copy: a command, a request, a script. */
export const Command = ({ text, label = "Copy" }: { readonly text: string; readonly label?: string }) => (
  <div class={text.includes("\n") ? "command command-long" : "command"}>
    <ScrollBox label="Text to copy">
      <pre>{text}</pre>
    </ScrollBox>
    <CopyButton text={text} label={label} />
  </div>
);

/** Copies a text that the page shows elsewhere, or is too long to show. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <button type="button" class="quiet" onClick={copy} aria-live="polite">
      {isCopied ? "Copied" : label}
    </button>
  );
}
