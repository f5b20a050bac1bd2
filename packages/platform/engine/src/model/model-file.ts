import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { ModelFileError } from "./model-header.ts";

/**
 * The file that a path means. A folder that holds one model means that model: whoever fetched it may know only the folder. Of a model in
 * parts the first is named; projectors for images are no models.
 */
export function modelFileOf(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return path;
  const models = readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".gguf") && !name.split("/").some((part) => part.startsWith(".")))
    .filter((name) => !basename(name).startsWith("mmproj"))
    .filter((name) => !/-(?!00001)\d{5}-of-\d{5}\.gguf$/.test(name))
    .sort();
  const [only] = models;
  if (only === undefined) throw new ModelFileError(`cannot load model ${path}: the folder contains no .gguf file`);
  if (models.length === 1) return join(path, only);
  const names = models.slice(0, 5).join(", ");
  throw new ModelFileError(
    `cannot load model ${path}: the folder contains several models (${names}); pass one of the files`,
  );
}
