import { Contents } from './contents.ts';
import type { Answered } from './contents.ts';
import { dialects } from './dialects.ts';
import type { Place } from './selection.ts';
import { tagsOfContents } from './tags.ts';
import type { TagSettings } from './tags.ts';

/** The tags of an answer, as routers read them in its `extensions`. */
export type TagExtensions = { readonly apolloCacheTags: readonly string[] } | { readonly apolloEntityCacheTags: readonly string[][] };

/**
 * For `_entities`, one list of tags for each entity, in their order; otherwise the tags of the answer. Undefined: the lists could not be
 * separated, because the operation has other fields beside `_entities`, or there are too many tags.
 */
export function tagExtensionsOf(root: Place, data: Answered, tags: readonly string[], settings: TagSettings): TagExtensions | undefined {
  const names = root.fieldNames.filter((name) => !name.startsWith('__'));
  if (!names.includes('_entities')) return { apolloCacheTags: tags };
  const [field, ...others] = root.shapeOf(root.types[0]!).fields;
  if (names.length > 1 || others.length > 0) return undefined;
  const limits = dialects['apollo-router'].tags!;
  const lists: string[][] = [];
  let left = limits.maxTags;
  for (const entity of data[field!.key] as readonly unknown[]) {
    const contents = new Contents();
    // A change of any entity would purge every entity that has a tag of the list.
    contents.add({ hasList: false, below: field!.below }, entity);
    const ofEntity = tagsOfContents(contents, entity === null ? names : [], limits, settings);
    if (ofEntity === undefined || (left -= ofEntity.length) < 0) return undefined;
    lists.push([...ofEntity]);
  }
  return { apolloEntityCacheTags: lists };
}
