export { checkWhole } from './development/check-schema.ts';
export { checkPlugins } from './development/plugin-check.ts';
