/**
 * Creates a map that drops entries when the sizes of its values together exceed `maxSize`: those that
 * were used least recently, and up to a thousandth more than it must.
 *
 * @param sizeOf returns the same size whenever it receives the same value. @default 1
 */
export const createBoundedCache = <T>(maxSize: number, sizeOf: (value: T) => number = () => 1) => {
  // A map keeps the order in which its keys were added. Each use adds the key again.
  const entries = new Map<string, T>()
  let size = 0
  const remove = (key: string): boolean => {
    const value = entries.get(key)
    if (value !== undefined) size -= sizeOf(value)
    return entries.delete(key)
  }
  return {
    get: (key: string): T | undefined => {
      const value = entries.get(key)
      if (value !== undefined && entries.delete(key)) entries.set(key, value)
      return value
    },
    set: (key: string, value: T): void => {
      remove(key)
      entries.set(key, value)
      size += sizeOf(value)
      if (size <= maxSize) return
      // The first key is found slowly, after keys before it were removed. The next ones follow fast.
      for (const oldest of entries.keys()) {
        remove(oldest)
        if (size <= maxSize - Math.floor(maxSize / 1_024)) return
      }
    },
    delete: remove,
    values: (): Iterable<T> => entries.values(),
  }
}
