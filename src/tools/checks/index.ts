export { checkWhole } from './check-schema.ts';
export { semanticNonNull } from './semantic-non-null.ts';
export { checkDataSources } from './data-source-check.ts';
export { explainMismatch } from './explain-mismatch.ts';
export { findOptionProblems, nodeEnvProblem } from './option-check.ts';
export type { OptionProblem } from './option-check.ts';
export { warnOfOptions, watchOptions } from './watch-options.ts';
