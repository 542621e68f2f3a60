import { getNullableType, isListType, Kind } from 'graphql';
import type { DirectiveNode, FieldNode, GraphQLObjectType, SelectionSetNode } from 'graphql';

import { appliesTo, planField } from '../plan/collect-fields.ts';
import type { CollectSettings } from '../plan/collect-fields.ts';
import type { NodesOfObject, PartsFormat } from '../plan/parts-planner.ts';
import type { Deferral, FieldParts, PlannedField } from '../plan/planned-field.ts';
import { isIncluded } from '../plan/conditions.ts';
import { DeferredFields } from './deferred-fields.ts';
import type { FieldGroup } from './deferred-fields.ts';
import { StreamedField } from './streamed-field.ts';
import { deferUsageOf, streamUsageOf } from './usage.ts';
import type { DeferUsage } from './usage.ts';
import { getOrCreate } from '../../shared/index.ts';

/**
 * Collects fields as `collectFields` does, and groups them by the fragments that they are delivered with. In the current format a field
 * of several deferred fragments is delivered once, with the first of them that is complete; in the legacy format with each.
 */
export function collectParts(settings: CollectSettings, { type, nodes, parts }: NodesOfObject, format: PartsFormat): CollectedParts {
  const origin = parts as OriginOfField | undefined;
  const around = origin?.around ?? outside;
  const aroundKey = keyOf(around);
  const collector = new PartsCollector(settings, type);
  for (const [at, { selectionSet }] of nodes.entries()) if (selectionSet !== undefined) collector.visit(selectionSet, origin?.usages[at]);
  if (collector.isTooLarge) return { fields: [], deferral: new DeferredFields(collector.usages, [], false, Infinity) };
  const fields: PlannedField[] = [];
  const groups = new Map<string, { readonly usages: readonly DeferUsage[]; readonly fields: PlannedField[] }>();
  let isShared = false;
  for (const [responseName, details] of collector.details) {
    for (const target of format === 'legacy' ? byUsage(details) : [merged(details)]) {
      const field = planWithParts(settings, { type, responseName, around: target.usages }, target.details);
      if (field === undefined) continue;
      const key = keyOf(target.usages);
      if (key === aroundKey) {
        fields.push(field);
        isShared ||= (field.parts as OriginOfField | undefined)?.isShared === true;
      } else {
        getOrCreate(groups, key, () => ({ usages: target.usages, fields: [] })).fields.push(field);
      }
    }
  }
  if (collector.usages.length === 0 && groups.size === 0) return { fields, deferral: undefined };
  return { fields, deferral: new DeferredFields(collector.usages, [...groups.values()] satisfies FieldGroup[], isShared) };
}

/** The fields in the part of the object, and those of later parts. */
interface CollectedParts {
  readonly fields: readonly PlannedField[];
  readonly deferral: Deferral | undefined;
}

/**
 * The most fields of one object with its fragments expanded, where a fragment counts once for each `@defer` around it. An object with more
 * fields than that has none of them deferred.
 */
const maxDetails = 15_000;

/** A field node, and the innermost `@defer` around it. */
interface Detail {
  readonly node: FieldNode;
  readonly usage: DeferUsage | undefined;
}

/** Details of one response name that are delivered together, with any of these fragments. */
interface Target {
  /** Empty: with the object that was not deferred. */
  readonly usages: readonly DeferUsage[];
  readonly details: readonly Detail[];
}

class PartsCollector {
  /** The fields by response name. */
  readonly details: Map<string, Detail[]> = new Map();
  /** Every `@defer` that was encountered, outer ones first. */
  readonly usages: DeferUsage[] = [];
  #count = 0;
  readonly #settings: CollectSettings;
  readonly #type: GraphQLObjectType;
  /**
   * The `@defer` directives inside which each fragment has been visited, by the fragment's name; null stands for a visit outside of any
   * `@defer`.
   */
  readonly #visited: Map<string, Set<DirectiveNode | null>> = new Map();

  constructor(settings: CollectSettings, type: GraphQLObjectType) {
    this.#settings = settings;
    this.#type = type;
  }

  visit({ selections }: SelectionSetNode, usage: DeferUsage | undefined): void {
    const { schema, conditions, fragments } = this.#settings;
    for (const selection of selections) {
      if (this.isTooLarge) return;
      if (!isIncluded(selection, conditions)) continue;
      if (selection.kind === Kind.FIELD) {
        this.#add(selection, usage);
        continue;
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments[selection.name.value];
      if (fragment === undefined || !appliesTo(schema, fragment.typeCondition, this.#type)) continue;
      const own = deferUsageOf(selection, usage, conditions);
      const around = own ?? usage;
      if (selection.kind === Kind.FRAGMENT_SPREAD && !this.#isNew(selection.name.value, around)) continue;
      if (own !== undefined) this.usages.push(own);
      this.visit(fragment.selectionSet, around);
    }
  }

  get isTooLarge(): boolean {
    return this.#count > maxDetails;
  }

  /** False if the fragment has been collected for this `@defer`, or for the part that is not deferred. */
  #isNew(name: string, usage: DeferUsage | undefined): boolean {
    const visited = getOrCreate(this.#visited, name, () => new Set());
    const directive = usage?.directive ?? null;
    if (visited.has(null) || visited.has(directive)) return false;
    visited.add(directive);
    return true;
  }

  #add(node: FieldNode, usage: DeferUsage | undefined): void {
    this.#count++;
    getOrCreate(this.details, (node.alias ?? node.name).value, () => []).push({ node, usage });
  }
}

function byUsage(details: readonly Detail[]): readonly Target[] {
  const targets = new Map<DeferUsage | undefined, { usages: readonly DeferUsage[]; details: Detail[] }>();
  for (const detail of details) {
    const { usage } = detail;
    getOrCreate(targets, usage, () => ({ usages: usage === undefined ? [] : [usage], details: [] })).details.push(detail);
  }
  return [...targets.values()];
}

/** A field that is also selected outside of any `@defer` is not deferred. One inside of another that selects the field does not count. */
function merged(details: readonly Detail[]): Target {
  const all = new Set(details.map(({ usage }) => usage));
  if (all.has(undefined)) return { usages: [], details };
  const usages = [...(all as Set<DeferUsage>)].filter(({ parent }) => {
    for (let above = parent; above !== undefined; above = above.parent) if (all.has(above)) return false;
    return true;
  });
  return { usages, details };
}

function keyOf(usages: readonly DeferUsage[]): string {
  if (usages.length < 2) return usages.length === 0 ? '' : String(usages[0]!.id);
  return usages
    .map(({ id }) => id)
    .toSorted((one, other) => one - other)
    .join(' ');
}

interface FieldPlace {
  readonly type: GraphQLObjectType;
  readonly responseName: string;
  /** The fragments with which the field is delivered. */
  readonly around: readonly DeferUsage[];
}

/** Plans a field with the effects of `@defer` and `@stream`. Returns undefined for a field that the type does not have. */
function planWithParts(
  settings: CollectSettings,
  { type, responseName, around }: FieldPlace,
  details: readonly Detail[],
): PlannedField | undefined {
  const [{ node }, ...others] = details as readonly [Detail, ...Detail[]];
  const field = planField(settings, type, { responseName, node });
  if (field === undefined) return undefined;
  for (const detail of others) field.nodes.push(detail.node);
  const usages = details.map(({ usage }) => usage);
  const isDeferred = usages.some((usage) => usage !== undefined);
  const stream = isListType(getNullableType(field.definition.type)) ? streamUsageOf(node, settings.conditions) : undefined;
  if (!isDeferred && stream === undefined) return field;
  let items = field;
  if (stream !== undefined && isDeferred) {
    items = planField(settings, type, { responseName, node })!;
    for (const detail of others) items.nodes.push(detail.node);
  }
  field.parts = new OriginOfField(usages, around, stream && new StreamedField(stream, items));
  return field;
}

/** The origin of a field's nodes. */
class OriginOfField implements FieldParts {
  /** The innermost `@defer` around each node. */
  readonly usages: readonly (DeferUsage | undefined)[];
  /** The fragments with which the field is delivered. */
  readonly around: readonly DeferUsage[];
  readonly stream: StreamedField | undefined;

  constructor(usages: readonly (DeferUsage | undefined)[], around: readonly DeferUsage[], stream: StreamedField | undefined) {
    this.usages = usages;
    this.around = around;
    this.stream = stream;
  }

  /** True if fields below this one may be delivered with other fragments. */
  get isShared(): boolean {
    return this.usages.some((usage) => (usage === undefined ? this.around.length > 0 : !this.around.includes(usage)));
  }
}

const outside: readonly DeferUsage[] = [];
