export { incrementalDelivery } from '../extensions/incremental/index.ts';
export type { IncrementalDelivery, IncrementalDeliveryOptions } from '../extensions/incremental/index.ts';
