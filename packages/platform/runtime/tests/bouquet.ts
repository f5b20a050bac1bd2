/** The example that these tests are about; it lives in the testkit, because the operator process is tried with it too. */
export {
  Bouquet,
  bouquet,
  bouquetReconciler,
  ClusterPalette,
  clusterPalette,
  flowerPrice,
  type ObservedBouquet as Observed,
  Palette,
  palette,
  palettes,
} from "@trivium/testkit";
