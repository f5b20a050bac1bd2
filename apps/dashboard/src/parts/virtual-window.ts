/** Which of many rows of one height are drawn: those that can be seen, and some around them. */
export interface RowWindow {
  readonly first: number;
  readonly end: number;
  /** Height of what is left out above and below, in pixels. */
  readonly above: number;
  readonly below: number;
}

export interface Scrolled {
  readonly count: number;
  readonly rowHeight: number;
  readonly top: number;
  readonly height: number;
}

const around = 12;

export function windowOf({ count, rowHeight, top, height }: Scrolled): RowWindow {
  const first = Math.max(0, Math.min(count, Math.floor(top / rowHeight)) - around);
  const end = Math.min(count, Math.ceil((top + height) / rowHeight) + around);
  return { first, end, above: first * rowHeight, below: (count - end) * rowHeight };
}
