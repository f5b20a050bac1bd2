import { answer, type Dialect } from "@trivium/reconcile";
import { Bouquet, bouquetReconciler, flowerPrice, palettes } from "@trivium/testkit";

/** The example of the ground floor as a dialect. */
export const sampleCluster: Dialect = {
  name: "garden",
  group: Bouquet.group,
  kinds: [Bouquet, ...palettes],
  reconcilers: [bouquetReconciler],
};

export const market = answer(flowerPrice, async ({ colour }) => colour.length);
