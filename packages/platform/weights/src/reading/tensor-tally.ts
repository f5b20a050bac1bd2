import type { TensorShare, TensorTotals } from "@trivium/domain";
import { setOwn } from "@trivium/std";

/** More kinds of names than this are not told apart: the sums must stay small whatever the file says. */
const maxRoles = 64;
const maxBlocks = 4096;

const block = /(?:^blk|(?:^|\.)(?:layers|layer|h|blocks))\.(\d{1,4})\./;
/** Towers beside the language model number their blocks too. */
const besides = /^(?:v|a|mm|model\.vision|vision|visual|model\.visual|audio|multi_modal)[._]/;
const embedding = /(?:^|\.)(?:token_embd|embed_tokens|wte|word_embeddings|tok_embeddings)\./;
const output = /(?:^|\.)(?:output|lm_head)\.weight$/;

interface MutableShare {
  tensors: number;
  elements: number;
  bytes: number;
}

export interface CountedTensor {
  readonly name: string;
  readonly type: string;
  readonly elements: number;
  readonly bytes: number;
}

/** Adds up tensors as they are read, so that nobody has to keep a list of them. */
export class TensorTally {
  readonly #byType = new Map<string, MutableShare>();
  readonly #byRole = new Map<string, MutableShare>();
  readonly #blocks = new Map<number, number>();
  readonly #sum: MutableShare = { tensors: 0, elements: 0, bytes: 0 };
  #embedding = 0;
  #output = 0;
  #rest = 0;

  add(tensor: CountedTensor): void {
    const { name, type, bytes } = tensor;
    increase(this.#sum, tensor);
    increase(shareOf(this.#byType, type), tensor);
    increase(shareOf(this.#byRole, `${name.slice(name.lastIndexOf(".") + 1)} ${type}`), tensor);
    const number = besides.test(name) ? undefined : block.exec(name)?.[1];
    if (number !== undefined && Number(number) < maxBlocks)
      this.#blocks.set(Number(number), (this.#blocks.get(Number(number)) ?? 0) + bytes);
    else if (embedding.test(name)) this.#embedding += bytes;
    else if (output.test(name)) this.#output += bytes;
    else this.#rest += bytes;
  }

  /** Adds the sums of another file of the same model. */
  addTotals(totals: TensorTotals): void {
    increase(this.#sum, { ...totals, tensors: totals.count });
    for (const [type, share] of Object.entries(totals.byType)) increase(shareOf(this.#byType, type), share);
    for (const [role, share] of Object.entries(totals.byRole)) increase(shareOf(this.#byRole, role), share);
    totals.blockBytes.forEach((bytes, at) => {
      this.#blocks.set(at, (this.#blocks.get(at) ?? 0) + bytes);
    });
    this.#embedding += totals.embeddingBytes;
    this.#output += totals.outputBytes;
    this.#rest += totals.restBytes;
  }

  totals(): TensorTotals {
    const blocks = Math.max(-1, ...this.#blocks.keys()) + 1;
    return {
      count: this.#sum.tensors,
      elements: this.#sum.elements,
      bytes: this.#sum.bytes,
      byType: plain(this.#byType),
      byRole: plain(this.#byRole),
      blockBytes: Array.from({ length: blocks }, (_, at) => this.#blocks.get(at) ?? 0),
      embeddingBytes: this.#embedding,
      outputBytes: this.#output,
      restBytes: this.#rest,
    };
  }
}

function increase(share: MutableShare, by: { readonly tensors?: number; elements: number; bytes: number }): void {
  share.tensors += by.tensors ?? 1;
  share.elements += by.elements;
  share.bytes += by.bytes;
}

function shareOf(shares: Map<string, MutableShare>, name: string): MutableShare {
  const key = shares.has(name) || shares.size < maxRoles ? name.slice(0, 64) : "other";
  const found = shares.get(key);
  if (found !== undefined) return found;
  const fresh = { tensors: 0, elements: 0, bytes: 0 };
  shares.set(key, fresh);
  return fresh;
}

function plain(shares: ReadonlyMap<string, TensorShare>): Record<string, TensorShare> {
  const object: Record<string, TensorShare> = {};
  for (const [name, share] of shares) setOwn(object, name, share);
  return object;
}
