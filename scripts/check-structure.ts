/** Exports that no other package uses, import cycles, large folders, long files, kinds of another form, emitters in `lower`, matching of messages, conditions of dialects in apps and hooks for the tests of other files: refused. */
import { globSync, readFileSync } from "node:fs";
import { readSources } from "./architecture.ts";
import { conditionTypes } from "./structure/condition-types.ts";
import { judgeFaults } from "./structure/exceptions.ts";
import { findUnusedExports } from "./structure/exports.ts";
import {
  findConditionTypes,
  findCycles,
  findEmittersInLower,
  findForms,
  findLargeFolders,
  findLongFiles,
  findMessageMatching,
  findSharedHooks,
  findWrittenObjects,
} from "./structure/rules.ts";

const files = readSources(process.cwd());
/** Programs beside the packages use them, too. */
const programs = globSync("{scripts,bench,tools}/**/*.ts", { exclude: ["**/node_modules"] }).map((path) => ({
  path,
  text: readFileSync(path, "utf8"),
}));
const found = judgeFaults([
  ...findCycles(files),
  ...findLargeFolders(files),
  ...findLongFiles(files),
  ...findForms(files),
  ...findEmittersInLower(files),
  ...findMessageMatching(files),
  ...findWrittenObjects(files),
  ...findConditionTypes(files, conditionTypes()),
  ...findSharedHooks([...files, ...programs]),
  ...findUnusedExports([...files, ...programs]),
]);
for (const line of found) console.error(line);
if (found.length > 0) process.exit(1);
console.log(`${files.length} files keep the rules of the structure`);
