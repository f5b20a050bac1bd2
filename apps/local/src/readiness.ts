import { get } from "node:https";

/** Resolves when the server itself says at its own door that it is ready; rejects when it says otherwise. */
export function confirmReady(url: string, authority: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = get(`${url}/readyz`, { ca: authority, agent: false }, (response) => {
      response.resume();
      if (response.statusCode === 200) resolve();
      else reject(new Error(`${url}/readyz responded with ${response.statusCode}`));
    });
    request.on("error", reject);
  });
}
