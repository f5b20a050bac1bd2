import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { samplerConfig } from "./sampler-config.ts";

const config = (options: Record<string, unknown>, biases = new Map<number, number>()) =>
  samplerConfig({ options, prompt: [1, 2, 3], contextSize: 100, seed: 7, biases });

describe("how tokens are chosen", () => {
  it("has the defaults of llama-server", () => {
    assert.deepEqual(config({}), { temperature: 0.8, topK: 40, topP: 0.95, minP: 0.05, seed: 7 });
  });

  it("looks back over the prompt as far as it is told to", () => {
    const { repeatPenalty, repeatPenaltyMaxTokens, repeatPenaltyTokens } = config({
      penalty_repeat: 1.5,
      penalty_last_n: 2,
    });
    assert.deepEqual(
      { repeatPenalty, repeatPenaltyMaxTokens, repeatPenaltyTokens },
      { repeatPenalty: 1.5, repeatPenaltyMaxTokens: 2, repeatPenaltyTokens: Uint32Array.of(2, 3) },
    );
    assert.equal(config({ penalty_repeat: 1.5, penalty_last_n: -1 }).repeatPenaltyMaxTokens, 100);
    assert.equal(config({ penalty_repeat: 1.5, penalty_last_n: 0 }).repeatPenalty, undefined);
  });

  it("takes biases, the lowest one too", () => {
    const { tokenBiasKeys, tokenBiasValues } = config({}, new Map([[4, Number.NEGATIVE_INFINITY]]));
    assert.deepEqual(tokenBiasKeys, Uint32Array.of(4));
    assert.deepEqual(tokenBiasValues, Float32Array.of(Number.NEGATIVE_INFINITY));
  });
});
