import { showUri } from "../sources/uri.ts";
import type { Manifest } from "../store/manifest.ts";
import type { Store } from "../store/store.ts";

/** Which model of a store is there for an address: looked up once for all, since a node may hold hundreds. */
export class Inventory {
  readonly #store: Store;
  #keys: Promise<Map<string, string>> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The model that was fetched from there last, if all of it is still there. */
  async findWhole(uri: string): Promise<Manifest | undefined> {
    // A signed address is never the same wish again.
    if (showUri(uri) !== uri) return undefined;
    this.#keys ??= this.#read();
    const key = (await this.#keys).get(uri);
    return key === undefined ? undefined : this.#store.findWhole(key);
  }

  async note({ source, key }: Manifest): Promise<void> {
    (await this.#keys)?.set(source, key);
  }

  async #read(): Promise<Map<string, string>> {
    const models = await this.#store.list();
    return new Map(models.filter(({ include }) => include.length === 0).map(({ source, key }) => [source, key]));
  }
}
