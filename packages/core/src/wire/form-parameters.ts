/**
 * Collects the entries of a form in one pass. A name that is given twice becomes a list, and a list is no string: neither of
 * the two values is preferred.
 */
export const toFormParameters = (
  entries: Iterable<readonly [name: string, value: string]>,
): Readonly<Record<string, string | readonly string[]>> => {
  const parameters = new Map<string, string | string[]>()
  for (const [name, value] of entries) {
    const earlier = parameters.get(name)
    if (earlier === undefined) parameters.set(name, value)
    else if (typeof earlier === 'string') parameters.set(name, [earlier, value])
    else earlier.push(value)
  }
  return Object.fromEntries(parameters)
}
