/** Has a link to {@link Missing}. */
export interface Shown {
  size: number
  /** Names {@link Forgotten}. */
  readonly forgotten: readonly Forgotten[]
}

/** Is not exported by the entry point. */
interface Forgotten {
  /** Is found although {@link Shown} does not name the type. */
  readonly deeper: Deeper['toString']
}

type Deeper = string

/**
 * Returns what it receives.
 *
 * @example show(shown)
 */
export const show = (shown: Shown): Shown => shown
