/** How downloads reach the outside. No credentials: those of a pod come from its manifest. */
const names = [
  "HF_ENDPOINT",
  ...["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]),
  ...["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "TRIVIUM_WEIGHTS_CERTIFICATES"],
];

/**
 * What downloads in pods take from the shell of `trivium up`. The operator and the node agent look at sources with the same
 * variables, so that a repository which they see is the one that pods fetch.
 */
export function downloadEnvironmentOf(environment: Readonly<NodeJS.ProcessEnv>): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
