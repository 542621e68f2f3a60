export { explainOperation } from './development/explain/explain-operation.ts';
export type {
  CacheLayer,
  DuplicateCalls,
  ExplainedCall,
  ExplainedDocument,
  ExplainedExecutor,
  ExplainedSchema,
  ExplainedTimes,
  ExplainReport,
  LongestChain,
  SerialCalls,
} from './development/explain/report.ts';
