import { allArguments, resolverCall } from '../../message/visible-arguments.ts';
import type { ResolverCall } from '../../message/visible-arguments.ts';
import { isNumber, isText, plainTest } from './leaf.ts';
import type { PlannedField, RowBuilder, Selection } from '../plan/planned-field.ts';
import { sizeOfAliasedNumber } from '../run.ts';

/**
 * Writes the code that makes one object of a selection: fields without a resolver are read from properties, resolvers are called.
 *
 * Why: a loop over fields reads a property of another name each time, which V8 looks up in a table shared by the
 * whole program. In code that names the properties each place has its own, and a value that needs no conversion
 * passes in a few instructions: 1,000 rows of 8 fields take 22 us instead of 150 (bench/execute.ts, without
 * JSON.stringify). In the same way V8 knows which resolver is called where, and makes one code of both.
 *
 * Only names of the document come into the text, each as a JSON string. Undefined where code may not be made from
 * text, as on some platforms, and for very wide objects: the loop does the same.
 */
export function createRowBuilder({ fields }: Selection): RowBuilder | undefined {
  if (fields.length > maxFields) return undefined;
  const calls = fields.map(({ definition: { resolve } }) => resolve && resolverCall(resolve));
  const variables = fields.map((_, at) => `v${at}`);
  const text = `"use strict";
function Row(${variables.join(', ')}) {
${fields.map((field, at) => `  this[${JSON.stringify(field.responseName)}] = v${at};`).join('\n')}
}
Row.prototype = Object.freeze(Object.create(null));
${calls.map((call, at) => call && `const d${at} = definitions[${at}], r${at} = d${at}.resolve, c${at} = calls[${at}].call;`).join('\n')}
return function buildRow(source, rest) {
  let size = 0;
${fields.map((field, at) => readingOf(field, at, calls[at])).join('\n')}
  rest.grow(size);
  return new Row(${variables.join(', ')});
};`;
  try {
    // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- see above
    const create = new Function('definitions', 'calls', text) as (definitions: readonly object[], calls: readonly unknown[]) => RowBuilder;
    const build = create(
      fields.map(({ definition }) => definition),
      calls,
    );
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

function readingOf(field: PlannedField, at: number, call: ResolverCall | undefined): string {
  if (field.typename !== undefined) return `  const v${at} = ${JSON.stringify(field.typename)};`;
  if (call !== undefined) return callResolver(field, at, call.visible);
  return isProperty(field) ? readProperty(field, at) : `  const v${at} = rest.run(${at});`;
}

/** One read per property, as graphql-js has it: a getter may be slow, or start something. */
function readProperty(field: PlannedField, at: number): string {
  const complete = `rest.complete(${at}, v${at})`;
  return `  let v${at};
  f${at}: {
    try { v${at} = source[${JSON.stringify(field.fieldName)}]; } catch (error) { v${at} = rest.fail(${at}, error); break f${at}; }
${completionOf(field, at, isObject(field) ? `typeof v${at} === "object" ? rest.object(${at}, v${at}) : ${complete}` : complete)}
  }`;
}

/** Only what the resolver can see is made for it. */
function callResolver(field: PlannedField, at: number, visible: number): string {
  const values = `rest.values(${at})`;
  const given = ['source', values, 'rest.context', `(s${at} = rest.start(${at})).info`].slice(0, visible);
  // Wrong arguments are an error of the field whether or not anybody reads them.
  const check = visible < 2 && field.arguments?.areConstant === false ? `${values}; ` : '';
  const started = visible === allArguments ? `, s${at}` : '';
  return `  let v${at}${started};
  if (d${at}.resolve !== r${at}) v${at} = rest.replaced(${at});
  else f${at}: {
    try { ${check}v${at} = c${at}(${given.join(', ')}); } catch (error) { v${at} = rest.fail(${at}, error); break f${at}; }
${completionOf(field, at, `rest.${isObject(field) ? 'object' : 'resolved'}(${at}, v${at}${started})`)}
  }`;
}

function isObject({ shape }: PlannedField): boolean {
  return shape.selectionFor !== undefined;
}

/** What becomes of a value: most stand in the response as they are. */
function completionOf(field: PlannedField, at: number, rest: string): string {
  const variable = `v${at}`;
  const otherwise = field.shape.nonNull ? rest : `${variable} === null || ${variable} === undefined ? null : ${rest}`;
  const test = plainTest(field.shape.plain, variable);
  const size = sizeOfPlain(field, variable);
  return `    if (!(${test ?? 'false'})) ${variable} = ${otherwise};${size && `\n    else size += ${size};`}`;
}

/** The growth of the answer by a plain value: see Run.growByLeaf. Empty for none. */
function sizeOfPlain({ shape, isAliased }: PlannedField, variable: string): string {
  if (isText(shape.plain))
    return isAliased ? `(${variable}.length > 64 ? JSON.stringify(${variable}) : ${variable}).length` : `${variable}.length`;
  return isAliased && isNumber(shape.plain) ? String(sizeOfAliasedNumber) : '';
}
