import { Worker } from "node:worker_threads";
import type { Ending, FromModel, LoadedModel, LoadOrder, Piece, Requests, Run, ToModel } from "./messages.ts";
import { SamplingWatch, stallCounter } from "./sampling-watch.ts";

export interface Listener {
  piece(piece: Piece): void;
  end(ending: Ending): void;
}

/** Native code refused what it was asked, in its own words. */
export class ModelRefusal extends Error {}

interface Asked {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** The HTTP side's end of the thread that owns the model. */
export class Model {
  readonly loaded: Promise<LoadedModel>;
  /** Fails when the thread ends; it never ends well. */
  readonly ended: Promise<never>;
  readonly file: LoadOrder["file"];
  readonly batchSize: number;
  readonly #worker: Worker;
  readonly #asked = new Map<number, Asked>();
  readonly #listeners = new Map<number, Listener>();
  #lastId = 0;

  /** `samplingSeconds`: after so long, the choice of one token is taken for one that never ends. */
  constructor(program: URL, order: Omit<LoadOrder, "sampling">, samplingSeconds: number) {
    this.file = order.file;
    this.batchSize = order.batchSize;
    const watch = new SamplingWatch();
    this.#worker = new Worker(program, { workerData: { ...order, sampling: watch.memory } satisfies LoadOrder });
    const isStalled = stallCounter(watch, samplingSeconds);
    this.ended = new Promise((_, reject) => {
      setInterval(() => isStalled() && reject(new Error(stalled(samplingSeconds))), 1_000).unref();
      this.#worker.on("error", reject);
      this.#worker.on("exit", () => reject(new Error("the thread of the model has stopped")));
    });
    // Told once by `loaded`; a second, unheard failure would end the process before the reason is written.
    this.ended.catch(() => {});
    this.loaded = new Promise((resolve, reject) => {
      this.#worker.on("message", (batch: FromModel[]) => {
        for (const message of batch) {
          if (message.is === "loaded") resolve(message.model);
          else if (message.is === "unloadable") reject(new Error(message.why));
          else this.#take(message);
        }
      });
      this.ended.catch(reject);
    });
  }

  /** Until this is called the thread has opened the library, and not the model. */
  load(): void {
    this.#send({ do: "load" });
  }

  ask<Q extends keyof Requests>(request: Q, given: Requests[Q][0]): Promise<Requests[Q][1]> {
    const id = ++this.#lastId;
    this.#send({ do: "ask", id, request, given });
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve: (value) => resolve(value as Requests[Q][1]), reject });
    });
  }

  /** Starts a completion at once; the caller has a slot for it. Returns the way to end it early; its end is heard in any case. */
  run(run: Run, listener: Listener): () => void {
    const id = ++this.#lastId;
    this.#listeners.set(id, listener);
    this.#send({ do: "run", id, run });
    return () => {
      if (this.#listeners.has(id)) this.#send({ do: "cancel", id });
    };
  }

  #send(message: ToModel): void {
    this.#worker.postMessage(message);
  }

  #take(message: Exclude<FromModel, { is: "loaded" | "unloadable" }>): void {
    switch (message.is) {
      case "answer":
        this.#asked.get(message.id)?.resolve(message.value);
        this.#asked.delete(message.id);
        return;
      case "refused":
        this.#asked.get(message.id)?.reject(new ModelRefusal(message.why));
        this.#asked.delete(message.id);
        return;
      case "piece":
        this.#listeners.get(message.id)?.piece(message.piece);
        return;
      case "end": {
        const listener = this.#listeners.get(message.id);
        this.#listeners.delete(message.id);
        listener?.end(message.ending);
      }
    }
  }
}

const stalled = (seconds: number): string =>
  `choosing one token takes longer than ${seconds}s: llama.cpp cannot follow a grammar or JSON schema of a request; ` +
  "simplify repetitions of what can be empty, and repetitions inside repetitions";
