import type { Runtime } from "@trivium/runtime";
import type { JsonObject } from "@trivium/std";

/** Where the operator of a story sits: it can leave, and another one, who remembers nothing, take its place. */
export class OperatorHarness {
  readonly #open: (options: JsonObject) => Runtime;
  #runtime: Runtime | undefined;

  constructor(open: (options: JsonObject) => Runtime) {
    this.#open = open;
  }

  /** Nobody or one. */
  get taken(): readonly Runtime[] {
    return this.#runtime === undefined ? [] : [this.#runtime];
  }

  async start(options: JsonObject = {}): Promise<void> {
    if (this.#runtime !== undefined) throw new Error("the operator is there already");
    this.#runtime = this.#open(options);
    await this.#runtime.start();
  }

  async stop(): Promise<void> {
    const leaving = this.#runtime;
    this.#runtime = undefined;
    await leaving?.stop();
  }
}
