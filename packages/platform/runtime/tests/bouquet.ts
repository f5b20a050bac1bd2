/** The example that these tests are about; it lives in the testkit, because the operator process is tried with it too. */
export {
  Bouquet,
  type BouquetSeen as Seen,
  bouquet,
  bouquetReconciler,
  ClusterPalette,
  clusterPalette,
  flowerPrice,
  Palette,
  palette,
  palettes,
} from "@trivium/testkit";
