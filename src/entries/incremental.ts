export { incrementalDelivery } from '../server/http/streams/incremental-delivery.ts';
export type { IncrementalDelivery, IncrementalDeliveryOptions } from '../server/http/streams/incremental-delivery.ts';
