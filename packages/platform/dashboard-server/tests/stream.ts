import type { IncomingMessage } from "node:http";
import { until } from "@trivium/testkit";
import type { ErrorLine, EventLine, ListLine, WatchLine, WatchSpec } from "../src/contract.ts";
import { open } from "./fixture.ts";

type Named = { readonly metadata: { readonly name: string; readonly managedFields?: unknown } };

/** The lines of a stream of watches as they arrive. */
export interface Stream {
  readonly lines: WatchLine<Named>[];
  readonly isEnded: boolean;
  list(id: string): Promise<ListLine<Named>>;
  event(id: string, name: string, type?: string): Promise<EventLine<Named>>;
  error(id: string): Promise<ErrorLine>;
  close(): void;
}

export function openStream(port: number, cookie: string, watches: readonly WatchSpec[]): Stream {
  const lines: WatchLine<Named>[] = [];
  const state = { isEnded: false };
  const outgoing = open(port, "/k8s-watch", { method: "POST", cookie, body: { watches } });
  outgoing.on("error", () => {
    state.isEnded = true;
  });
  outgoing.on("response", (incoming: IncomingMessage) => {
    let rest = "";
    incoming.setEncoding("utf8");
    incoming.on("data", (piece: string) => {
      rest += piece;
      if (!piece.includes("\n")) return;
      const whole = rest.split("\n");
      rest = whole.pop() ?? "";
      lines.push(...whole.map((line) => JSON.parse(line) as WatchLine<Named>));
    });
    incoming.on("close", () => {
      state.isEnded = true;
    });
  });
  const find = async <Line extends WatchLine<Named>>(what: string, isIt: (line: WatchLine<Named>) => boolean) => {
    await until(() => lines.some(isIt), what);
    return lines.find(isIt) as Line;
  };
  return {
    lines,
    get isEnded() {
      return state.isEnded;
    },
    list: (id) => find<ListLine<Named>>(`LIST of ${id}`, (line) => line.type === "LIST" && line.id === id),
    event: (id, name, type = "ADDED") =>
      find<EventLine<Named>>(`${type} ${name} of ${id}`, (line) => {
        if (line.type !== type || !("object" in line)) return false;
        return line.id === id && line.object.metadata.name === name;
      }),
    error: (id) => find<ErrorLine>(`ERROR of ${id}`, (line) => line.type === "ERROR" && line.id === id),
    close: () => void outgoing.destroy(),
  };
}
