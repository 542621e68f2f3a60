export { compression } from '../extensions/compression/index.ts';
export type { CompressionOptions } from '../extensions/compression/index.ts';
export type { ServerPlugin } from '../server/index.ts';
