import type { Status } from "@trivium/kube";
import { textAt } from "../../storage/storage.ts";
import type { Stored, StoreEvent } from "../../store/store.ts";
import { type BookmarkMeta, renderBookmark, renderEventObject, type View } from "../../view/view.ts";
import type { LineQueue } from "./line-queue.ts";

type EventType = "ADDED" | "MODIFIED" | "DELETED";

/** Events as lines, by view and type. An event is written once, however many watchers of that view there are. */
const written = new WeakMap<StoreEvent, Map<string, string>>();

/** Writes the lines of one watch into its queue. */
export class EventLines {
  readonly #view: View;
  readonly #queue: LineQueue;
  #isFirst = true;

  constructor(view: View, queue: LineQueue) {
    this.#view = view;
    this.#queue = queue;
  }

  /** An object that is there when the watch begins. */
  add(type: EventType, stored: Stored): void {
    this.#queue.push(this.#line(type, textAt(this.#view.resource, stored)), true);
  }

  addEvent(event: StoreEvent, type: EventType): void {
    // The first table of a watch carries its columns, so it is nobody else's.
    if (this.#isFirst && this.#view.as === "table") {
      this.#queue.push(this.#line(type, this.#textOf(event, type)));
      return;
    }
    const lines = written.get(event) ?? new Map<string, string>();
    const key = `${type} ${this.#view.key}`;
    let line = lines.get(key);
    if (line === undefined) {
      line = this.#line(type, this.#textOf(event, type));
      lines.set(key, line);
      written.set(event, lines);
    }
    this.#queue.push(line);
  }

  addBookmark(revision: number): void {
    this.#pushBookmark({ resourceVersion: String(revision) });
  }

  /** Tells the watcher that it has seen everything that was there when it began. */
  addInitialEventsEnd(revision: number): void {
    this.#pushBookmark({
      resourceVersion: String(revision),
      annotations: { "k8s.io/initial-events-end": "true" },
    });
  }

  addError(status: Status): void {
    this.#queue.push(`{"type":"ERROR","object":${JSON.stringify(status)}}\n`);
  }

  /** An object that leaves a selection is shown as it was when it left, at the revision of the change. */
  #textOf(event: StoreEvent, type: EventType): string {
    const { resource } = this.#view;
    if (type !== "DELETED" || event.type === "DELETED" || event.previous === undefined)
      return textAt(resource, event.object);
    const object = JSON.parse(textAt(resource, event.previous)) as { metadata: { resourceVersion: string } };
    object.metadata.resourceVersion = String(event.revision);
    return JSON.stringify(object);
  }

  #line(type: EventType, text: string): string {
    const object = renderEventObject(this.#view, text, this.#isFirst);
    this.#isFirst = false;
    return `{"type":"${type}","object":${object}}\n`;
  }

  #pushBookmark(metadata: BookmarkMeta): void {
    this.#queue.push(`{"type":"BOOKMARK","object":${renderBookmark(this.#view, metadata)}}\n`);
  }
}
