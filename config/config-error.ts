/** One thing that is wrong with the configuration. */
export interface ConfigProblem {
  /** Dotted, e.g. `ingest.threads`; the variable's name for an unknown variable. */
  readonly key: string;
  /** Where it was written: `config.toml:12`, `KNOWD_INGEST_THREADS`, `--socket`. */
  readonly where: string;
  /** A sentence: what is wrong, what is allowed, and the nearest right name. */
  readonly message: string;
}

/** The configuration can't be used. All that was found is listed, so that one attempt mends it. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly ConfigProblem[];
  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(({ where, message }) => `${where}: ${message}`).join("\n"));
    this.problems = problems;
  }
}
