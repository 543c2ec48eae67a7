/** Freezes JSON data to its leaves: what is cached and shared between requests must not be changed by one of them. */
export const deepFreeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null) return value
  for (const member of Object.values(value)) deepFreeze(member)
  return Object.freeze(value)
}
