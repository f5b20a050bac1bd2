/** Import cycles, large folders, emitters in `lower`, matching of messages and conditions of dialects in apps: refused. */
import { readSources } from "./architecture.ts";
import { conditionTypes } from "./structure/condition-types.ts";
import { judgeFaults } from "./structure/exceptions.ts";
import {
  findConditionTypes,
  findCycles,
  findEmittersInLower,
  findLargeFolders,
  findMessageMatching,
} from "./structure/rules.ts";

const files = readSources(process.cwd());
const found = judgeFaults([
  ...findCycles(files),
  ...findLargeFolders(files),
  ...findEmittersInLower(files),
  ...findMessageMatching(files),
  ...findConditionTypes(files, conditionTypes()),
]);
for (const line of found) console.error(line);
if (found.length > 0) process.exit(1);
console.log(`${files.length} files keep the rules of the structure`);
