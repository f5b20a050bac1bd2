import type { Sequence } from "../sequence.ts";
import { access } from "./access.ts";
import { apply } from "./apply.ts";
import { applyToCustom } from "./apply-to-custom.ts";
import { applyToLists } from "./apply-to-lists.ts";
import { basics } from "./basics.ts";
import { builtIn } from "./built-in.ts";
import { custom } from "./custom.ts";
import { definitions } from "./definitions.ts";
import { deletion } from "./deletion.ts";
import { dryRuns } from "./dry-run.ts";
import { limitRanges } from "./limits.ts";
import { spaces } from "./namespaces.ts";
import { patches } from "./patches.ts";
import { reading } from "./reading.ts";
import { strategic } from "./strategic.ts";
import { subresources } from "./subresources.ts";
import { validation } from "./validation.ts";
import { watching } from "./watching.ts";

export const sequences: readonly Sequence[] = [
  ...basics,
  ...apply,
  ...applyToLists,
  ...applyToCustom,
  ...strategic,
  ...patches,
  ...reading,
  ...watching,
  ...custom,
  ...definitions,
  ...dryRuns,
  ...validation,
  ...deletion,
  ...subresources,
  ...spaces,
  ...access,
  ...limitRanges,
  ...builtIn,
];
