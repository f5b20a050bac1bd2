/** Every condition type of this dialect and the reasons it may have, and the reasons of its events. */
export const modelWords = {
  /** Models have no conditions; what is the matter is told by events. */
  conditions: {},
  notes: ["ModelReady", "ModelDownloadFailed", "InvalidStorage", "ClaimNotFound", "ClaimNotBound"],
} as const;

export type ModelReason = (typeof modelWords.notes)[number];
