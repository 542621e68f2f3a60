import { documentError } from '../json-schema/index.ts';
import type { Route } from './route.ts';

/** The routes that a path matches, in the order in which they are tried: literals before parameters, from the left. */
export interface Matched {
  readonly routes: readonly Route[];
  /** The segments of the path, as they were sent. */
  readonly segments: readonly string[];
}

interface Node {
  readonly literals: Map<string, Node>;
  parameter: Node | undefined;
  /** The routes that end here, by method. */
  readonly routes: Map<string, Route>;
}

/** Finds routes by path, segment by segment. */
export class RouteTable {
  readonly routes: Route[] = [];
  readonly #root: Node = createNode();

  /** Throws for a second route with the same method and shape. */
  add(route: Route): void {
    let node = this.#root;
    for (const segment of route.segments) node = next(node, segment);
    const known = node.routes.get(route.method);
    if (known !== undefined)
      throw documentError(route.documentId, 'route', {
        message: `"${known.documentId}" is the route ${route.method} ${known.template}.`,
      });
    node.routes.set(route.method, route);
    this.routes.push(route);
  }

  /** Returns the routes of a path without leading slash. A trailing slash does not count. */
  match(path: string): Matched {
    const segments = path.replace(/\/$/, '').split('/');
    const routes: Route[] = [];
    const visit = (node: Node, at: number): void => {
      if (at === segments.length) {
        routes.push(...node.routes.values());
        return;
      }
      const literal = node.literals.get(decoded(segments[at]!) ?? '');
      if (literal !== undefined) visit(literal, at + 1);
      if (node.parameter !== undefined && segments[at] !== '') visit(node.parameter, at + 1);
    };
    visit(this.#root, 0);
    return { routes, segments };
  }
}

/** Decodes a segment. Undefined if it is malformed. */
export function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function createNode(): Node {
  return { literals: new Map(), parameter: undefined, routes: new Map() };
}

function next(node: Node, segment: Route['segments'][number]): Node {
  if (typeof segment !== 'string') return (node.parameter ??= createNode());
  const known = node.literals.get(segment) ?? createNode();
  node.literals.set(segment, known);
  return known;
}
