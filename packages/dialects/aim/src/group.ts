/** Where the kinds of this dialect live in the API, and the categories they are listed under; spread into each definition. */
export const group = {
  group: "aim.silogen.ai",
  version: "v1alpha1",
  categories: ["aim", "all"],
} as const;
