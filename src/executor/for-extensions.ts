// What the extensions import from the executor in addition to its API. No other folder imports this file (test/structure.test.ts).

export { getArgumentValues } from './graphql-version.ts';
