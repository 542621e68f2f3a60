import { getNullableType, isInputObjectType, isListType, isScalarType } from 'graphql';
import type { GraphQLInputType, GraphQLNamedInputType } from 'graphql';

import { isRecord } from '../../shared/index.ts';
import { leafSchema } from '../json-schema/index.ts';
import type { ScalarSchemas } from '../json-schema/index.ts';
import { badRequest } from './problem.ts';
import type { Target } from './route.ts';

/** The variables of an operation, without a prototype because a variable may have the name `__proto__`. */
export type Variables = Record<string, unknown>;

/**
 * Reads the texts of a parameter as values of the target's type. Throws 400 for a text that cannot be read. Coercion refuses values of
 * another type.
 */
export function valueOf(name: string, texts: readonly string[], { type }: Target, scalars: ScalarSchemas): unknown {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    const item = getNullableType(nullable.ofType as GraphQLInputType) as GraphQLNamedInputType;
    return texts.map((text) => readText(name, text, item, scalars));
  }
  if (texts.length > 1) throw badRequest(`Expected the parameter "${name}" once, got it ${texts.length} times.`);
  return readText(name, texts[0]!, nullable as GraphQLNamedInputType, scalars);
}

function readText(name: string, text: string, type: GraphQLNamedInputType, scalars: ScalarSchemas): unknown {
  if (isInputObjectType(type)) return readJSON(name, text);
  const { type: json } = isScalarType(type) ? leafSchema(type, scalars) : {};
  if (json === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (json === 'integer' || json === 'number') return jsonNumber.test(text) ? Number(text) : text;
  return text;
}

/** A number of JSON (RFC 8259 section 6). */
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function readJSON(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest(`Expected the parameter "${name}" to be JSON, got a text that is none.`);
  }
}

/** Returns a container with a value in the place of a member, or the value itself without members. Other members stay. */
export function placed(container: unknown, [member, ...below]: readonly string[], value: unknown): unknown {
  if (member === undefined) return value;
  // Coercion refuses anything else in the place of an input object.
  if (container !== undefined && container !== null && !isRecord(container)) return container;
  return { ...container, [member]: placed(container?.[member], below, value) };
}
