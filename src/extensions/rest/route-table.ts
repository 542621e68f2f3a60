import { documentError } from '../json-schema/index.ts';
import type { Route } from './route.ts';

/** The routes that a path matches, in the order in which they are tried: literals before parameters, from the left. */
export interface Matched {
  readonly routes: readonly Route[];
  /** The segments of the path; undefined for a segment that is not percent-encoded UTF-8. */
  readonly segments: readonly (string | undefined)[];
}

/** Finds routes by path, segment by segment. */
export class RouteTable {
  readonly routes: Route[] = [];
  readonly #shapes = new Map<string, Route>();
  /** The most segments of a route. */
  #longest = 0;

  /** Throws for a second route with the same method and shape. */
  add(route: Route): void {
    const shape = [route.method, ...route.segments.map((segment) => (typeof segment === 'string' ? segment : '{}'))].join('/');
    const known = this.#shapes.get(shape);
    if (known !== undefined)
      throw documentError(route.documentId, 'route', { message: `"${known.documentId}" is the route ${known.method} ${known.template}.` });
    this.#shapes.set(shape, route);
    this.routes.push(route);
    this.#longest = Math.max(this.#longest, route.segments.length);
  }

  /** Returns the routes of a path without leading slash. A trailing slash does not count. */
  match(path: string): Matched {
    // A path may have thousands of ends that are tried. One that is longer than every route is not read to its end.
    const texts = (path.endsWith('/') ? path.slice(0, -1) : path).split('/', this.#longest + 1);
    const segments = texts.length > this.#longest ? [] : texts.map(decoded);
    const isMatch = ({ segments: wanted }: Route): boolean =>
      wanted.length === segments.length &&
      wanted.every((one, at) => (typeof one === 'string' ? one === segments[at] : segments[at] !== ''));
    return { routes: this.routes.filter(isMatch).toSorted((one, other) => orderOf(one).localeCompare(orderOf(other))), segments };
  }
}

function orderOf({ segments }: Route): string {
  return segments.map((segment) => (typeof segment === 'string' ? 0 : 1)).join('');
}

/** Decodes a text. Undefined if it is malformed. */
export function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
