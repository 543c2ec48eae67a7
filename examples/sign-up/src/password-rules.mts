// password-rules.mts
import { createHash } from 'node:crypto'

/** Checks a new password. Returns a message for the user, or `undefined` for a password that the rule accepts. */
export type PasswordRule = (
  password: string,
  user: { readonly username: string; readonly email: string },
) => string | undefined | Promise<string | undefined>

/** Returns the first fault that the rules find. */
export const findFault = async (
  rules: readonly PasswordRule[],
  ...call: Parameters<PasswordRule>
): Promise<string | undefined> => {
  for (const rule of rules) {
    const fault = await rule(...call)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Length is what makes a password hard to guess. Do not ask for digits or special characters (NIST SP 800-63B). */
export const lengthRule: PasswordRule = (password) => {
  if (password.length < 12) return 'Use at least 12 characters.'
  return password.length > 256 ? 'Use at most 256 characters.' : undefined
}

/** Attackers try the names of a user first. */
export const personalRule: PasswordRule = (password, { username, email }) => {
  const names = [username, ...email.split('@')].map((name) => name.trim().toLowerCase())
  const isPersonal = names.some((name) => name.length >= 4 && password.toLowerCase().includes(name))
  return isPersonal ? 'Do not use your name or e-mail address.' : undefined
}

/** Fetches the digests of breached passwords that start with `prefix`, which is five hexadecimal digits. */
export type FetchRange = (prefix: string) => Promise<string>

// https://haveibeenpwned.com/API/v3#PwnedPasswords. The padding hides how many digests the response has.
const fetchRangeOfPwnedPasswords: FetchRange = async (prefix) => {
  const response = await fetch(`https://api.pwnedpasswords.com/range/${prefix}`, {
    headers: { 'Add-Padding': 'true' },
    signal: AbortSignal.timeout(2_000),
  })
  if (!response.ok) throw new Error(`Pwned Passwords responded with ${response.status}`)
  return response.text()
}

/**
 * Refuses passwords that are known from breaches. Only the first five digits of the password's SHA-1 digest leave this process, and
 * hundreds of passwords share them (k-anonymity).
 */
export const breachRule =
  (fetchRange: FetchRange = fetchRangeOfPwnedPasswords): PasswordRule =>
  async (password) => {
    const digest = createHash('sha1').update(password).digest('hex').toUpperCase()
    // While the list is unavailable, the other rules decide.
    const range = await fetchRange(digest.slice(0, 5)).catch(() => '')
    const isBreached = range.split(/\r?\n/).some((line) => {
      const [rest, count] = line.split(':')
      // The padding has the count 0.
      return rest === digest.slice(5) && Number(count) > 0
    })
    return isBreached ? 'This password is known from a data breach. Choose another one.' : undefined
  }
