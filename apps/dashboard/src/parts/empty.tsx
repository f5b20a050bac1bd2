import type { ComponentChildren } from "preact";
import { Command } from "./command.tsx";

export interface EmptyProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** A command that changes it. */
  readonly command?: string;
}

/** What a page without content says: what it will show, and one command that makes it happen. */
export const Empty = ({ title, children, command }: EmptyProps) => (
  <div class="empty">
    <h2>{title}</h2>
    <p>{children}</p>
    {command !== undefined && <Command text={command} />}
  </div>
);

/** Of the same height as what follows it. */
export const Loading = ({ what }: { readonly what: string }) => (
  <p class="loading" role="status">
    Loading {what} …
  </p>
);
