export { explainOperation } from './explain-operation.ts';
export type {
  CacheLayer,
  ExplainReport,
  ExplainedBatch,
  ExplainedResolver,
  ExplainedCall,
  ExplainedDocument,
  ExplainedExecutor,
  ExplainedSchema,
  ExplainedTimes,
  LongestChain,
} from './report.ts';
