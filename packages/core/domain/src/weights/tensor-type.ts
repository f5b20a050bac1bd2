/** How the numbers of a tensor are packed: `values` of them take `bytes` bytes. */
export interface TensorType {
  readonly name: string;
  readonly values: number;
  readonly bytes: number;
}

const type = (name: string, values: number, bytes: number): TensorType => ({ name, values, bytes });

/** The tensor types of GGML by their number in a file. Numbers that are not here were never released, or removed without a size. */
export const ggmlTypes: ReadonlyMap<number, TensorType> = new Map([
  [0, type("F32", 1, 4)],
  [1, type("F16", 1, 2)],
  [2, type("Q4_0", 32, 18)],
  [3, type("Q4_1", 32, 20)],
  [6, type("Q5_0", 32, 22)],
  [7, type("Q5_1", 32, 24)],
  [8, type("Q8_0", 32, 34)],
  [9, type("Q8_1", 32, 36)],
  [10, type("Q2_K", 256, 84)],
  [11, type("Q3_K", 256, 110)],
  [12, type("Q4_K", 256, 144)],
  [13, type("Q5_K", 256, 176)],
  [14, type("Q6_K", 256, 210)],
  [15, type("Q8_K", 256, 292)],
  [16, type("IQ2_XXS", 256, 66)],
  [17, type("IQ2_XS", 256, 74)],
  [18, type("IQ3_XXS", 256, 98)],
  [19, type("IQ1_S", 256, 50)],
  [20, type("IQ4_NL", 32, 18)],
  [21, type("IQ3_S", 256, 110)],
  [22, type("IQ2_S", 256, 82)],
  [23, type("IQ4_XS", 256, 136)],
  [24, type("I8", 1, 1)],
  [25, type("I16", 1, 2)],
  [26, type("I32", 1, 4)],
  [27, type("I64", 1, 8)],
  [28, type("F64", 1, 8)],
  [29, type("IQ1_M", 256, 56)],
  [30, type("BF16", 1, 2)],
  [31, type("Q4_0_4_4", 32, 18)],
  [32, type("Q4_0_4_8", 32, 18)],
  [33, type("Q4_0_8_8", 32, 18)],
  [34, type("TQ1_0", 256, 54)],
  [35, type("TQ2_0", 256, 66)],
  [36, type("IQ4_NL_4_4", 32, 18)],
  [37, type("IQ4_NL_4_8", 32, 18)],
  [38, type("IQ4_NL_8_8", 32, 18)],
  [39, type("MXFP4", 32, 17)],
  [40, type("NVFP4", 64, 36)],
  [41, type("Q1_0", 128, 18)],
  [42, type("Q2_0", 64, 18)],
]);

/** The element types of safetensors files by name. Four- and six-bit types share bytes. */
export const safetensorsTypes: ReadonlyMap<string, TensorType> = new Map(
  [
    type("BOOL", 1, 1),
    type("U8", 1, 1),
    type("I8", 1, 1),
    type("F8_E5M2", 1, 1),
    type("F8_E4M3", 1, 1),
    type("F8_E8M0", 1, 1),
    type("F8_E5M2FNUZ", 1, 1),
    type("F8_E4M3FNUZ", 1, 1),
    type("F4", 2, 1),
    type("F6_E2M3", 4, 3),
    type("F6_E3M2", 4, 3),
    type("U16", 1, 2),
    type("I16", 1, 2),
    type("F16", 1, 2),
    type("BF16", 1, 2),
    type("U32", 1, 4),
    type("I32", 1, 4),
    type("F32", 1, 4),
    type("U64", 1, 8),
    type("I64", 1, 8),
    type("F64", 1, 8),
    type("C64", 1, 8),
  ].map((each) => [each.name, each]),
);
