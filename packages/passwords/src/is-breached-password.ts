import { createHash } from 'node:crypto'
import { AuthError } from '@jwt-auth/core'
import { checkOptionNames, createStderrReport, machineSystem, optionError, readFunction } from '@jwt-auth/core/internal'

/** The options of {@link isBreachedPassword}. `undefined` means the same as omitting an option. */
export interface BreachedPasswordOptions {
  /**
   * Where the list is: a URL that ends with `/`, to which five hexadecimal digits are appended. Set
   * it for a copy of the list on a server of your own.
   * @default 'https://api.pwnedpasswords.com/range/'
   */
  readonly url?: string | undefined
  /**
   * Called with each failure to read the list. The password was accepted without it.
   * @default a record on stderr
   */
  readonly onError?: ((error: AuthError) => void) | undefined
}

const optionNames: Record<keyof BreachedPasswordOptions, true> = { url: true, onError: true }

// A sign-up waits no longer than this.
const timeoutMs = 2_000

const reportToStderr = createStderrReport(machineSystem)

/**
 * Resolves to whether a password is on the list of breached passwords of [Pwned
 * Passwords](https://haveibeenpwned.com/API/v3#PwnedPasswords). Only the first five digits of the
 * password's SHA-1 digest leave this process, and hundreds of passwords share them. Resolves to
 * `false` if the list is unavailable or takes longer than two seconds: an outage does not stop
 * sign-ups. In a route, limit the client first.
 *
 * @throws TypeError for a password that is not text, and for an invalid option
 * @example
 * ```ts
 * if (await isBreachedPassword(password))
 *   throw new Error('This password is known from a data breach.')
 * ```
 */
export const isBreachedPassword = async (password: string, options: BreachedPasswordOptions = {}): Promise<boolean> => {
  const own = checkOptionNames(options, optionNames, 'isBreachedPassword')
  const { url = 'https://api.pwnedpasswords.com/range/' } = own
  const onError = readFunction('isBreachedPassword.onError', own.onError) ?? reportToStderr
  if (!URL.canParse(url) || !url.endsWith('/'))
    throw optionError('isBreachedPassword.url', 'a URL that ends with `/`', url)
  const digest = createHash('sha1').update(password).digest('hex').toUpperCase()
  try {
    const range = await fetchRange(url + digest.slice(0, 5))
    // The padding has the count 0.
    return new RegExp(`^${digest.slice(5)}:[1-9]`, 'm').test(range)
  } catch (cause) {
    report(onError, cause)
    return false
  }
}

const report = (onError: (error: AuthError) => void, cause: unknown): void => {
  try {
    onError(new AuthError('jwt_auth_unavailable', { detail: 'breached passwords were not searched', cause }))
  } catch {
    // The failure of a log cannot be logged.
  }
}

const fetchRange = async (url: string): Promise<string> => {
  // The padding hides from an observer of the network how many digests the range has.
  const response = await fetch(url, { headers: { 'Add-Padding': 'true' }, signal: AbortSignal.timeout(timeoutMs) })
  const range = await response.text()
  // A proxy or a wrong URL may respond with a page.
  if (response.ok && /^[\dA-F]{35}:\d/.test(range)) return range
  throw new Error(`the list of breached passwords responded with ${response.status} and no digests`)
}
