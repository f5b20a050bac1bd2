/** The successor of `group.ts`: where newer releases of AIM Engine have the same kinds. */
export const eaiGroup = {
  group: "aim.eai.amd.com",
  version: "v1alpha1",
  categories: ["aim", "all"],
} as const;
