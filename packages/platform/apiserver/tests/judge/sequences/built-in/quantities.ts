import { namespaced } from "../../handle.ts";
import { type Sequence, sequence } from "../../sequence.ts";

/** Each quantity in, and what is answered: canonical forms, rounding, and refusals. */
const quantities = [
  "1",
  "1.5",
  "1500m",
  "0.1",
  "1e3",
  "1E3",
  "1k",
  "1Ki",
  "1.5Gi",
  "1000Mi",
  "1024Mi",
  "0",
  "-1",
  "1u",
  "1n",
  "0.0001",
  "+1",
  ".5",
  "1.",
  "1_000",
  "1 Gi",
  "Gi",
  "",
  "1KB",
  "1e",
  "99999999999999999999",
  "0x10",
  "1ki",
];
export const ofQuantities: Sequence[] = quantities.map((quantity) =>
  sequence(
    `quantity/${quantity === "" ? "empty" : quantity}`,
    namespaced("v1", "resourcequotas", "ResourceQuota").create("a", {
      spec: { hard: { "requests.memory": quantity } },
    }),
  ),
);
