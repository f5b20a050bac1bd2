/** Where the kinds of this dialect live in the API, and the categories they are listed under; spread into each definition. */
export const group = {
  group: "ome.io",
  version: "v1beta1",
  categories: ["ome", "all"],
} as const;
