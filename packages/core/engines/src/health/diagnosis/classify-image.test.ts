import assert from "node:assert/strict";
import { test } from "node:test";
import type { ImageFault } from "@trivium/domain";
import { findFailure } from "../find-failure.ts";
import { classifyImage } from "./classify-image.ts";

/** As kubelets, container runtimes and registries write it. */
const rows: readonly (readonly [reason: string, message: string, fault: ImageFault])[] = [
  ["ErrImagePull", "pull access denied, repository does not exist or may require authorization", "denied"],
  ["ErrImagePull", "failed to authorize: failed to fetch oauth token: unexpected status: 403 Forbidden", "denied"],
  ["ImagePullBackOff", 'Back-off pulling image "r/a:1": ErrImagePull: 401 Unauthorized', "denied"],
  ["ErrImagePull", "toomanyrequests: You have reached your unauthenticated pull rate limit", "limited"],
  ["ErrImagePull", "tls: failed to verify certificate: x509: certificate signed by unknown authority", "untrusted"],
  ["ErrImagePull", 'Get "https://r/v2/": dial tcp: lookup r on 10.0.0.10:53: no such host', "unreachable"],
  ["ErrImagePull", "dial tcp 10.0.0.9:443: connect: connection refused", "unreachable"],
  ["ErrImagePull", "remote error: tls: handshake failure", "unreachable"],
  ["ErrImagePull", "unexpected status from HEAD request: 503 Service Unavailable", "unreachable"],
  ["ErrImagePull", "no match for platform in manifest: not found", "platform"],
  ["ErrImagePull", "no matching manifest for linux/arm64/v8 in the manifest list entries", "platform"],
  ["ErrImagePull", 'failed to resolve reference "r/a:1": r/a:1: not found', "missing"],
  ["ErrImagePull", "manifest unknown: manifest unknown", "missing"],
  ["ErrImageNeverPull", 'Container image "a:1" is not present with pull policy of Never', "missing"],
  ["ErrImageNeverPull", 'image "a:1" cannot run as a local process: no rule maps it to a local program', "local"],
  ["InvalidImageName", "Failed to apply default image tag", "invalid"],
  ["ErrImagePull", "couldn't parse image name", "invalid"],
  ["ImagePullBackOff", "Back-off pulling image", "unknown"],
  ["ImagePullBackOff", "", "unknown"],
];

for (const [reason, message, fault] of rows)
  test(`${reason}: ${message} is ${fault}`, () => {
    assert.equal(classifyImage(reason, message), fault);
  });

test("a failure carries the fault of its image", () => {
  const state = { is: "waiting" as const, reason: "ErrImagePull", message: "manifest unknown" };
  const container = { name: "server", role: "serves" as const, isReady: false, restarts: 0, state };
  const pod = { name: "p", phase: "Pending", isReady: false, isLeaving: false, containers: [container] };
  assert.equal(findFailure([pod])?.image, "missing");
});
