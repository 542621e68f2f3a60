export * from '../../src/tools/testing/events.ts';
