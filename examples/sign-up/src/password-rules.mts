// password-rules.mts
import { isBreachedPassword } from '@jwt-auth/express'

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

/** Refuses passwords that are known from breaches. Sends a request to another service: limit a client before. */
export const breachRule: PasswordRule = async (password) =>
  (await isBreachedPassword(password)) ? 'This password is known from a data breach. Choose another one.' : undefined
