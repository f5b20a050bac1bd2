import { callApi, readWatch, textOf } from "@trivium/client";
import type { ApiRequest, KubeObject, Transport, WatchEvent } from "@trivium/kube";
import { slim } from "./slim.ts";

/** A collection of the API, and how it is called. */
export interface Collection {
  readonly transport: Transport;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly signal: AbortSignal;
}

export interface Listed {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
}

interface ListPage {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly KubeObject[] | null;
}

const pageSize = "500";

/** Everything in it, page by page. Items of built-in lists come without kind and version; they get those of the list. */
export async function listAll(collection: Collection): Promise<Listed> {
  const items: KubeObject[] = [];
  for (let next: string | undefined = ""; ; ) {
    const query = new URLSearchParams(collection.query);
    query.set("limit", pageSize);
    if (next !== "") query.set("continue", next);
    const page = JSON.parse(await textOf(await get(collection, query))) as ListPage;
    const { apiVersion = "", kind = "", metadata = {} } = page;
    const head = { apiVersion, kind: kind.replace(/List$/, "") };
    for (const item of page.items ?? []) items.push(slim({ ...head, ...item }));
    next = metadata.continue;
    if (!next) return { items, resourceVersion: metadata.resourceVersion ?? "" };
  }
}

export interface OpenWatch {
  readonly events: AsyncIterable<WatchEvent<KubeObject>>;
}

/** Resolves when the API has accepted the watch. */
export async function openWatch(collection: Collection, resourceVersion: string): Promise<OpenWatch> {
  const query = new URLSearchParams(collection.query);
  for (const [name, value] of Object.entries({ watch: "true", allowWatchBookmarks: "true", resourceVersion }))
    query.set(name, value);
  const { body } = await get(collection, query);
  return { events: readWatch<KubeObject>(body, `watch of ${collection.path}`) };
}

function get({ transport, path, signal }: Collection, query: URLSearchParams) {
  const headers = { accept: "application/json" };
  const request: ApiRequest = { method: "GET", path: `${path}?${query}`, headers, signal };
  return callApi(transport, request);
}
