/** The measures of a model that decide what it takes to run it. */
export interface ModelShape {
  /** Decoder blocks. */
  readonly layers: number;
  readonly hiddenSize: number;
  readonly heads: number;
  /** Attention by groups of layers that keep the same things; the groups add up to `layers`. */
  readonly attention: readonly AttentionGroup[];
  /** The longest context it was trained for. */
  readonly contextLength?: number;
  readonly vocabularySize?: number;
  readonly intermediateSize?: number;
  readonly experts?: Experts;
  /** The token table serves at both ends. */
  readonly sharesEmbeddings?: boolean;
}

export interface Experts {
  readonly count: number;
  /** How many a token visits. */
  readonly used?: number;
  /** Width of one, where it differs from `intermediateSize`. */
  readonly intermediateSize?: number;
  readonly shared?: number;
}

/** What some layers remember of the tokens they have seen. */
export type AttentionGroup = FullAttention | WindowAttention | LatentAttention | RecurrentState;

/** Every token, a key and a value for each key-value head. */
export interface FullAttention {
  readonly kind: "full";
  readonly layers: number;
  readonly kvHeads: number;
  readonly keyLength: number;
  readonly valueLength: number;
}

/** The same for the last `window` tokens only. */
export interface WindowAttention extends Omit<FullAttention, "kind"> {
  readonly kind: "window";
  readonly window: number;
}

/** One compressed vector a token for keys and values of all heads (multi-head latent attention). */
export interface LatentAttention {
  readonly kind: "latent";
  readonly layers: number;
  /** Compressed part and rotary part together. */
  readonly length: number;
}

/** A state of fixed size for each sequence, however long it is. */
export interface RecurrentState {
  readonly kind: "recurrent";
  readonly layers: number;
  /** Numbers of the state of one layer. */
  readonly elements: number;
}
