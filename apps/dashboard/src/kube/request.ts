import {
  type Fault,
  paths,
  requestHeader,
  requestHeaderValue,
  statusHeader,
  statusHeaderValue,
} from "@trivium/dashboard-server/contract";

/** What the API or the dashboard's server refused, in its own words. */
export class RequestFailure extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface RequestOptions {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly body?: string;
  readonly type?: string;
  readonly signal?: AbortSignal;
  /** What may be missing, which is no fault of the page. */
  readonly mayFail?: true;
}

/** One call of the dashboard's server. The path is relative to the page, which may lie below a prefix. */
export async function send(path: string, options: RequestOptions = {}): Promise<Response> {
  const { method = "GET", body, type = "application/json", signal, mayFail } = options;
  const headers = {
    accept: "application/json, */*;q=0.5",
    ...(method === "GET" ? {} : { [requestHeader]: requestHeaderValue }),
    ...(body === undefined ? {} : { "content-type": type }),
    ...(mayFail ? { [statusHeader]: statusHeaderValue } : {}),
  };
  const response = await fetch(`.${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  });
  const status = Number(response.headers.get(statusHeader) ?? response.status);
  if (status >= 400) throw new RequestFailure(status, await describeFailure(response));
  return response;
}

export async function getJson<T>(path: string, options?: RequestOptions): Promise<T> {
  return (await (await send(path, options)).json()) as T;
}

/** A path of the Kubernetes API, as its server takes it. */
export const apiPath = (path: string): string => `${paths.kubernetes}${path}`;

async function describeFailure(response: Response): Promise<string> {
  const text = await response.text().catch(() => "");
  try {
    const { message, error } = JSON.parse(text) as { message?: string } & Partial<Fault>;
    return error?.message ?? message ?? `${response.status} ${response.statusText}`;
  } catch {
    return text.slice(0, 300) || `${response.status} ${response.statusText}`;
  }
}
