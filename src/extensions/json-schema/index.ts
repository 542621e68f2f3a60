export { inputSchemaOf } from './input-schema.ts';
export { outputSchemaOf } from './output-schema.ts';
export { Components, scalarSchemaOf } from './json-schema.ts';
export type { JSONSchema, ScalarSchemas } from './json-schema.ts';
export { descriptionOf, directiveValues, fragmentsOf, operationWithOneAnswer } from './operation.ts';
