import { printableWithColours } from "./print.ts";
import { isQuiet } from "./quiet.ts";

/** Where a command prints: a terminal gets colours and lines that are rewritten, a pipe gets plain lines. */
export interface Screen {
  /** States replace each other in one line, so they can follow each other quickly. */
  readonly isRewritten: boolean;
  line(text: string): void;
  /**
   * A state that replaces the one before; in a pipe each is a line, and the same one is not repeated. On a terminal it is drawn again when
   * the width changes.
   */
  state(text: StateText): void;
  /** Ends a rewritten line. */
  done(): void;
  dim(text: string): string;
  bold(text: string): string;
}

/** A text, or one that depends on the number of columns. */
export type StateText = string | ((columns: number) => string);

interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  on?(event: "resize", listener: () => void): unknown;
  off?(event: "resize", listener: () => void): unknown;
}

/** Of a pipe, which has no width of its own. */
const defaultColumns = 80;

export function openScreen(out: Output, environment: NodeJS.ProcessEnv): Screen {
  // A dumb terminal cannot rewrite a line.
  const isTerminal = out.isTTY === true && environment.TERM !== "dumb";
  const hasColour = isTerminal && !environment.NO_COLOR;
  const paint = (code: number) => (text: string) => (hasColour ? `\x1b[${code}m${text}\x1b[0m` : text);
  const rewriting = isTerminal ? rewriteOn(out) : printOn(out);
  return {
    ...rewriting,
    isRewritten: isTerminal,
    line(text) {
      rewriting.done();
      out.write(`${printableWithColours(text)}\n`);
    },
    dim: paint(2),
    bold: paint(1),
  };
}

type Rewriting = Pick<Screen, "state" | "done">;

const textOf = (state: StateText, columns: number): string =>
  printableWithColours(typeof state === "string" ? state : state(columns));

function printOn(out: Output): Rewriting {
  let last = "";
  return {
    state(state) {
      const text = textOf(state, defaultColumns);
      if (text !== last) out.write(`${text}\n`);
      last = text;
    },
    done() {
      last = "";
    },
  };
}

function rewriteOn(out: Output): Rewriting {
  let shown = "";
  let current: StateText | undefined;
  const draw = (): void => {
    if (current === undefined) return;
    // The last column stays empty: some terminals wrap after it.
    const columns = Math.max(2, out.columns ?? defaultColumns);
    const text = textOf(current, columns).slice(0, columns - 1);
    if (text !== shown) out.write(`${clearLine(shown, columns)}${text}`);
    shown = text;
  };
  return {
    state(state) {
      if (current === undefined) out.on?.("resize", draw);
      current = state;
      draw();
    },
    done() {
      if (current !== undefined) out.write("\n");
      out.off?.("resize", draw);
      current = undefined;
      shown = "";
    },
  };
}

/** A terminal that became narrower has wrapped the line: all its rows are cleared. */
function clearLine(shown: string, columns: number): string {
  const rowsAbove = Math.max(0, Math.ceil(shown.length / columns) - 1);
  return rowsAbove === 0 ? "\r\x1b[K" : `\r\x1b[${rowsAbove}A\x1b[J`;
}

/** For a person who wants results only. */
export const silentScreen: Screen = { isRewritten: false, line() {}, state() {}, done() {}, dim: String, bold: String };

/** Announces on a terminal what takes seconds; scripts get results alone. */
export function announce(text: string): void {
  if (process.stderr.isTTY === true && !isQuiet()) process.stderr.write(`${text}\n`);
}
