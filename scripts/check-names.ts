/** Refuses names in code that a reader has to guess at. `docs/internals/writing.md` says how names are chosen. */
import { globSync, readFileSync } from "node:fs";
import { findNames } from "./language/names.ts";

const isChecked = (file: string): boolean => !/(?:^|\/)(?:node_modules|generated|dist|scripts\/language)\//.test(file);

const files = globSync("{packages,apps,scripts,bench,tools}/**/*.ts", { exclude: (path) => !isChecked(`${path}/`) });
const faults = files
  .sort()
  .flatMap((file) =>
    findNames(readFileSync(file, "utf8")).map(({ name, line, instead }) => `${file}:${line}: ${name}: use ${instead}`),
  );
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);
console.log(`names of ${files.length} files are plain`);
