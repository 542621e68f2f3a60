export { explainOperation } from './explain/explain-operation.ts';
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
} from './explain/report.ts';
