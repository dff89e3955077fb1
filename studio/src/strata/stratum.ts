/** One band of the picture: a section, as high as it has tokens. */
export type Stratum = {
  readonly name: string;
  readonly layer: string;
  readonly mutability: "fixed" | "amendable" | "live";
  readonly tokens: number;
  /** It gave something up to fit: hatched. */
  readonly cut?: boolean;
  /** How many amendments led to its words; none, or null, where nobody changed them. */
  readonly revision?: number | null;
  /** It stands behind the cached prefix, at the end of every request: dynamic state. */
  readonly tail?: boolean;
};

/** A band as it is drawn, from the top, in pixels. One too thin to be seen is drawn together with its neighbours. */
export type Band = {
  readonly from: number;
  readonly height: number;
  readonly mutability: Stratum["mutability"];
  readonly cut: boolean;
  readonly strata: readonly Stratum[];
};
