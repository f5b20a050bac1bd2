import { int64, obj, oneOf, opt, str } from "@trivium/schema";

const selectable = (names: string) => ({
  name: str(`Name, such as ${names}`),
  version: opt(str("Version: major, major.minor or major.minor.patch")),
  operator: opt(
    oneOf(
      "In a runtime: how the version of a model is compared with this version",
      ["Equal", "GreaterThan", "GreaterThanOrEqual"],
      {
        default: "Equal",
      },
    ),
  ),
  weight: opt(int64("In a runtime: weight of a match in the score of the runtime", { default: 1 })),
});

export const modelFormat = (description: string) => obj(description, selectable("safetensors, pytorch or onnx"));
export const modelFramework = (description: string) =>
  obj(description, selectable("transformers, tensorrtllm or onnxruntime"));
