import type { Sequence } from "../sequence.ts";
import { apply } from "./apply.ts";
import { basics } from "./basics.ts";
import { patches } from "./patches.ts";
import { reading } from "./reading.ts";
import { watching } from "./watching.ts";

export const sequences: readonly Sequence[] = [...basics, ...apply, ...patches, ...reading, ...watching];
