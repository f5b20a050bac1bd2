import { WeightsError } from "../../fault.ts";
import { type HttpClient, showUrl } from "../../transfer/http/http-client.ts";
import type { OpenedBytes, OpenOptions, RemoteFile } from "../../transfer/remote-file.ts";
import { nameCandidates } from "../candidates.ts";
import { openHttp } from "../open-http.ts";
import { checkRelativePath } from "../relative-path.ts";
import type { Listing, Source } from "../source.ts";
import { HubApi, type HubEntry, type HubPlace } from "./hub-api.ts";

/** A signed address at the content network is good for a while; asking the Hub before each range would only slow things down. */
const directForMs = 240_000;

/** Repositories of a model hub. The revision is pinned to a commit first, so that a branch may move without harm. */
export function createHubSource(client: HttpClient, place: HubPlace): Source<"hub"> {
  return {
    async resolve({ repo, revision, path }, signal): Promise<Listing> {
      const api = new HubApi(client, place, repo);
      const commit = await api.commitOf(revision, signal);
      const entries = await api.filesOf(commit, signal);
      const wanted =
        path === undefined ? entries : entries.filter((each) => each.path === path || each.path.startsWith(`${path}/`));
      if (wanted.length === 0) {
        const has = nameCandidates(path ?? "", entries);
        throw new WeightsError("not-found", "NotFound", `${repo}: file ${path ?? ""} not found at ${revision}; ${has}`);
      }
      const files = wanted.map((entry) => hubFile(client, api, { commit, entry }));
      return { pinned: `hf://${repo}@${commit}${path === undefined ? "" : `/${path}`}`, files };
    },
  };
}

function hubFile(client: HttpClient, api: HubApi, at: { commit: string; entry: HubEntry }): RemoteFile {
  const { path, size, digest } = at.entry;
  checkRelativePath(path, api.repo);
  const target = api.fileTarget(at.commit, path);
  let direct: { url: URL; until: number } | undefined;
  const open = async (options: OpenOptions): Promise<OpenedBytes> => {
    if (direct !== undefined && performance.now() < direct.until) {
      const opened = await openHttp(client, { url: direct.url, shownAs: showUrl(direct.url) }, options).catch(
        (error) => {
          // An expired signature reads as "denied"; the Hub gives a new one.
          if (error instanceof WeightsError && error.kind === "not-allowed") return undefined;
          throw error;
        },
      );
      if (opened !== undefined) return unversioned(opened);
      direct = undefined;
    }
    const opened = await openHttp(client, target, options, (final) => {
      if (final.origin !== target.url.origin) direct = { url: final, until: performance.now() + directForMs };
    });
    return unversioned(opened);
  };
  return { path, shownAs: `hf://${api.repo}/${path}`, size, digest, open };
}

/** The commit and the digest say which bytes these are; the ETags of different mirrors do not agree with each other. */
function unversioned(opened: OpenedBytes): OpenedBytes {
  return { ...opened, version: undefined, protocol: "hub" };
}
