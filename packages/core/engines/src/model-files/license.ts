/** The id that a licence is known by; one that is not known stays as it is, in lower case. */
export function parseLicense(text: string): string {
  const lower = text.toLowerCase();
  if (lower.includes("apache")) return "apache-2.0";
  if (lower.includes("llama")) {
    const version = ["3.3", "3.2", "3.1"].find((each) => lower.includes(each));
    if (version !== undefined) return `llama-${version}-community`;
  }
  return lower.includes("gemma") ? "gemma" : lower;
}
