import type { Sequence } from "../sequence.ts";
import { sequencesOf } from "./built-in/family.ts";
import { networkAndAccess } from "./built-in/network-and-access.ts";
import { pods } from "./built-in/pods.ts";
import { ofQuantities } from "./built-in/quantities.ts";
import { servicesAndStorage } from "./built-in/services-and-storage.ts";
import { workloads } from "./built-in/workloads.ts";

const families = { ...pods, ...servicesAndStorage, ...workloads, ...networkAndAccess };

export const builtIn: Sequence[] = [
  ...Object.entries(families).flatMap(([name, family]) => sequencesOf(name, family)),
  ...ofQuantities,
];
