export { checkDataSourceOptions, checkDataSources, checkWhole, reportTools, warnOfOptions, watchOptions } from '../tools/checks/index.ts';
