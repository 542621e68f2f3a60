import { useGraphiQL } from '@graphiql/react';
import { createElement, useEffect, useSyncExternalStore } from 'react';
import type { FunctionComponent } from 'react';

import { toolsPath } from './schema.ts';

/** The address of the endpoint, and a link to the page of its MCP tools, if it has one. */
export const Header: FunctionComponent<{ readonly endpoint: string }> = ({ endpoint }) => {
  const tools = useSyncExternalStore(toolsPath.subscribe, toolsPath.get);
  const { queryEditor, variableEditor, headerEditor } = useGraphiQL(
    ({ queryEditor: query, variableEditor: variables, headerEditor: headers }) => ({
      queryEditor: query,
      variableEditor: variables,
      headerEditor: headers,
    }),
  );
  // Long lines are whole at every width.
  useEffect(() => {
    for (const editor of [queryEditor, variableEditor, headerEditor]) editor?.updateOptions({ wordWrap: 'on' });
  }, [queryEditor, variableEditor, headerEditor]);
  return createElement(
    'div',
    { className: 'header-links' },
    tools === undefined ? null : createElement('a', { href: endpoint.replace(/\/$/, '') + tools }, 'MCP tools'),
    createElement('code', { className: 'endpoint', title: 'The endpoint' }, endpoint),
  );
};
