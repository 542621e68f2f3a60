export { undiciFetch } from '../datasources/undici.ts';
export type { UndiciFetchOptions } from '../datasources/undici.ts';
