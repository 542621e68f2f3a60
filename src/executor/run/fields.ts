import type { GraphQLResolveInfo } from 'graphql';

import { allArguments, inBatches } from './visible-arguments.ts';
import { runnerOf } from './batch/batch-types.ts';
import { FieldCall, startedOf } from './observed-call.ts';
import { argumentValues } from '../plan/arguments.ts';
import type { ArgumentValues } from '../plan/arguments.ts';
import { handleRejections } from './unhandled-rejections.ts';
import { completeValue, nullOrThrow } from './errors.ts';
import { startField } from './field-run.ts';
import { plainValue } from './shapes/leaf.ts';
import { Pending, PendingContainer, PromisedValue } from './pending.ts';
import type { FieldRun, PlannedField, Selection } from '../plan/planned-field.ts';
import type { Path } from '../plan/path.ts';
import type { Run } from './run.ts';
import { isPromiseLike } from '../../shared/index.ts';
import type { BatchMark } from '../../shared/index.ts';

/**
 * Runs the fields of one object. Returns the object, or a Pending when a field is asynchronous. Throws the located
 * error of a non-null field.
 */
export function executeFields(run: Run, selection: Selection, source: unknown, path: Path | undefined): unknown {
  const { deferral } = selection;
  const inner = deferral === undefined ? run : deferral.enter(run, path);
  if (inner === undefined) return executeFields(run, deferral!.whole, source, path);
  run.budget.grow(selection.size);
  const result = selection.createResult();
  const execute = run.fieldObserver === undefined ? executeField : executeObservedField;
  let pending: PendingContainer | undefined;
  try {
    for (const field of selection.fields) {
      const value = execute(inner, field, source, path);
      if (value instanceof Pending) {
        pending ??= new PendingContainer(run, result);
        pending.waitFor(value, field.responseName);
      } else {
        result[field.responseName] = value;
      }
    }
  } catch (error) {
    handleRejections(source);
    if (pending !== undefined) pending.failed = true;
    throw error;
  }
  if (deferral !== undefined) deferral.defer(inner, source, path);
  if (pending === undefined) return result;
  pending.filled();
  return pending;
}

/**
 * Runs one field: resolver, then completion. Returns the completed value or a Pending; throws a located error if the field is
 * non-null. The path and `info` are created only when needed.
 */
export function executeField(run: Run, field: PlannedField, source: unknown, path: Path | undefined): unknown {
  if (field.typename !== undefined) return field.typename;
  let fieldRun: FieldRun | undefined;
  try {
    const resolve = field.definition.resolve ?? run.fieldResolver;
    let value: unknown;
    if (resolve === undefined) {
      const values = checkArguments(field, run);
      value = propertyOf(source, field.fieldName);
      if (typeof value === 'function') {
        fieldRun = startField(run, field, path);
        value = callMethod(fieldRun, source as object, values);
      }
    } else {
      const { visible, call, batch } = field.callOf(resolve);
      if (visible === inBatches) return runnerOf(batch!).startField(run, field, { source, path, mark: batch! });
      if (visible === allArguments) {
        fieldRun = startField(run, field, path);
        value = resolve(source, argumentValues(field, run), run.contextValue, fieldRun.info);
      } else {
        value = call(source, visible < 2 ? checkArguments(field, run) : argumentValues(field, run), run.contextValue);
      }
    }
    const { shape } = field;
    const plain = plainValue(shape.plain, value);
    if (plain !== undefined) {
      if (typeof plain === 'string' || field.isAliased) run.budget.growByLeaf(plain, field.isAliased);
      return plain;
    }
    if ((value === null || value === undefined) && !shape.nonNull) return null;
    return completeResolved((fieldRun ??= startField(run, field, path)), value, source);
  } catch (error) {
    return nullOrThrow(fieldRun ?? startField(run, field, path), error);
  }
}

/** Like `executeField`, with an observer that is called in place of the resolver. A batched resolver is observed when it is called. */
export function executeObservedField(run: Run, field: PlannedField, source: unknown, path: Path | undefined): unknown {
  const batch = batchOfField(field);
  if (batch !== undefined) return runnerOf(batch).startField(run, field, { source, path, mark: batch });
  const call = new FieldCall(run, field, { source, path });
  try {
    if (field.arguments !== undefined) void call.args;
    const value = run.fieldObserver!.field(call, () => resolveField(call, run, field));
    const plain = plainValue(field.shape.plain, value);
    if (plain === undefined) return completeResolved(startedOf(call), value, source);
    if (typeof plain === 'string' || field.isAliased) run.budget.growByLeaf(plain, field.isAliased);
    return plain;
  } catch (error) {
    return nullOrThrow(startedOf(call), error);
  }
}

/** Undefined for a field without a batched resolver. */
export function batchOfField(field: PlannedField): BatchMark | undefined {
  const { resolve } = field.definition;
  return resolve === undefined || resolve === null ? undefined : field.callOf(resolve).batch;
}

/** Invalid arguments are an error of the field even if its resolver does not read them. Undefined: they cannot be invalid. */
function checkArguments(field: PlannedField, run: Run): ArgumentValues | undefined {
  return field.arguments === undefined || field.arguments.areConstant ? undefined : argumentValues(field, run);
}

/** The result of a field's resolver, or of graphql-js's default resolver. */
function resolveField(observed: FieldCall, run: Run, field: PlannedField): unknown {
  const { source } = observed;
  if (field.typename !== undefined) return field.typename;
  const resolve = field.definition.resolve ?? run.fieldResolver;
  if (resolve !== undefined) {
    const { visible, call } = field.callOf(resolve);
    if (visible < allArguments) return call(source, observed.args, run.contextValue);
    return resolve(source, observed.args, run.contextValue, observed.info);
  }
  const value = propertyOf(source, field.fieldName);
  return typeof value === 'function' ? callMethod(startedOf(observed), source as object, observed.args) : value;
}

function propertyOf(source: unknown, name: string): unknown {
  const hasProperties = (typeof source === 'object' && source !== null) || typeof source === 'function';
  return hasProperties ? (source as Record<string, unknown>)[name] : undefined;
}

/** Calls a method of the parent as graphql-js does, with all arguments of a resolver except the parent. */
export function callMethod(fieldRun: FieldRun, source: object, values?: ArgumentValues): unknown {
  const { run, field, info } = fieldRun;
  const object = source as Record<string, (values: ArgumentValues, contextValue: unknown, info: GraphQLResolveInfo) => unknown>;
  return object[field.fieldName]!(values ?? argumentValues(field, run), run.contextValue, info);
}

/** Completes the result of a resolver, or the value of a property of the parent. */
export function completeResolved(fieldRun: FieldRun, value: unknown, parent: unknown): unknown {
  if (isPromiseLike(value)) return new PromisedValue(fieldRun, value);
  return completeValue(fieldRun, value, parent);
}
