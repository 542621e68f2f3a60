export { checkWhole, semanticNonNull } from './check-schema.ts';
export { checkDataSourceOptions, checkDataSources } from './data-source-check.ts';
export { findOptionProblems, nodeEnvProblem } from './option-check.ts';
export type { OptionProblem } from './option-check.ts';
export { warnOfOptions, watchOptions } from './watch-options.ts';
