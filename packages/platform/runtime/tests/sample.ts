/** The example that these tests are about; it lives in the testkit, because the operator process is tried with it too. */
export {
  ClusterPalette,
  clusterPalette,
  flowerPrice,
  type ObservedSample as Observed,
  Palette,
  palette,
  palettes,
  Sample,
  sample,
  sampleReconciler,
} from "@trivium/testkit";
