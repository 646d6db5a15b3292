import type { UnitKind } from "../words/query.ts";
import type { LaneWeights } from "./ranking/lane-weights.ts";

/** A part of a query, as the words lane looks for it. */
export interface ExplainedTerm {
  readonly text: string;
  readonly kind: UnitKind;
  /** Units of the index that hold it. */
  readonly units: number;
}

/** What counted how much in the fused list. */
export interface ExplainedFusion {
  /** Of the lanes, in convex fusion; null in any other. */
  readonly weights: LaneWeights | null;
  /** Of what passages mean, instead of their cosine, 0 to 1; 0 where none was read (reading.ts). */
  readonly meaning: number;
}
