/** Registers how to close something that was opened. */
export type Keep = (close: () => Promise<unknown>) => void

/**
 * Opens several things that need each other. `close` closes them in reverse order. Also closes them
 * when one fails to open.
 */
export const openAll = async <T>(
  open: (keep: Keep) => Promise<T>,
): Promise<T & { readonly close: () => Promise<void> }> => {
  const closings: (() => Promise<unknown>)[] = []
  const close = async (): Promise<void> => {
    for (const closeOne of closings.splice(0).reverse()) await closeOne()
  }
  try {
    return { ...(await open((closeOne) => closings.push(closeOne))), close }
  } catch (failure) {
    await close()
    throw failure
  }
}

/** Opens things of one kind concurrently. Closes the others when one fails to open. */
export const openEach = async <T>(
  openings: readonly Promise<T>[],
  close: (opened: T) => Promise<unknown>,
): Promise<readonly T[]> => {
  const settled = await Promise.allSettled(openings)
  const opened = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  if (opened.length === openings.length) return opened
  await Promise.all(opened.map(close))
  return Promise.all(openings)
}

/** Opens something, calls `use`, and closes it, even when `use` rejects. */
export const withOpened = async <T extends { readonly close: () => Promise<unknown> }, Result>(
  opening: Promise<T> | T,
  use: (opened: T) => Promise<Result>,
): Promise<Result> => {
  const opened = await opening
  try {
    return await use(opened)
  } finally {
    await opened.close()
  }
}
