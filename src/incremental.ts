export { incrementalDelivery } from './extensions/incremental.ts';
export type { IncrementalDelivery, IncrementalDeliveryOptions } from './extensions/incremental.ts';
