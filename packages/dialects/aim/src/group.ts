/** What every AIM kind shares. */
export const aim = {
  group: "aim.silogen.ai",
  version: "v1alpha1",
  categories: ["aim", "all"],
} as const;
