import { statusHeader, statusHeaderValue } from "@trivium/dashboard-server/contract";
import type { Transport } from "@trivium/kube";
import { apiPath } from "../kube/request.ts";

/** The Kubernetes API as this session reaches it. Only reads: what is written goes through the pages, which ask first. */
export const transport: Transport = async ({ method, path, headers, body, signal }) => {
  const response = await fetch(`.${apiPath(path)}`, {
    method,
    headers: { ...headers, ...(method === "GET" ? { [statusHeader]: statusHeaderValue } : {}) },
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  });
  return {
    status: Number(response.headers.get(statusHeader) ?? response.status),
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
};
