import { assertNever } from "@trivium/std";
import type { Assertion, Node } from "./syntax.ts";

/** A pattern as instructions of a machine that follows all alternatives at once. */
export type Instruction =
  | { readonly do: "match" }
  | { readonly do: "read"; readonly ranges: readonly number[]; readonly next: number }
  | { readonly do: "assert"; readonly at: Assertion; readonly next: number }
  /** Both ways; the first is preferred. */
  | { readonly do: "split"; readonly next: number; readonly other: number };

export interface Program {
  readonly code: readonly Instruction[];
  readonly start: number;
}

/** Instructions are written back to front, so that each knows where it leads. */
export function compileProgram(tree: Node): Program {
  const code: Instruction[] = [{ do: "match" }];
  const emit = (instruction: Instruction) => code.push(instruction) - 1;

  function write(node: Node, next: number): number {
    switch (node.is) {
      case "empty":
        return next;
      case "class":
        return emit({ do: "read", ranges: node.ranges, next });
      case "assert":
        return emit({ do: "assert", at: node.at, next });
      case "sequence":
        return node.parts.reduceRight((after, part) => write(part, after), next);
      case "choice": {
        const ways = node.options.map((option) => write(option, next));
        return ways.reduceRight((other, way) => emit({ do: "split", next: way, other }));
      }
      case "repeat":
        return writeRepeat(node, next);
      default:
        return assertNever(node);
    }
  }

  function split(inside: number, after: number, isLazy: boolean): number {
    return emit(isLazy ? { do: "split", next: after, other: inside } : { do: "split", next: inside, other: after });
  }

  function writeRepeat(node: Node & { is: "repeat" }, next: number): number {
    let entry = next;
    if (node.max === Number.POSITIVE_INFINITY) {
      const loop = emit({ do: "split", next, other: next });
      const body = write(node.of, loop);
      code[loop] = node.isLazy ? { do: "split", next, other: body } : { do: "split", next: body, other: next };
      entry = loop;
    } else {
      for (let count = node.min; count < node.max; count++) entry = split(write(node.of, entry), next, node.isLazy);
    }
    for (let count = 0; count < node.min; count++) entry = write(node.of, entry);
    return entry;
  }

  return { start: write(tree, 0), code };
}
