/** Values by name, of which those that were not asked for lately are forgotten: at most twice as many are kept as given. */
export class Recent<T> {
  readonly #max: number;
  #now = new Map<string, T>();
  #before = new Map<string, T>();

  constructor(max: number) {
    this.#max = max;
  }

  get(name: string): T | undefined {
    const found = this.#now.get(name);
    if (found !== undefined) return found;
    const former = this.#before.get(name);
    if (former !== undefined) this.set(name, former);
    return former;
  }

  set(name: string, value: T): void {
    if (this.#now.size >= this.#max) {
      this.#before = this.#now;
      this.#now = new Map();
    }
    this.#now.set(name, value);
  }

  delete(name: string): void {
    this.#now.delete(name);
    this.#before.delete(name);
  }

  clear(): void {
    this.#now.clear();
    this.#before.clear();
  }
}
