import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { ScrollBox } from "./scroll-box.tsx";
import { windowOf } from "./virtual-window.ts";

export interface VirtualTableProps<T> {
  readonly caption: string;
  readonly head: JSX.Element;
  readonly columns: number;
  readonly rows: readonly T[];
  row(item: T, at: number): JSX.Element;
  /** Shown in place of the rows where there are none. */
  readonly children?: ComponentChildren;
}

/** In pixels; the style sheet has the same. */
const rowHeight = 44;

/** A table of any length: rows have one height, and only those in view are in the document. */
export function VirtualTable<T>({ caption, head, columns, rows, row, children }: VirtualTableProps<T>) {
  const box = useRef<HTMLDivElement>(null);
  const [{ top, height }, setScrolled] = useState({ top: 0, height: 900 });
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const measure = () => setScrolled({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, []);
  const { first, end, above, below } = windowOf({ count: rows.length, rowHeight, top, height });
  return (
    <ScrollBox class="table-box" box={box} label={caption}>
      <table class="table" aria-rowcount={rows.length + 1}>
        {head}
        <tbody>
          {above > 0 && <Spacer columns={columns} height={above} />}
          {rows.slice(first, end).map((item, at) => row(item, first + at))}
          {below > 0 && <Spacer columns={columns} height={below} />}
        </tbody>
      </table>
      {rows.length === 0 && children}
    </ScrollBox>
  );
}

const Spacer = ({ columns, height }: { readonly columns: number; readonly height: number }) => (
  <tr class="spacer">
    <td colSpan={columns} style={{ height: `${height}px` }} />
  </tr>
);
