export { inputSchemaOf, partialSchemaOf, typeSchemaOf } from './input-schema.ts';
export { outputSchemaOf, valueSchemaOf } from './output-schema.ts';
export { Components, leafSchema } from './json-schema.ts';
export type { JSONSchema, ScalarSchemas } from './json-schema.ts';
export { descriptionOf, directiveValues, documentError, operationWithOneAnswer } from './operation.ts';
