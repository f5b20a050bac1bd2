import { WeightsError } from "../fault.ts";
import { maxFiles } from "../sources/relative-path.ts";

/** A chain of links longer than this is taken for a circle. */
const longestChain = 16;

/**
 * What archives laid on top of each other amount to, by name alone. Nothing is written under the names of an archive before all of
 * them are known, so no link can lead a later file astray.
 */
export class ArchiveTree<F> {
  readonly #shownAs: string;
  readonly #files = new Map<string, F>();
  readonly #links = new Map<string, string>();

  constructor(shownAs: string) {
    this.#shownAs = shownAs;
  }

  /** The name of an entry without what says nothing; throws where it leads out. */
  place(path: string): string {
    const words = path.split("/").filter((word) => word !== "" && word !== ".");
    if (words.includes("..")) throw this.#unsafe(path, "points outside of the archive");
    return words.join("/");
  }

  put(path: string, file: F): void {
    this.remove(path);
    this.#files.set(path, file);
    if (this.#files.size > maxFiles)
      throw new WeightsError("refused", "TooManyFiles", `${this.#shownAs}: more than ${maxFiles} files`);
  }

  /** A second name of an earlier file. */
  hardLink(path: string, target: string): void {
    const file = this.#files.get(this.place(target));
    if (file === undefined) throw this.#unsafe(path, "is a link to a missing file");
    this.put(path, file);
  }

  symlink(path: string, target: string): void {
    this.remove(path);
    this.#links.set(path, this.#aim(path, target));
  }

  /** Removes a name and all under it: what an upper layer of an image says of a lower one. */
  remove(path: string): void {
    for (const names of [this.#files, this.#links]) {
      names.delete(path);
      for (const name of names.keys()) if (name.startsWith(`${path}/`)) names.delete(name);
    }
  }

  removeUnder(path: string): void {
    for (const names of [this.#files, this.#links])
      for (const name of names.keys()) if (path === "" || name.startsWith(`${path}/`)) names.delete(name);
  }

  /** All files under a folder by their names inside it, with links resolved. A link that leads out of the folder is refused. */
  under(root: string): Map<string, F> {
    const found = new Map<string, F>();
    for (const [path, file] of this.#files) if (path.startsWith(root)) found.set(path.slice(root.length), file);
    for (const path of this.#links.keys()) {
      if (!path.startsWith(root)) continue;
      const target = this.#follow(path);
      if (!target.startsWith(root)) throw this.#unsafe(path, "is a link that points outside of the archive");
      const file = this.#files.get(target);
      if (file !== undefined) found.set(path.slice(root.length), file);
      for (const [name, each] of this.#files)
        if (name.startsWith(`${target}/`)) found.set(`${path}${name.slice(target.length)}`.slice(root.length), each);
      if (found.size > maxFiles) throw new WeightsError("refused", "TooManyFiles", `${this.#shownAs}: circular links`);
    }
    return found;
  }

  #follow(path: string): string {
    let at = path;
    for (let step = 0; step < longestChain; step++) {
      const next = this.#links.get(at);
      if (next === undefined) return at;
      at = next;
    }
    throw this.#unsafe(path, "is a circular link");
  }

  #aim(path: string, target: string): string {
    const words = target.startsWith("/") ? [] : path.split("/").slice(0, -1);
    for (const word of target.split("/")) {
      if (word === "" || word === ".") continue;
      if (word !== "..") words.push(word);
      else if (words.pop() === undefined) throw this.#unsafe(path, "is a link that points outside of the archive");
    }
    return words.join("/");
  }

  #unsafe(path: string, what: string): WeightsError {
    return new WeightsError("refused", "UnsafePath", `${this.#shownAs}: ${JSON.stringify(path.slice(0, 80))} ${what}`);
  }
}
