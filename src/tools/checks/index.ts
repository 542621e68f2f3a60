export { checkWhole } from './check-schema.ts';
export { explain } from './explain.ts';
export { explainMismatch } from './explain-mismatch.ts';
export { explainRefusal } from './find-problems.ts';
export { warnOfOptions, watchOptions } from './watch-options.ts';
