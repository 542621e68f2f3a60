export { inputSchemaOf, partialSchemaOf, typeSchemaOf } from './input-schema.ts';
export { outputSchemaOf, valueSchemaOf } from './output-schema.ts';
export { Components, leafSchema, orNull } from './json-schema.ts';
export type { JSONSchema, Parts, ScalarSchemas } from './json-schema.ts';
export { descriptionOf, directiveValues, documentError, operationWithOneAnswer } from './operation.ts';
