// What the extensions import from the executor in addition to its API. No other folder imports this file (test/structure.test.ts).

export { minRecordedErrors } from './costs.ts';
export { getArgumentValues } from './graphql-version.ts';
export { appliesTo } from './plan/collect-fields.ts';
export { seesInfo } from './run/visible-arguments.ts';
