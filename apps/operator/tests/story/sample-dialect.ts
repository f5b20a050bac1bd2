import { answer, type Dialect, plainStatusGuide } from "@trivium/reconcile";
import { flowerPrice, palettes, Sample, sampleReconciler } from "@trivium/testkit";

/** The example of the ground floor as a dialect. */
export const sampleCluster: Dialect = {
  name: "garden",
  group: Sample.group,
  kinds: [Sample, ...palettes],
  statusGuide: plainStatusGuide,
  reconcilers: [sampleReconciler],
};

export const market = answer(flowerPrice, async ({ colour }) => colour.length);
