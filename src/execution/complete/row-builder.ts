import { isText, plainTest } from './leaf.ts';
import type { PlannedField, RowBuilder, Selection } from '../plan/planned-field.ts';

/**
 * Writes the code that makes one object of a selection: fields without a resolver are read from properties, others are calls.
 *
 * Why: a loop over fields reads a property of another name each time, which V8 looks up in a table shared by the
 * whole program. In code that names the properties each place has its own, and a value that needs no conversion
 * passes in a few instructions: 1,000 rows of 8 fields take 22 us instead of 150 (bench/execute.ts, without
 * JSON.stringify).
 *
 * Only names of the document come into the text, each as a JSON string. Undefined where code may not be made from
 * text, as on some platforms, and for very wide objects: the loop does the same.
 */
export function createRowBuilder({ fields }: Selection): RowBuilder | undefined {
  if (fields.length > maxFields) return undefined;
  const variables = fields.map((_, at) => `v${at}`);
  const text = `"use strict";
function Row(${variables.join(', ')}) {
${fields.map((field, at) => `  this[${JSON.stringify(field.responseName)}] = v${at};`).join('\n')}
}
Row.prototype = Object.freeze(Object.create(null));
return function buildRow(source, rest) {
  let size = 0;
${fields.map(readingOf).join('\n')}
  rest.grow(size);
  return new Row(${variables.join(', ')});
};`;
  try {
    // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- see above
    const build = (new Function(text) as () => RowBuilder)();
    build.properties = fields.filter((field) => field.typename === undefined && isProperty(field));
    return build;
  } catch {
    return undefined;
  }
}

/** True when a field is read from its object. Nobody may have put a resolver there since. */
export function isProperty({ arguments: values, definition }: PlannedField): boolean {
  return values === undefined && definition.resolve === undefined;
}

/** The fields are arguments of a call, which take room on the stack, once per list that such objects are nested in. */
const maxFields = 200;

/** One read per property, as graphql-js has it: a getter may be slow, or start something. */
function readingOf(field: PlannedField, at: number): string {
  const variable = `v${at}`;
  if (field.typename !== undefined) return `  const ${variable} = ${JSON.stringify(field.typename)};`;
  if (!isProperty(field)) return `  const ${variable} = rest.run(${at});`;
  const rest = `rest.complete(${at}, ${variable})`;
  const otherwise = field.shape.nonNull ? rest : `${variable} === null || ${variable} === undefined ? null : ${rest}`;
  const test = plainTest(field.shape.plain, variable);
  return `  let ${variable};
  try { ${variable} = source[${JSON.stringify(field.fieldName)}]; } catch (error) { ${variable} = rest.fail(${at}, error); }
  if (!(${test ?? 'false'})) ${variable} = ${otherwise};${isText(field.shape.plain) ? `\n  else size += ${lengthOf(field, variable)};` : ''}`;
}

/** The growth of the answer by a text: see Run.growByLeaf. */
function lengthOf({ isAliased }: PlannedField, variable: string): string {
  return isAliased ? `(${variable}.length > 64 ? JSON.stringify(${variable}) : ${variable}).length` : `${variable}.length`;
}
