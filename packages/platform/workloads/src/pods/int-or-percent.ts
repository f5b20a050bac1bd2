/** What `3` or `25%` of a total comes to, rounded to the side that the field asks for. What is neither counts as nothing. */
export function scaledValue(value: number | string | undefined, total: number, rounding: "up" | "down"): number {
  if (typeof value === "number") return value;
  const percent = /^(\d+)%$/.exec(value ?? "")?.[1];
  if (percent === undefined) return 0;
  const share = (Number(percent) * total) / 100;
  return rounding === "up" ? Math.ceil(share) : Math.floor(share);
}
