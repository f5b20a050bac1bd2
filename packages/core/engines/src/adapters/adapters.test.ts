import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatArgument } from "../serving/engine-argument.ts";
import { type AdapterEngine, type AdapterFiles, planAdapterArguments } from "./adapter-arguments.ts";
import { parseAdapterList } from "./adapter-list.ts";
import { findAdapterFault } from "./check-adapters.ts";
import { passAdapters } from "./pass-adapters.ts";
import { annotateAdapters, parseServedAdapters } from "./served-adapters.ts";

describe("the list of adapters", () => {
  test("names and sources are read", () => {
    assert.deepEqual(parseAdapterList("law=hf://org/law, tone"), [
      { name: "law", source: "hf://org/law" },
      { name: "tone" },
    ]);
    assert.deepEqual(parseAdapterList("a=https://h/x?b=c"), [{ name: "a", source: "https://h/x?b=c" }]);
  });

  for (const text of [
    "",
    "a,,b",
    "a,a",
    "a=",
    ".a",
    "../a=hf://o/r",
    "a b",
    "-a",
    "=hf://o/r",
    "a/b",
    `a${"b".repeat(100)}`,
  ])
    test(`"${text.slice(0, 20)}" is refused`, () => assert.equal(parseAdapterList(text), undefined));
});

describe("arguments of adapters", () => {
  const two: readonly AdapterFiles[] = [
    { name: "law", path: "/a/law", file: "law.gguf", rank: 8 },
    { name: "tone", path: "/a/tone.gguf", rank: 33 },
  ];
  const wordsOf = (adapters: readonly AdapterFiles[], engine: AdapterEngine) =>
    planAdapterArguments(adapters, engine).flatMap(formatArgument).join(" ");

  const rows: readonly [AdapterEngine, string][] = [
    ["vllm", "--enable-lora --max-lora-rank 64 --lora-modules law=/a/law tone=/a/tone.gguf"],
    ["sglang", "--lora-paths law=/a/law tone=/a/tone.gguf"],
    ["llama.cpp", "--lora /a/law/law.gguf --lora /a/tone.gguf --lora-init-without-apply"],
  ];
  for (const [engine, words] of rows)
    test(`${engine} loads several`, () => {
      assert.equal(wordsOf(two, engine), words);
      assert.equal(wordsOf([], engine), "");
    });

  test("a single adapter of llama.cpp is applied to every request", () => {
    assert.equal(wordsOf(two.slice(0, 1), "llama.cpp"), "--lora /a/law/law.gguf");
  });

  test("a container keeps the switches and values it sets, and gets the list", () => {
    const container = { name: "c", image: "vllm", args: ["--enable-lora", "--max-lora-rank=128"] };
    const passed = passAdapters(container, two);
    assert.ok(passed.is === "passed");
    assert.deepEqual(passed.container.args, [...container.args, "--lora-modules", "law=/a/law", "tone=/a/tone.gguf"]);
  });

  test("a folder is not enough for llama.cpp, and an unknown engine is refused", () => {
    const folder = passAdapters({ name: "c", image: "llama-server" }, [{ name: "law", path: "/a/law" }]);
    assert.equal(folder.is === "refused" ? folder.adapter : undefined, "law");
    const unknown = passAdapters({ name: "c", image: "own" }, two);
    assert.match(unknown.is === "refused" ? unknown.why : "", /cannot be identified .*; use \$\(LORA_MODULES\)/);
  });
});

describe("sources of adapters", () => {
  const sources = { schemes: ["hub", "file"], expected: "hf:// or file:///", localRoots: ["/models"] } as const;
  const rows: readonly [string | undefined, RegExp | undefined][] = [
    ["hf://org/law", undefined],
    ["file:///models/law", undefined],
    [undefined, /^Adapter law of annotation trivium\.dev\/adapters has no source; write law=hf:/],
    ["s3://bucket/law", /has source s3:\/\/bucket\/law, which is not supported; use hf:\/\/ or file:/],
    ["https://user:secret@host/law?sig=1", /has source https:\/\/host\/law, which is not supported/],
    ["file:///models/../etc/law", /cannot be read: \/etc\/law is not in an allowed directory/],
    ["file:///models/%2e%2e/etc/law", /is not in an allowed directory/],
    ["hf://org/../law", /is not supported/],
  ];
  for (const [source, fault] of rows)
    test(String(source), () => {
      const found = findAdapterFault([{ name: "law", source }], sources);
      if (fault === undefined) assert.equal(found, undefined);
      else assert.match(found ?? "", fault);
    });
});

test("the Service of a model carries the names of its adapters, with numbers for llama.cpp", () => {
  assert.deepEqual(annotateAdapters([], "llama.cpp"), {});
  assert.deepEqual(annotateAdapters(["poet", "style"], "vllm"), { "trivium.dev/served-adapters": "poet,style" });
  const { "trivium.dev/served-adapters": text } = annotateAdapters(["poet", "style"], "llama.cpp");
  assert.equal(text, "poet=0,style=1");
  assert.deepEqual(parseServedAdapters(text), [
    { name: "poet", id: 0 },
    { name: "style", id: 1 },
  ]);
});

test("what cannot be read of it is left out", () => {
  assert.deepEqual(parseServedAdapters(" poet , a=-1, b=1e9, =3, c=1=2, d=, e=99999"), [{ name: "poet" }]);
  assert.deepEqual(parseServedAdapters(undefined), []);
});
