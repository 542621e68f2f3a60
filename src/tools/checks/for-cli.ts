// Checks for the command line, apart from index.ts so that commands start without @graphql-tools/schema.

export { findProblems, placeOfOption, placeOfResolver } from './find-problems.ts';
export { findText } from './find-text.ts';
export { findOptionProblems, nodeEnvProblem } from './option-check.ts';
export { frameOf, positionAt, problemText, shorten } from './problem.ts';
export type { Place, Problem } from './problem.ts';
export { findInSchema } from './schema-findings.ts';
export { semanticNonNull } from './semantic-non-null.ts';
export { placeOf } from './user-code.ts';
