import { createElement, Fragment, useState } from 'react';
import type { FunctionComponent } from 'react';

import { ToolButton } from './tool-button.ts';

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
  return createElement(ToolButton, { title, text: 'Explain', icon: magnifyingGlass, onClick: toggle, isOn });
};

const line = { fill: 'none', stroke: 'currentColor', strokeWidth: 2 } as const;
const magnifyingGlass = createElement(
  Fragment,
  null,
  createElement('circle', { ...line, cx: 10, cy: 10, r: 6 }),
  createElement('path', { ...line, d: 'M14.5 14.5 L21 21' }),
);
