export interface BackoffSettings {
  /** Wait before the second attempt, in milliseconds; doubled with each further one. */
  readonly baseMs: number;
  readonly maxMs: number;
}

/**
 * Exponential backoff with full jitter's upper half: between half of the step and the whole step, so that work which
 * failed together does not come back together. `attempts` counts those made so far, from 1; `random` is in [0, 1).
 */
export function backoffMs(attempts: number, settings: BackoffSettings, random: number): number {
  const exponent = Math.min(Math.max(attempts, 1) - 1, 30);
  const step = Math.min(settings.baseMs * 2 ** exponent, settings.maxMs);
  return Math.round(step / 2 + (step / 2) * random);
}
