import type { Shareable } from './decide.ts';
import type { TagSettings } from './contents.ts';
import { dialects } from './dialects.ts';
import { tagsOfAnswer } from './tags.ts';

/** The tags of an answer, as routers read them in its `extensions`. */
export type TagExtensions = { readonly apolloCacheTags: readonly string[] } | { readonly apolloEntityCacheTags: readonly string[][] };

/**
 * For `_entities`, one list of tags for each entity, in their order; otherwise the tags of the answer. Undefined: the lists could not be
 * separated, because the operation has other fields beside `_entities`, or there are too many tags.
 */
export function tagExtensionsOf(
  { selection, data }: Pick<Shareable, 'selection' | 'data'>,
  tags: readonly string[],
  settings: TagSettings,
): TagExtensions | undefined {
  const fields = selection.types.flatMap((type) => selection.fieldsFor(type)).filter(({ name }) => !name.startsWith('__'));
  const entities = fields.find(({ name }) => name === '_entities');
  if (entities === undefined) return { apolloCacheTags: tags };
  if (fields.length > 1) return undefined;
  const limits = dialects['apollo-router'].tags!;
  // A change of any entity would purge every entity that has the tag of the list.
  const ofList = new Set(['q:_entities', 'l:_Entity']);
  const lists: string[][] = [];
  let count = 0;
  for (const entity of data[entities.key] as readonly unknown[]) {
    const ofEntity = tagsOfAnswer({ selection, data: { [entities.key]: entity }, objects: undefined }, limits, settings);
    if (ofEntity === undefined || (count += ofEntity.length) > limits.maxTags) return undefined;
    lists.push(ofEntity.filter((tag) => entity === null || !ofList.has(tag)));
  }
  return { apolloEntityCacheTags: lists };
}
