/**
 * The playground: GraphiQL on the endpoint that served the page. scripts/playground.ts bundles it; browsers run it.
 *
 * It has no configuration: everything it needs is in the address of its own page. A link may fill in an operation
 * (`?query=&variables=&operationName=`), which runs when somebody presses the button, and never by itself.
 */
import { createGraphiQLFetcher, createLocalStorage } from '@graphiql/toolkit';
import type { Fetcher, FetcherParams } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import type { GraphiQLProps } from 'graphiql';
import 'graphiql/style.css';
import { getOperationAST, parse } from 'graphql';
import type { OperationDefinitionNode } from 'graphql';
import { createElement, Fragment, useEffect, useState } from 'react';
import type { FunctionComponent } from 'react';
import { createRoot } from 'react-dom/client';

import { AnswerPanel } from './answer-panel.ts';
import { watchedFetch, withoutReport } from './answers.ts';
import { ExplainButton } from './explain-button.ts';
import { firstOperation, loadSchema } from './schema.ts';
import { subscribe } from './subscribe.ts';

declare global {
  interface Window {
    /** The address of worker.ts, bundled. The page that carries this script sets it. */
    playgroundWorker: string;
  }
}

window.MonacoEnvironment = { getWorker: (_, label) => new Worker(window.playgroundWorker, { name: label }) };

// Not the path alone: "//evil.example/", which reaches us as a path, would be an address of another host to fetch.
const endpoint = location.origin + location.pathname;

/** Sent with every request, and read anew for each. */
const headers: Record<string, string> = {
  // GraphiQL reads parts in the current format; whole answers come for all that has none.
  accept: 'application/graphql-response+json, application/json, multipart/mixed;incrementalSpec=v0.2',
  // No page of another site can send this without a preflight: it passes any setting of csrfPrevention.
  'vendor-require-preflight': 'playground',
};

const memory = `playground:${location.pathname}:explain`;

function explain(isOn: boolean): void {
  if (isOn) headers['graphql-functions-explain'] = '1';
  else delete headers['graphql-functions-explain'];
  localStorage.setItem(memory, String(isOn));
}

const isExplained = localStorage.getItem(memory) === 'true';
if (isExplained) explain(true);

const toolbar = createElement(GraphiQL.Toolbar, {
  children: ({ prettify, merge, copy }) =>
    createElement(Fragment, null, prettify, merge, copy, createElement(ExplainButton, { isOnAtFirst: isExplained, onSwitch: explain })),
});
const footer = createElement(GraphiQL.Footer, { children: createElement(AnswerPanel) });

const answer = createGraphiQLFetcher({ url: endpoint, headers, fetch: watchedFetch });

const fetcher: Fetcher = (asked, options) => {
  const parameters = withWrittenOperation(asked);
  if (isSubscription(parameters)) return subscribe({ url: endpoint, headers: { ...headers, ...options?.headers }, parameters });
  return explained(answer(parameters, options));
};

/** Takes the server's explanation out of the answer, or out of each of its parts. */
async function explained(answering: ReturnType<Fetcher>): Promise<Awaited<ReturnType<Fetcher>>> {
  const result = await answering;
  if (!(Symbol.asyncIterator in result)) return withoutReport(result) as typeof result;
  return (async function* parts() {
    for await (const part of result as AsyncIterable<unknown>) yield Array.isArray(part) ? part.map(withoutReport) : withoutReport(part);
  })() as unknown as typeof result;
}

/** Not by GraphiQL's own document: it lags behind what is written. */
function isSubscription({ query, operationName }: FetcherParams): boolean {
  return operationOf(query, operationName)?.operation === 'subscription';
}

function operationOf(query: string, name: string | null | undefined): OperationDefinitionNode | undefined {
  try {
    return getOperationAST(parse(query), name) ?? undefined;
  } catch {
    // The server says what is wrong with it.
    return undefined;
  }
}

const link = new URLSearchParams(location.search);
const linked = link.get('query');
const linkedOperation = link.get('operationName') ?? undefined;
/** The operation in which Ctrl-Enter was pressed last. */
let pressed: string | undefined;

/** GraphiQL keeps to the operation that a link names, also where the document is another by now. */
function withWrittenOperation(parameters: FetcherParams): FetcherParams {
  if (linkedOperation === undefined) return parameters;
  const isWritten = (name: string | undefined): boolean => name !== undefined && operationOf(parameters.query, name) !== undefined;
  return { ...parameters, operationName: [pressed, linkedOperation].find(isWritten) ?? null };
}

/** GraphiQL with a schema that is looked at again whenever somebody comes back to the page: from the editor, say. */
const Playground: FunctionComponent<{ readonly first: Awaited<ReturnType<typeof loadSchema>> }> = ({ first }) => {
  const [known, setKnown] = useState(first);
  useEffect(() => {
    const look = async (): Promise<void> => {
      const now = await loadSchema(endpoint, headers);
      if (now !== undefined) setKnown((before) => (before?.text === now.text ? before : now));
    };
    const onFocus = (): void => void look();
    addEventListener('focus', onFocus);
    return () => removeEventListener('focus', onFocus);
  }, []);
  const properties: GraphiQLProps = {
    fetcher,
    ...(known !== undefined && { schema: known.schema }),
    // Functions of one site share an origin, and must not share their tabs.
    storage: createLocalStorage({ namespace: `playground:${location.pathname}` }),
    defaultQuery: firstOperation(first?.schema),
    ...(linked !== null && { initialQuery: linked, initialVariables: link.get('variables') ?? '' }),
    ...(linkedOperation !== undefined && { operationName: linkedOperation }),
    onEditOperationName: (name) => void (pressed = name),
  };
  return createElement(GraphiQL, properties, toolbar, footer);
};

const phone = document.createElement('style');
phone.textContent = `@media (max-width: 640px) {
  #graphiql-session { flex-direction: column; overflow: auto }
  #graphiql-session > .graphiql-horizontal-drag-bar { display: none }
  #graphiql-session > .graphiql-editors, #graphiql-session > .graphiql-response { flex: 1 0 45% !important; min-width: 0; max-width: 100% }
}`;
document.head.append(phone);

const place = document.querySelector('#playground');

async function start(root: Element): Promise<void> {
  const first = await loadSchema(endpoint, headers);
  createRoot(root).render(createElement(Playground, { first }));
}

// oxlint-disable-next-line unicorn/prefer-top-level-await -- the bundle is a script, not a module
if (place !== null) void start(place);
