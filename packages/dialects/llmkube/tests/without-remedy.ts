/** Cases, by the folder of their kind, whose status asks a person to act without the object or the remedy. Mend the message and remove them. */
export const withoutRemedy: Readonly<Record<string, readonly string[]>> = {
  "inference-service": [
    "bad-quantity-in-use",
    "i39-bad-quantity",
    "not-accelerated",
    "ready-but-unlisted",
    "two-unlisted",
  ],
  model: [
    "m12-claim-without-path",
    "m15-local-unreadable",
    "m25-files-on-url",
    "r03-no-such-source",
    "r15-bad-quantity",
  ],
};
