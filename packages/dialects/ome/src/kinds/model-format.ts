import { int64, obj, oneOf, opt, str } from "@trivium/schema";

const selectable = (names: string) => ({
  name: str(`Its name, such as ${names}`),
  version: opt(str("Its version: major, major.minor or major.minor.patch")),
  operator: opt(
    oneOf(
      "In a runtime: how the version here must relate to that of the model",
      ["Equal", "GreaterThan", "GreaterThanOrEqual"],
      {
        default: "Equal",
      },
    ),
  ),
  weight: opt(int64("In a runtime: how much a match counts when runtimes are compared", { default: 1 })),
});

export const modelFormat = (description: string) => obj(description, selectable("safetensors, pytorch or onnx"));
export const modelFramework = (description: string) =>
  obj(description, selectable("transformers, tensorrtllm or onnxruntime"));
