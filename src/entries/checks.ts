export { checkDataSourceOptions, checkDataSources, checkWhole, warnOfOptions, watchOptions } from '../tools/checks/index.ts';
