import type { ApiResponse } from "@trivium/kube";

/** The whole body of an answer. */
export async function textOf(response: ApiResponse): Promise<string> {
  if (typeof response.body === "string") return response.body;
  const pieces: string[] = [];
  for await (const piece of response.body) pieces.push(piece);
  return pieces.join("");
}
