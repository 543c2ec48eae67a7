import { everySession, type History, type Operation, type Outcome } from '../../../src/history/operation.js'

/**
 * Parses a history that is written by hand, one operation per line:
 *
 * `session kind [token] start-end outcome [refresh token] [access token] [of session]`
 *
 * An exclamation mark after the kind marks a final read. `visit` is the guarded route, which names
 * its caller, and `validate` names no caller. After `of s2` the response is about another session,
 * and after `of nobody` about none. Session `sN` belongs to user N, `sNb` is another session of the
 * same user, and `uN` stands for all sessions of user N.
 *
 * @example
 * writtenHistory(`
 *   s1 login       0-5   granted r1 a1
 *   s1 refresh r1 10-15  granted r2 a2
 * `)
 */
export const writtenHistory = (text: string): History =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map(readLine)

/** A history with its name, and the violations that the checker must find: a rule, and the numbers of the operations. */
export type NamedHistory = readonly [name: string, text: string, findings: readonly string[]]

/** Parses histories with blank lines between them: a name, the operations, and a line `found: rule 1 2; rule 3`. */
export const readHistories = (text: string): readonly NamedHistory[] =>
  text
    .trim()
    .split(/\n\n\s*/)
    .map((paragraph) => {
      const [name = '', ...lines] = paragraph.split('\n')
      const [, found = ''] = /^ *found: (.*)$/.exec(lines.at(-1) ?? '') ?? []
      const operations = found === '' ? lines : lines.slice(0, -1)
      return [name, operations.join('\n'), found.split('; ').filter(Boolean)]
    })

const readLine = (line: string, position: number): Operation => {
  const [, session = '', written = '', mark, token, start, end, response = ''] =
    /^([su]\d+[a-z]?) ([\w-]+)(!)?(?: +([ar]\d+))? +([\d.]+)-([\d.]+) +(.+)$/.exec(line.replace(/ +/g, ' ')) ?? []
  if (session === '') throw new Error(`Not an operation: ${line}`)
  const kind = kinds[written]
  if (kind === undefined) throw new Error(`Not a kind: ${written}`)
  return {
    number: position + 1,
    kind,
    session: session.startsWith('u') ? everySession : session,
    userId: userOf(session),
    instance: 'one',
    presented: token,
    start: Number(start),
    end: Number(end),
    outcome: readOutcome(response.split(' '), { session, namesCaller: written === 'visit' }),
    isFinal: mark !== undefined,
  }
}

const kinds: Readonly<Record<string, Operation['kind']>> = {
  login: 'login',
  refresh: 'refresh',
  visit: 'authorize',
  validate: 'validate',
  revoke: 'revoke',
  create: 'create',
  'revoke-all': 'revoke-all',
  'change-password': 'change-password',
}

const readOutcome = (
  words: readonly string[],
  { session, namesCaller }: { readonly session: string; readonly namesCaller: boolean },
): Outcome => {
  const [kind = '', refreshToken = '', accessToken = ''] = words
  const of = words.includes('of') ? (words.at(-1) ?? session) : session
  const caller = { userId: userOf(of), sessionId: `id of ${of}` }
  switch (kind) {
    case 'granted':
      return { kind, ...caller, refreshToken, accessToken }
    case 'authenticated':
      return { kind, caller: namesCaller && of !== 'nobody' ? caller : undefined }
    case 'revoked':
    case 'already-revoked':
    case 'done':
    case 'refused':
    case 'failed':
    case 'lost':
      return { kind }
    default:
      return { kind: 'unexpected', detail: kind }
  }
}

const userOf = (session: string): number => Number.parseInt(session.slice(1), 10)
