// The oldest kubectl that is supported speaks SPDY alone; it is built, because few machines have one. Our node answers it as a kubelet does.
import { testStreaming } from "../../../packages/platform/node/tests/streaming-suite.ts";
import { ensureOlderKubectl } from "../kubectl/older-kubectl.ts";

testStreaming(ensureOlderKubectl((line) => console.error(line)));
