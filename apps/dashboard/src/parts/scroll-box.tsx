import type { ComponentChildren, Ref } from "preact";

export interface ScrollBoxProps {
  readonly label: string;
  readonly class?: string;
  readonly box?: Ref<HTMLDivElement>;
  readonly children: ComponentChildren;
}

/** A box that scrolls has a name and can be reached with the keyboard. */
export const ScrollBox = ({ label, class: name, box, children }: ScrollBoxProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex lint/a11y/useSemanticElements: a keyboard has to scroll it, and it is no form
  <div role="group" class={name} {...(box === undefined ? {} : { ref: box })} tabIndex={0} aria-label={label}>
    {children}
  </div>
);
