export { explainOperation } from './explain-operation.ts';
export type {
  CacheLayer,
  DuplicateCalls,
  ExplainReport,
  ExplainedBatch,
  ExplainedCall,
  ExplainedDocument,
  ExplainedExecutor,
  ExplainedSchema,
  ExplainedTimes,
  LongestChain,
  SerialCalls,
} from './report.ts';
