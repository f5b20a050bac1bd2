import type { Runtime } from "@trivium/runtime";

/** Where the operator of a story sits: it can leave, and another one, who remembers nothing, take its place. */
export class OperatorHarness {
  readonly #open: () => Runtime;
  #runtime: Runtime | undefined;

  constructor(open: () => Runtime) {
    this.#open = open;
  }

  /** Nobody or one. */
  get taken(): readonly Runtime[] {
    return this.#runtime === undefined ? [] : [this.#runtime];
  }

  async start(): Promise<void> {
    if (this.#runtime !== undefined) throw new Error("the operator is there already");
    this.#runtime = this.#open();
    await this.#runtime.start();
  }

  async stop(): Promise<void> {
    const leaving = this.#runtime;
    this.#runtime = undefined;
    await leaving?.stop();
  }
}
