import { randomUUID } from "node:crypto";
import type { NativeEvent } from "../binding.ts";
import type { Piece, ToolCallSoFar } from "./messages.ts";

/** Turns what native code repeats with every token (all that was parsed so far) into differences. */
export class PieceMaker {
  readonly isParsed: boolean;
  #content = "";
  #reasoning = "";
  readonly #ids: string[] = [];

  constructor(isParsed: boolean) {
    this.isParsed = isParsed;
  }

  pieceOf(event: NativeEvent): Piece {
    if (!this.isParsed) return { text: event.token ?? "", tokens: 1 };
    const text = this.#grow("#content", event.content ?? "");
    const reasoning = this.#grow("#reasoning", event.reasoning_content ?? "");
    const toolCalls = event.tool_calls?.map((call, at): ToolCallSoFar => {
      this.#ids[at] ??= call.id || `call_${randomUUID().replaceAll("-", "").slice(0, 24)}`;
      return { id: this.#ids[at], name: call.function.name, arguments: call.function.arguments };
    });
    const tokens = event.token === undefined ? 0 : 1;
    return {
      text,
      tokens,
      ...(reasoning === "" ? {} : { reasoning }),
      ...(toolCalls === undefined ? {} : { toolCalls }),
    };
  }

  /** A parser may take back what it took for content; only what goes on is passed on. */
  #grow(field: "#content" | "#reasoning", now: string): string {
    const before = field === "#content" ? this.#content : this.#reasoning;
    if (!now.startsWith(before) || now.length === before.length) return "";
    if (field === "#content") this.#content = now;
    else this.#reasoning = now;
    return now.slice(before.length);
  }
}
