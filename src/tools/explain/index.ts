export { explainOperation } from './explain-operation.ts';
export type { CacheLayer, ExplainReport, ExplainedBatch, ExplainedCall, ExplainedTimes } from './report.ts';
