export { explainOperation } from './explain-operation.ts';
export type { CacheLayer, ExplainReport, ExplainedCall, ExplainedTimes } from './report.ts';
