import { useEffect, useRef } from "preact/hooks";

export interface TabLinksProps {
  readonly label: string;
  readonly class?: string;
  readonly links: readonly { readonly title: string; readonly href: string; readonly isCurrent: boolean }[];
}

/** Links to pages or views beside each other. On a narrow screen they scroll, and the current one is in view. */
export function TabLinks({ label, class: name, links }: TabLinksProps) {
  const box = useRef<HTMLElement>(null);
  const current = links.find(({ isCurrent }) => isCurrent)?.title;
  useEffect(() => {
    box.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [current]);
  return (
    <nav class={name} aria-label={label} ref={box}>
      <ul>
        {links.map(({ title, href, isCurrent }) => (
          <li key={title}>
            <a href={href} data-title={title} aria-current={isCurrent ? "page" : undefined}>
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
