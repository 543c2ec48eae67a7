/** Labels of tokens, so that no token gets into a history. */
export interface TokenLabels {
  /** Returns `r1`, `r2`, … for refresh tokens and `a1`, `a2`, … for access tokens, in the order in which they first appear. */
  readonly of: (token: string) => string
}

/** Creates labels that count from 1. */
export const createTokenLabels = (): TokenLabels => {
  const labels = new Map<string, string>()
  const counts = { r: 0, a: 0 }
  return {
    of: (token) => {
      const known = labels.get(token)
      if (known !== undefined) return known
      const kind = token.startsWith('jwtauth_rt_') ? 'r' : 'a'
      counts[kind] += 1
      const label = `${kind}${counts[kind]}`
      labels.set(token, label)
      return label
    },
  }
}
