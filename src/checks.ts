export { checkWhole } from './development/check-schema.ts';
export { checkDataSourceOptions, checkDataSources } from './development/data-source-check.ts';
export { watchOptions, warnOfOptions } from './development/watch-options.ts';
