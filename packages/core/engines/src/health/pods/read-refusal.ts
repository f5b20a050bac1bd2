import { failedWebhook } from "@trivium/kube";

/** What an API server says in prose, taken apart: the one place that reads these sentences. */
export type RefusalText =
  | {
      readonly is: "quota";
      readonly quota: string;
      readonly figures: string;
      /** What would be beyond it: `pods`, `requests.cpu`. */
      readonly exceeded: readonly string[];
    }
  | { readonly is: "quota needs"; readonly quota: string; readonly resources: string }
  | { readonly is: "limit range"; readonly rule: string }
  | { readonly is: "pod security"; readonly level: string; readonly rule: string }
  | { readonly is: "webhook"; readonly webhook: string; readonly rule: string }
  | { readonly is: "unanswered webhook"; readonly webhook: string; readonly rule: string }
  | { readonly is: "policy"; readonly policy: string; readonly rule: string }
  | { readonly is: "permission"; readonly user: string; readonly verb: string; readonly resource: string }
  | { readonly is: "missing"; readonly kind: string; readonly name: string }
  | { readonly is: "other" };

/** The named groups of a pattern are the fields of what it finds. */
const patterns: readonly (readonly [RefusalText["is"], RegExp])[] = [
  ["quota", /exceeded quota: (?<quota>[^,\s]+)(?:, (?<figures>requested: .*))?$/s],
  ["quota needs", /failed quota: (?<quota>[^:\s]+): must specify (?<resources>.*)$/s],
  ["limit range", /(?<rule>(?:maximum|minimum|max limit to request ratio) .* usage per .*)$/is],
  ["pod security", /violates PodSecurity "(?<level>[^":]+)[^"]*": (?<rule>.*)$/s],
  ["webhook", /admission webhook "(?<webhook>[^"]+)" denied the request:? ?(?<rule>.*)$/s],
  ["unanswered webhook", failedWebhook],
  ["policy", /ValidatingAdmissionPolicy '(?<policy>[^']+)' .*?denied request: (?<rule>.*)$/s],
  ["permission", /User "(?<user>[^"]+)" cannot (?<verb>\w+) resource "(?<resource>[^"]+)"/],
  ["missing", /no (?<kind>PriorityClass) with name (?<name>\S+) was found/],
  ["missing", /(?<kind>serviceaccount) "(?<name>[^"]+)" not found/i],
];

export function readRefusal(message: string): RefusalText {
  for (const [is, pattern] of patterns) {
    const groups = pattern.exec(message)?.groups;
    if (groups === undefined) continue;
    const found = Object.fromEntries(Object.entries(groups).map(([key, value]) => [key, value ?? ""]));
    const more = is === "quota" ? { exceeded: requestedIn(found.figures ?? "") } : {};
    return { is, ...found, ...more } as RefusalText;
  }
  return { is: "other" };
}

/** `requested: pods=1,requests.cpu=2, used: …` names what would be beyond the quota, and nothing else. */
function requestedIn(figures: string): string[] {
  const requested = /^requested: (?<list>.*?)(?:, used: |$)/s.exec(figures)?.groups?.list ?? "";
  return requested.split(",").flatMap((pair) => pair.split("=")[0]?.trim() || []);
}
