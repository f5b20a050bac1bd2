import type { WeightsReader } from "@trivium/domain";
import { downloadOf } from "./download-of.ts";
import { sourceOf } from "./source-of.ts";
import { storedOf } from "./stored-of.ts";
import { weightsOf } from "./weights-of.ts";

/** Reads what objects report of their weights. It needs no definition of a kind, which a page would have to load. */
export const weightsReader: WeightsReader = { downloadOf, sourceOf, storedOf, weightsOf };
