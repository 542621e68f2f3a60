export { checkPlugins } from './development/plugin-check.ts';
