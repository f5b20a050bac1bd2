import {
  ApiError,
  type Kind,
  type KubeClient,
  type KubeObject,
  type StatusReason,
  type WatchEvent,
} from "@trivium/kube";
import { turns } from "./turns.ts";

/** What goes wrong with one call or one event of a watch. */
export type Fault = "none" | "slow" | "refused" | "conflict" | "lost-answer" | "repeat" | "disconnect" | "gone";

export interface FaultyClient extends KubeClient {
  /** From now on nothing goes wrong. */
  heal(): void;
}

/**
 * A client whose network and server misbehave, as `next` says call by call. Writes can be refused (500), lose a race (409), or be
 * carried out while their answer is lost. Watches can repeat an event, break off before one, or be told that history is gone.
 * No event is swallowed while a watch goes on: HTTP does not do that.
 */
export function faultyClient(client: KubeClient, next: () => Fault): FaultyClient {
  let isHealed = false;
  const draw = (): Fault => (isHealed ? "none" : next());

  const hinder = async <T>(call: () => Promise<T>, isWrite: boolean): Promise<T> => {
    switch (draw()) {
      case "slow":
        await turns(4);
        return call();
      case "refused":
        throw failure(500, "InternalError", "the server is having a bad moment");
      case "conflict":
        if (isWrite) throw failure(409, "Conflict", "the object has been modified");
        return call();
      case "gone":
        if (!isWrite) throw failure(410, "Expired", "the provided continue parameter is too old");
        return call();
      case "lost-answer":
        await call();
        throw failure(0, undefined, "the connection broke before the answer");
      default:
        return call();
    }
  };

  async function* watch<O extends KubeObject>(events: AsyncIterable<WatchEvent<O>>): AsyncGenerator<WatchEvent<O>> {
    let last: WatchEvent<O> | undefined;
    for await (const event of events) {
      const fault = draw();
      if (fault === "disconnect" || fault === "lost-answer") throw failure(0, undefined, "the connection broke");
      if (fault === "refused") return;
      if (fault === "gone") throw failure(410, "Expired", "too old resource version");
      if (fault === "slow") await turns(4);
      // An event from before the last one is what a resumed watch may show again. Receivers keep objects, so each gets its own.
      if (fault === "repeat" && last !== undefined) yield structuredClone(last);
      yield event;
      last = fault === "repeat" ? undefined : structuredClone(event);
    }
  }

  return {
    ...client,
    get: (kind, ref, options) => hinder(() => client.get(kind, ref, options), false),
    list: (kind, options) => hinder(() => client.list(kind, options), false),
    watch: <O extends KubeObject>(kind: Kind<O>, options = {}) => watch<O>(client.watch(kind, options)),
    create: (kind, object, options) => hinder(() => client.create(kind, object, options), true),
    replace: (kind, object, options) => hinder(() => client.replace(kind, object, options), true),
    patch: (kind, ref, patch, options) => hinder(() => client.patch(kind, ref, patch, options), true),
    apply: (kind, object, options) => hinder(() => client.apply(kind, object, options), true),
    delete: (kind, ref, options) => hinder(() => client.delete(kind, ref, options), true),
    heal() {
      isHealed = true;
    },
  };
}

function failure(code: number, reason: StatusReason | undefined, message: string): ApiError {
  const head = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code } as const;
  return new ApiError(reason === undefined ? head : { ...head, reason });
}
