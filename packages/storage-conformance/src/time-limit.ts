/**
 * Settles like `work`, or rejects after `limitMs`. Late work is not cancelled, and its result is
 * ignored.
 *
 * @param name the name of the work in the error message
 */
export const withTimeLimit = async <T>(name: string, work: Promise<T>, limitMs: number | undefined): Promise<T> => {
  if (limitMs === undefined) return work
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const message = `${name} took longer than ${limitMs} milliseconds`
    timer = setTimeout(() => reject(new Error(message)), limitMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
