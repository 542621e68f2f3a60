export { incrementalDelivery } from '../server/index.ts';
export type { IncrementalDelivery, IncrementalDeliveryOptions } from '../server/index.ts';
