// What the extensions import from the executor in addition to its API. No other folder imports this file (test/structure.test.ts).

export { minRecordedErrors } from './costs.ts';
export { isGraphQL17 } from './graphql-version.ts';
export { deferDirective, streamDirective } from './parts/directives.ts';
export { planners } from './parts/parts.ts';
export { appliesTo } from './plan/collect-fields.ts';
export { isIncrementalDirective } from './plan/parts-planner.ts';
export { seesInfo } from './run/visible-arguments.ts';
export { handleRejections } from './run/unhandled-rejections.ts';
