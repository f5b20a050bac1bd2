/** Values by name, of which those that were not asked for lately are forgotten: at most twice as many are kept as given. */
export class Recent<T, K = string> {
  readonly #max: number;
  #now = new Map<K, T>();
  #before = new Map<K, T>();

  constructor(max: number) {
    this.#max = max;
  }

  get(name: K): T | undefined {
    const found = this.#now.get(name);
    if (found !== undefined) return found;
    const former = this.#before.get(name);
    if (former !== undefined) this.set(name, former);
    return former;
  }

  set(name: K, value: T): void {
    if (this.#now.size >= this.#max) {
      this.#before = this.#now;
      this.#now = new Map();
    }
    this.#now.set(name, value);
  }

  delete(name: K): void {
    this.#now.delete(name);
    this.#before.delete(name);
  }

  clear(): void {
    this.#now.clear();
    this.#before.clear();
  }
}
