export { compression } from './plugin.ts';
export type { CompressionOptions } from './plugin.ts';
