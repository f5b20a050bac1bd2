import { addresses } from "./addresses.ts";
import { conversions } from "./conversions.ts";
import { kubernetes } from "./kubernetes.ts";
import { lists } from "./lists.ts";
import { operators } from "./operators.ts";
import type { Overload } from "./signature.ts";
import { strings } from "./strings.ts";
import { times } from "./times.ts";

export type { Overload } from "./signature.ts";

const everything = [...operators, ...strings, ...conversions, ...times, ...lists, ...kubernetes, ...addresses];

/** All ways to call a function, by its name. */
export const overloads: ReadonlyMap<string, readonly Overload[]> = Map.groupBy(everything, ({ name }) => name);
