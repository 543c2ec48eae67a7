/**
 * Settles as `work` does, or rejects once `limitMs` have passed. Work that is late goes on unheard.
 *
 * @param name what the work is, as the message calls it
 */
export const withTimeLimit = async <T>(name: string, work: Promise<T>, limitMs: number): Promise<T> => {
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
