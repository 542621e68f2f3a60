export * from '../tools/explain/index.ts';
