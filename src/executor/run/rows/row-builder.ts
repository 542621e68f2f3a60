import { allArguments, resolverCall } from '../visible-arguments.ts';
import type { ResolverCall } from '../visible-arguments.ts';
import { isNumber, isText, plainTest } from '../shapes/leaf.ts';
import type { BuildRow } from './rows.ts';
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
export function createRowBuilder({ fields }: Selection): BuildRow | undefined {
  if (fields.length > maxFields) return undefined;
  const definitions = fields.map(({ definition }) => definition);
  const calls = definitions.map(({ resolve }) => (typeof resolve === 'function' ? resolverCall(resolve) : undefined));
  const readings = fields.map((field, at) => readingOf(field, at, calls[at]));
  const text = `"use strict";
${calls.map((call, at) => `const d${at} = definitions[${at}], r${at} = d${at}.resolve${call === undefined ? '' : `, c${at} = calls[${at}].call`};`).join('\n')}
${codeOf(fields, readings)}`;
  try {
    // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- see above
    const create = new Function('definitions', 'calls', text) as (definitions: readonly object[], calls: readonly unknown[]) => BuildRow;
    return create(definitions, calls);
  } catch {
    return undefined;
  }
}

/** Clients choose how long the code is, and its variables take stack space in each nested list of such objects. */
const maxFields = 200;

/** Reads all fields, and then creates the object with them. */
function codeOf(fields: readonly PlannedField[], readings: readonly string[]): string {
  const variables = fields.map((_, at) => `v${at}`).join(', ');
  return `function Row(${variables}) {
${fields.map((field, at) => `  this[${JSON.stringify(field.responseName)}] = v${at};`).join('\n')}
}
Row.prototype = Object.freeze(Object.create(null));
return function buildRow(source, frame) {
  let size = 0;
${readings.join('\n')}
  frame.grow(size);
  return new Row(${variables});
};`;
}

function readingOf(field: PlannedField, at: number, call: ResolverCall | undefined): string {
  if (field.typename !== undefined) return `  const v${at} = ${JSON.stringify(field.typename)};`;
  if (call !== undefined && call.batch === undefined) return callResolver(field, at, call.visible);
  const isProperty = field.arguments === undefined && field.definition.resolve === undefined;
  return isProperty ? readProperty(field, at) : `  const v${at} = frame.run(${at});`;
}

/** Reads the property once, as graphql-js does: a getter may have side effects. */
function readProperty(field: PlannedField, at: number): string {
  return `  let v${at};
  if (d${at}.resolve !== r${at}) v${at} = frame.run(${at});
  else f${at}: {
    try { v${at} = source[${JSON.stringify(field.fieldName)}]; } catch (error) { v${at} = frame.fail(${at}, error); break f${at}; }
${completionOf(field, at, `frame.property(${at}, v${at})`)}
  }`;
}

/** Calls the resolver with the arguments that it needs. */
function callResolver(field: PlannedField, at: number, visible: number): string {
  const values = `frame.values(${at})`;
  const given = ['source', values, 'frame.context', `(s${at} = frame.start(${at})).info`].slice(0, visible);
  // Invalid arguments are an error of the field even if the resolver does not read them.
  const check = visible < 2 && field.arguments?.areConstant === false ? `${values}; ` : '';
  const started = visible === allArguments ? `, s${at}` : '';
  return `  let v${at}${started};
  if (d${at}.resolve !== r${at}) v${at} = frame.run(${at});
  else f${at}: {
    try { ${check}v${at} = c${at}(${given.join(', ')}); } catch (error) { v${at} = frame.fail(${at}, error); break f${at}; }
${completionOf(field, at, `frame.resolved(${at}, v${at}${started})`)}
  }`;
}

/** Completes a value: most need no conversion. */
function completionOf(field: PlannedField, at: number, complete: string): string {
  const variable = `v${at}`;
  const otherwise = field.shape.nonNull ? complete : `${variable} === null || ${variable} === undefined ? null : ${complete}`;
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
