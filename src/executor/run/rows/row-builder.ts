import { allArguments, resolverCall } from '../visible-arguments.ts';
import type { ResolverCall } from '../visible-arguments.ts';
import { isNumber, isText, plainTest } from '../shapes/leaf.ts';
import type { BuildRow, RowBuilder } from './row-code.ts';
import type { PlannedField, Selection } from '../../plan/planned-field.ts';
import { sizeOfAliasedNumber } from '../../costs.ts';

/**
 * Generates a function that makes one object of a selection: it reads properties and calls resolvers.
 *
 * A loop over fields reads another property each time, which V8 looks up in a global cache. Generated code has an inline cache for
 * each property and each resolver: 1,000 rows of 8 fields take 22 us instead of 150 (bench/execute.ts, without JSON.stringify).
 *
 * Only names of the document are inserted, each as a JSON string. Undefined where `new Function` is forbidden, as on some
 * platforms, and for very wide objects: those use the loop.
 */
export function createRowBuilder({ fields }: Selection): RowBuilder<PlannedField> | undefined {
  if (fields.length > maxFields) return undefined;
  const definitions = fields.map(({ definition }) => definition);
  const calls = definitions.map(({ resolve }) => (typeof resolve === 'function' ? resolverCall(resolve) : undefined));
  const readings = fields.map((field, at) => readingOf(field, at, calls[at]));
  const text = `"use strict";
${calls.map((call, at) => call && `const d${at} = definitions[${at}], r${at} = d${at}.resolve, c${at} = calls[${at}].call;`).join('\n')}
${fields.length > maxVariables ? codeInParts(fields, readings) : codeOfOnePart(fields, readings)}`;
  try {
    // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- see above
    const create = new Function('definitions', 'calls', text) as (definitions: readonly object[], calls: readonly unknown[]) => BuildRow;
    const batched = fields.filter((_, at) => calls[at]?.batch !== undefined);
    return { build: create(definitions, calls), resolvers: definitions.map(({ resolve }) => resolve), batched };
  } catch {
    return undefined;
  }
}

/** V8 keeps wider objects as hash tables, which take most of the time, and clients choose how long the code is: 8 MB for 30,000 aliases. */
const maxFields = 1_000;

/** Variables of one function: they take stack space in each nested list of such objects. */
const maxVariables = 200;

/** Reads all fields, and then creates the object with them. */
function codeOfOnePart(fields: readonly PlannedField[], readings: readonly string[]): string {
  const variables = fields.map((_, at) => `v${at}`).join(', ');
  return `function Row(${variables}) {
${fields.map((field, at) => `  this[${JSON.stringify(field.responseName)}] = v${at};`).join('\n')}
}
Row.prototype = Object.freeze(Object.create(null));
return function buildRow(source, rest) {
  let size = 0;
${readings.join('\n')}
  rest.grow(size);
  return new Row(${variables});
};`;
}

/** The properties for which V8 can reserve space in an object, if its constructor sets them. */
const maxInObject = 250;

/** Creates the object, and then reads the fields in several functions. V8 keeps objects with still more properties as hash tables. */
function codeInParts(fields: readonly PlannedField[], readings: readonly string[]): string {
  const starts = fields.flatMap((_, at) => (at % maxVariables === 0 ? at : []));
  const part = (start: number): string => `function part${start}(row, source, rest) {
  let size = 0;
${readings
  .slice(start, start + maxVariables)
  .map((reading, at) => `${reading}\n  row[${JSON.stringify(fields[start + at]!.responseName)}] = v${start + at};`)
  .join('\n')}
  return size;
}`;
  return `function Row() {
${fields
  .slice(0, maxInObject)
  .map(({ responseName }) => `  this[${JSON.stringify(responseName)}] = null;`)
  .join('\n')}
}
Row.prototype = Object.freeze(Object.create(null));
${starts.map(part).join('\n')}
return function buildRow(source, rest) {
  const row = ${fields.length > 2 * maxInObject ? 'Object.create(null)' : 'new Row()'};
  rest.grow(${starts.map((start) => `part${start}(row, source, rest)`).join(' + ')});
  return row;
};`;
}

function readingOf(field: PlannedField, at: number, call: ResolverCall | undefined): string {
  if (field.typename !== undefined) return `  const v${at} = ${JSON.stringify(field.typename)};`;
  if (call?.batch !== undefined) return `  const v${at} = undefined;`;
  if (call !== undefined) return callResolver(field, at, call.visible);
  const isProperty = field.arguments === undefined && field.definition.resolve === undefined;
  return isProperty ? readProperty(field, at) : `  const v${at} = rest.run(${at});`;
}

/** Reads the property once, as graphql-js does: a getter may have side effects. */
function readProperty(field: PlannedField, at: number): string {
  const complete = `rest.property(${at}, v${at})`;
  return `  let v${at};
  f${at}: {
    try { v${at} = source[${JSON.stringify(field.fieldName)}]; } catch (error) { v${at} = rest.fail(${at}, error); break f${at}; }
${completionOf(field, at, hasObjectType(field) ? `typeof v${at} === "object" ? rest.object(${at}, v${at}) : ${complete}` : complete)}
  }`;
}

/** Calls the resolver with the arguments that it needs. */
function callResolver(field: PlannedField, at: number, visible: number): string {
  const values = `rest.values(${at})`;
  const given = ['source', values, 'rest.context', `(s${at} = rest.start(${at})).info`].slice(0, visible);
  // Invalid arguments are an error of the field even if the resolver does not read them.
  const check = visible < 2 && field.arguments?.areConstant === false ? `${values}; ` : '';
  const started = visible === allArguments ? `, s${at}` : '';
  return `  let v${at}${started};
  if (d${at}.resolve !== r${at}) v${at} = rest.run(${at});
  else f${at}: {
    try { ${check}v${at} = c${at}(${given.join(', ')}); } catch (error) { v${at} = rest.fail(${at}, error); break f${at}; }
${completionOf(field, at, `rest.${hasObjectType(field) ? 'object' : 'resolved'}(${at}, v${at}${started})`)}
  }`;
}

function hasObjectType({ shape }: PlannedField): boolean {
  return shape.selectionFor !== undefined;
}

/** Completes a value: most need no conversion. */
function completionOf(field: PlannedField, at: number, rest: string): string {
  const variable = `v${at}`;
  const otherwise = field.shape.nonNull ? rest : `${variable} === null || ${variable} === undefined ? null : ${rest}`;
  const test = plainTest(field.shape.plain, variable);
  const size = sizeOfPlain(field, variable);
  return `    if (!(${test ?? 'false'})) ${variable} = ${otherwise};${size && `\n    else size += ${size};`}`;
}

/** The size of a plain value: see Budget.growByLeaf. Empty for none. */
function sizeOfPlain({ shape, isAliased }: PlannedField, variable: string): string {
  if (isText(shape.plain))
    return isAliased ? `(${variable}.length > 64 ? JSON.stringify(${variable}) : ${variable}).length` : `${variable}.length`;
  return isAliased && isNumber(shape.plain) ? String(sizeOfAliasedNumber) : '';
}
