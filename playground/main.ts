/**
 * The playground: GraphiQL for the endpoint that served the page. scripts/playground.ts bundles it; browsers run it.
 *
 * It has no configuration: the page's URL contains everything. A link may fill in an operation (`?query=&variables=&operationName=`).
 * The operation runs only when the user presses the button.
 */
import { explorerPlugin } from '@graphiql/plugin-explorer';
import '@graphiql/plugin-explorer/style.css';
import { HISTORY_PLUGIN } from '@graphiql/plugin-history';
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

import { addContrast, watchExplorer } from './access.ts';
import { AnswerPanel } from './answer-panel.ts';
import { watchedEvents, watchedFetch, withoutReport } from './answers.ts';
import { CopyButtons } from './copy-buttons.ts';
import { ExplainButton } from './explain-button.ts';
import { Header } from './header.ts';
import { OnErrorSelect } from './on-error-select.ts';
import { firstOperation, loadSchema } from './schema.ts';
import { subscribe } from './subscribe.ts';

declare global {
  interface Window {
    /** The address of worker.ts, bundled. The page that carries this script sets it. */
    playgroundWorker: string;
    /** False where operations cannot be explained. */
    playgroundExplains: boolean;
  }
}

window.MonacoEnvironment = { getWorker: (_, label) => new Worker(window.playgroundWorker, { name: label }) };

// Not only the path: fetch reads "//evil.example/" as another host.
const endpoint = location.origin + location.pathname;
const functionName = decodeURIComponent(location.pathname.split('/').findLast((part) => part !== '') ?? location.host);
document.title = `${functionName} | GraphQL playground`;

/** Sent with every request. */
const headers: Record<string, string> = {
  // The format of incremental delivery that GraphiQL reads. Servers without it send the whole response.
  accept: 'application/graphql-response+json, application/json, multipart/mixed;incrementalSpec=v0.2',
  // A page of another site cannot send this without a preflight, so every setting of csrfPrevention accepts it.
  'graphql-require-preflight': 'playground',
};

/** Functions of one site share an origin, but not their tabs and settings. */
const namespace = `playground:${location.pathname}`;
const explainKey = `${namespace}:explain`;

function explain(isOn: boolean): void {
  if (isOn) headers['graphql-functions-explain'] = '1';
  else delete headers['graphql-functions-explain'];
  localStorage.setItem(explainKey, String(isOn));
}

const isExplained = window.playgroundExplains && localStorage.getItem(explainKey) === 'true';
if (isExplained) explain(true);

/** The request parameter of this name, or an empty string. */
let onError = '';
const toolbar = createElement(GraphiQL.Toolbar, {
  children: ({ prettify, merge, copy }) =>
    createElement(
      Fragment,
      null,
      prettify,
      merge,
      copy,
      createElement(CopyButtons, { endpoint }),
      window.playgroundExplains && createElement(ExplainButton, { isOnAtFirst: isExplained, onSwitch: explain }),
      createElement(OnErrorSelect, { onChange: (value) => void (onError = value) }),
    ),
});
const footer = createElement(GraphiQL.Footer, { children: createElement(AnswerPanel) });
const logo = createElement(GraphiQL.Logo, { children: createElement(Header, { endpoint }) });
/** Clicking a field adds it to the operation. */
const explorer = explorerPlugin({ showAttribution: false });
const plugins = [HISTORY_PLUGIN, explorer];

const answer = createGraphiQLFetcher({ url: endpoint, headers, fetch: watchedFetch });

const fetcher: Fetcher = (given, options) => {
  const parameters = { ...withWrittenOperation(given), ...(onError !== '' && { onError }) };
  if (isSubscription(parameters))
    return watchedEvents(subscribe({ url: endpoint, headers: { ...headers, ...options?.headers }, parameters }));
  return explained(answer(parameters, options));
};

/** Removes the server's explanation from the response, or from each of its parts. */
async function explained(answering: ReturnType<Fetcher>): Promise<Awaited<ReturnType<Fetcher>>> {
  const result = await answering;
  if (!(Symbol.asyncIterator in result)) return withoutReport(result) as typeof result;
  return (async function* parts() {
    for await (const part of result as AsyncIterable<unknown>) yield Array.isArray(part) ? part.map(withoutReport) : withoutReport(part);
  })() as unknown as typeof result;
}

/** Parses the text itself: the document that GraphiQL has parsed may be older. */
function isSubscription({ query, operationName }: FetcherParams): boolean {
  return operationOf(query, operationName)?.operation === 'subscription';
}

function operationOf(query: string, name: string | null | undefined): OperationDefinitionNode | undefined {
  try {
    return getOperationAST(parse(query), name) ?? undefined;
  } catch {
    // The server reports the syntax error.
    return undefined;
  }
}

const link = new URLSearchParams(location.search);
const linked = link.get('query');
const linkedOperation = link.get('operationName') ?? undefined;
/** The operation in which Ctrl-Enter was pressed last. */
let pressed: string | undefined;

/** GraphiQL always sends the operation name of the link, even if the document no longer has that operation. */
function withWrittenOperation(parameters: FetcherParams): FetcherParams {
  if (linkedOperation === undefined) return parameters;
  const isWritten = (name: string | undefined): boolean => name !== undefined && operationOf(parameters.query, name) !== undefined;
  return { ...parameters, operationName: [pressed, linkedOperation].find(isWritten) ?? null };
}

/** On a first visit, where there is room for it; later as the user left it. */
const isExplorerOpen = localStorage.getItem(`${namespace}:graphiql:visiblePlugin`) === null && !matchMedia('(max-width: 640px)').matches;

/** Loads the schema again when the user returns to the page, for example from the editor, and when headers have been typed. */
const Playground: FunctionComponent<{ readonly first: Awaited<ReturnType<typeof loadSchema>> }> = ({ first }) => {
  const [known, setKnown] = useState(first);
  const [typed, setTyped] = useState('');
  useEffect(() => {
    const look = async (): Promise<void> => {
      const now = await loadSchema(endpoint, { ...headers, ...fieldsIn(typed) });
      if (now !== undefined) setKnown((before) => (before?.text === now.text ? before : now));
    };
    const onFocus = (): void => void look();
    addEventListener('focus', onFocus);
    if (typed !== '') onFocus();
    return () => removeEventListener('focus', onFocus);
  }, [typed]);
  const properties: GraphiQLProps = {
    fetcher,
    // Without a schema, GraphiQL would look for one itself.
    schema: known?.schema ?? null,
    onEditHeaders: setTyped,
    storage: createLocalStorage({ namespace }),
    plugins,
    ...(isExplorerOpen && { visiblePlugin: explorer }),
    defaultQuery: firstOperation(first?.schema),
    ...(linked !== null && { initialQuery: linked, initialVariables: link.get('variables') ?? '' }),
    ...(linkedOperation !== undefined && { operationName: linkedOperation }),
    onEditOperationName: (name) => void (pressed = name),
  };
  return createElement(GraphiQL, properties, logo, toolbar, footer);
};

/** Empty until the text is complete. */
function fieldsIn(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch {
    return {};
  }
}

const style = document.createElement('style');
/** Of the explorer in the light theme: GraphiQL's have less contrast than WCAG 2 asks for (AA). */
const darker = '--color-info: 208, 100%, 38%; --color-tertiary: 188, 100%, 26%';
style.textContent = `
@media (prefers-color-scheme: light) { body:not(.graphiql-dark) .docExplorerWrap { ${darker} } }
body.graphiql-light .docExplorerWrap { ${darker} }
.graphiql-container .graphiql-logo { min-width: 0; font-size: 12px }
.endpoint { color: hsla(var(--color-neutral), 0.9); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; display: block; max-width: 40vw }
.copy-buttons { display: contents }
@media (max-width: 640px) {
  .graphiql-container .graphiql-session-header { height: auto; flex-wrap: wrap; row-gap: 4px }
  .graphiql-container .graphiql-logo { order: -1; flex-basis: 100%; margin-left: 0 }
  .endpoint { max-width: 100%; white-space: normal; overflow-wrap: anywhere }
  /* The editors are positioned: without this, they would stay while the rest scrolls, and would be as tall as their text. */
  #graphiql-session { flex-direction: column; overflow: auto; position: relative }
  #graphiql-session > .graphiql-horizontal-drag-bar { display: none }
  #graphiql-session > .graphiql-editors { flex: 0 0 auto !important; min-width: 0; max-width: 100% }
  #graphiql-session > .graphiql-response { flex: 1 0 40vh !important; min-width: 0; max-width: 100% }
  .graphiql-container .graphiql-query-editor { flex: 0 0 auto !important; flex-direction: column; gap: 8px; padding: 8px }
  .graphiql-query-editor > .graphiql-editor { flex: none; height: 34vh }
  .graphiql-container .graphiql-toolbar { width: 100%; flex-direction: row; justify-content: space-between; order: -1; gap: 0 }
  .graphiql-container .graphiql-editor-tool { flex: 0 0 auto !important; height: 22vh }
  .graphiql-container .graphiql-plugin:not(:empty) { position: fixed; inset: 0 0 0 60px; z-index: 5; max-width: none !important; background: hsl(var(--color-base)); flex: none !important }
  .graphiql-main > .graphiql-horizontal-drag-bar { display: none }
  .graphiql-response > .result-window { min-height: 25vh; overflow: hidden }
  .answer-panel { max-height: none !important }
}`;
document.head.append(style);

const place = document.querySelector('#playground');

async function start(root: Element): Promise<void> {
  addContrast();
  watchExplorer(root);
  const first = await loadSchema(endpoint, headers);
  createRoot(root).render(createElement(Playground, { first }));
}

if (place !== null) void start(place);
