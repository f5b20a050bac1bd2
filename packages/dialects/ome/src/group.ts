/** What every OME kind shares. */
export const ome = {
  group: "ome.io",
  version: "v1beta1",
  categories: ["ome", "all"],
} as const;
