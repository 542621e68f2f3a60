import { createElement, useState } from 'react';
import type { FunctionComponent } from 'react';

/** Turns explanations on and off. The browser remembers the choice. */
export const ExplainButton: FunctionComponent<{ readonly isOnAtFirst: boolean; readonly onSwitch: (isOn: boolean) => void }> = ({
  isOnAtFirst,
  onSwitch,
}) => {
  const [isOn, setIsOn] = useState(isOnAtFirst);
  const toggle = (): void => {
    onSwitch(!isOn);
    setIsOn(!isOn);
  };
  const title = isOn ? 'Explanations are on, below each response' : 'Explain how responses are made';
  const style = {
    width: 'auto',
    height: 'auto',
    padding: '4px 0',
    fontSize: 10,
    display: 'flex',
    flexDirection: 'column',
    alignItems: 'center',
    ...(isOn ? { backgroundColor: 'hsla(var(--color-primary), 0.2)' } : {}),
  } as const;
  return createElement(
    'button',
    {
      type: 'button',
      className: 'graphiql-un-styled graphiql-toolbar-button',
      title,
      'aria-label': title,
      'aria-pressed': isOn,
      onClick: toggle,
      style,
    },
    magnifyingGlass,
    'Explain',
  );
};

const magnifyingGlass = createElement(
  'svg',
  { className: 'graphiql-toolbar-icon', viewBox: '0 0 24 24', fill: 'none', stroke: 'currentColor', strokeWidth: 2, 'aria-hidden': true },
  createElement('circle', { cx: 10, cy: 10, r: 6 }),
  createElement('path', { d: 'M14.5 14.5 L21 21' }),
);
