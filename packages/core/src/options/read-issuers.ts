import { optionError } from '../errors/option-error.js'
import type { ResolvedOptions, TokenServiceOptions } from './token-service-options.js'

/** Reads the options `issuer` and `formerIssuers`. */
export const readIssuers = ({
  issuer,
  formerIssuers = [],
}: Pick<TokenServiceOptions, 'issuer' | 'formerIssuers'>): Pick<ResolvedOptions, 'issuer' | 'formerIssuers'> => {
  if (!isIssuer(issuer)) throw optionError('issuer', expected, issuer)
  if (!Array.isArray(formerIssuers)) throw optionError('formerIssuers', 'a list of issuers', formerIssuers)
  for (const [place, former] of formerIssuers.entries()) {
    if (!isIssuer(former)) throw optionError(`formerIssuers[${place}]`, expected, former)
    if (former === issuer || formerIssuers.indexOf(former) !== place) {
      throw optionError(`formerIssuers[${place}]`, 'an issuer that is named nowhere else', former)
    }
  }
  return { issuer, formerIssuers: Object.freeze([...formerIssuers]) }
}

const expected = 'text of 1 to 200 characters without control characters, such as "https://api.example.com"'

// The longest issuer fits into an index of every database, beside the longest user id.
const isIssuer = (value: unknown): value is string =>
  typeof value === 'string' && /^[^\p{Cc}\p{Cs}]{1,200}$/u.test(value)
