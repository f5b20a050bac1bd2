import type { Sequence } from "../sequence.ts";
import { apply } from "./apply.ts";
import { basics } from "./basics.ts";
import { builtIn } from "./built-in.ts";
import { custom } from "./custom.ts";
import { patches } from "./patches.ts";
import { reading } from "./reading.ts";
import { watching } from "./watching.ts";
import { writing } from "./writing.ts";

export const sequences: readonly Sequence[] = [
  ...basics,
  ...apply,
  ...patches,
  ...reading,
  ...watching,
  ...custom,
  ...writing,
  ...builtIn,
];
