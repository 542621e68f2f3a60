export { incrementalDelivery } from './incremental.ts';
export type { IncrementalDelivery, IncrementalDeliveryOptions } from './incremental.ts';
