import { useGraphiQL } from '@graphiql/react';
import { createElement, useEffect } from 'react';
import type { FunctionComponent } from 'react';

/** The address of the endpoint. */
export const Header: FunctionComponent<{ readonly endpoint: string }> = ({ endpoint }) => {
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
  return createElement('code', { className: 'endpoint', title: 'The endpoint' }, endpoint);
};
