import { test } from "node:test";
import { playCalm } from "./story/calm.ts";
import { onEmbeddedServer } from "./story/embedded-server.ts";

test("the story of an operator in calm weather, on the embedded server", (t) =>
  onEmbeddedServer((stage) => playCalm(t, stage)));
