import { useState } from "preact/hooks";
import { ScrollBox } from "./scroll-box.tsx";

/** Text to copy: a command, a request, a script. */
export function Command({ text, label = "Copy" }: { readonly text: string; readonly label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <div class={text.includes("\n") ? "command command-long" : "command"}>
      <ScrollBox label="Text to copy">
        <pre>{text}</pre>
      </ScrollBox>
      <button type="button" class="quiet" onClick={copy} aria-live="polite">
        {isCopied ? "Copied" : label}
      </button>
    </div>
  );
}
