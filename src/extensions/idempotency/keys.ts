import { visit } from 'graphql';
import type { DirectiveNode, DocumentNode, FieldNode, OperationDefinitionNode, SelectionNode } from 'graphql';

import { sha256 } from '../../shared/index.ts';
import type { CoercedExecution, OperationExecution } from '../../server/index.ts';
import { invalidKey, requiredKey } from './refusals.ts';

/** Where the key of an operation is. */
export type KeySource =
  | { readonly kind: 'header'; readonly key: string }
  /** The argument of `@idempotent`, which may be a variable. */
  | { readonly kind: 'directive'; readonly field: FieldNode };

export interface KeySettings {
  /** Accept a key without quotation marks. */
  readonly bareKeys: boolean;
  /** All mutations, or the fields that need a key. */
  readonly required: boolean | ReadonlySet<string>;
}

/** The key of a mutation; undefined if it has none. Throws if the key is malformed, or missing though it is required. */
export function findKey({ bareKeys, required }: KeySettings, execution: OperationExecution): KeySource | undefined {
  const header = execution.http?.headers.get('idempotency-key') ?? undefined;
  // Most documents do not have the word, and need no walk.
  const field = execution.source.includes('idempotent') ? fieldWithKey(execution) : undefined;
  if (header !== undefined && field !== undefined) throw invalidKey('the header Idempotency-Key or the directive @idempotent, got both');
  if (header !== undefined) return { kind: 'header', key: parseHeader(header, bareKeys) };
  if (field !== undefined) return { kind: 'directive', field };
  if (required === false) return undefined;
  if (required === true) throw requiredKey();
  const missing = rootFields(execution).find(({ name }) => required.has(name.value));
  if (missing !== undefined) throw requiredKey(missing.name.value);
  return undefined;
}

/** The text of the key. Throws if the argument of `@idempotent` is no key. */
export function readKey(source: KeySource, { variableValues }: Pick<CoercedExecution, 'variableValues'>): string {
  if (source.kind === 'header') return source.key;
  const value = directiveOf(source.field)!.arguments?.find(({ name }) => name.value === 'key')?.value;
  const key = value?.kind === 'Variable' ? variableValues[value.name.value] : value?.kind === 'StringValue' && value.value;
  if (typeof key !== 'string' || !plainKey.test(key))
    throw invalidKey(`the key of @idempotent to have 1 to ${maxLength} characters of printable ASCII`);
  return key;
}

/** Characters of a key, as at Stripe. */
const maxLength = 255;
const plainKey = /^[ -~]{1,255}$/;

/**
 * An Item of RFC 9651 (section 3.3.3) whose value is a String. It may have parameters (section 3.1.2), of which the draft defines none.
 * Two lines of the field are joined by a comma, and so are no Item.
 */
const quotedKey = /^ *"((?:[ !#-[\]-~]|\\["\\]){1,510})"(?:; *[a-z*][\w.*-]*(?:=(?:"(?:[ !#-[\]-~]|\\["\\])*"|[\w:+/=.*?@-]+))?)* *$/;
const bareKey = /^ *([!#-+./0-:<-~-]{1,255}) *$/;

function parseHeader(value: string, bareKeys: boolean): string {
  const quoted = value.length <= 1000 ? quotedKey.exec(value)?.[1]?.replaceAll(/\\(.)/g, '$1') : undefined;
  const key = quoted ?? (bareKeys ? bareKey.exec(value)?.[1] : undefined);
  if (key !== undefined && key.length <= maxLength) return key;
  const form = bareKeys ? 'with or without quotation marks' : 'in quotation marks, like "8e03978e-40d5-43dd-bc93-6894a57f9324"';
  throw invalidKey(`one Idempotency-Key of 1 to ${maxLength} characters of printable ASCII ${form}`);
}

/** The root field with `@idempotent`. Throws if the directive is anywhere else, or there are several root fields. */
function fieldWithKey(execution: OperationExecution): FieldNode | undefined {
  if (countDirectives(execution) === 0) return undefined;
  const [field, other] = rootFields(execution);
  if (other !== undefined || field === undefined || directiveOf(field) === undefined || countDirectives(execution) > 1)
    throw invalidKey('@idempotent on the only root field of the mutation. Name an operation with several fields by the header');
  return field;
}

/** Other operations of the document do not count. */
function countDirectives({ document, operation }: Pick<OperationExecution, 'document' | 'operation'>): number {
  let count = 0;
  const countOne = ({ name }: DirectiveNode): void => {
    if (name.value === 'idempotent') count++;
  };
  for (const one of document.definitions) if (one === operation || one.kind === 'FragmentDefinition') visit(one, { Directive: countOne });
  return count;
}

function directiveOf({ directives }: FieldNode): DirectiveNode | undefined {
  return directives?.find(({ name }) => name.value === 'idempotent');
}

/** The root fields, also those of fragments and those that `@skip` leaves out, but not `__typename`. */
function rootFields({ document, operation }: { document: DocumentNode; operation: OperationDefinitionNode }): readonly FieldNode[] {
  const fieldsIn = (selections: readonly SelectionNode[], seen: ReadonlySet<string>): FieldNode[] =>
    selections.flatMap((selection) => {
      if (selection.kind === 'Field') return selection.name.value.startsWith('__') ? [] : selection;
      if (selection.kind === 'InlineFragment') return fieldsIn(selection.selectionSet.selections, seen);
      const name = selection.name.value;
      if (seen.has(name)) return [];
      const fragment = document.definitions.find((one) => one.kind === 'FragmentDefinition' && one.name.value === name);
      return fragment === undefined || !('selectionSet' in fragment)
        ? []
        : fieldsIn(fragment.selectionSet.selections, new Set(seen).add(name));
    });
  return fieldsIn(operation.selectionSet.selections, new Set());
}

/** The id of a record: no separator can be forged in it, and neither identity nor key is legible. */
export function recordId(prefix: string, named: readonly [identity: string, key: string, position: number]): string {
  return prefix + sha256(JSON.stringify(named));
}

/** The same for every attempt: a retry sends the same text and variables. Aliases count, because a stored answer has them. */
export function fingerprintOf({ source, request }: Pick<OperationExecution, 'source' | 'request'>): string {
  const { operationName = null, variables = {} } = request;
  return sha256(JSON.stringify([source, operationName, variables], sortKeys));
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  // With fromEntries, a key "__proto__" stays a key.
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
