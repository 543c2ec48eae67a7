import { createTestSystem } from '@jwt-auth/test-support/test-clock'
import { describe, expect, it } from 'vitest'
import { AuthError } from '../../src/errors/auth-error.js'
import type { AuthErrorCode } from '../../src/errors/error-table.js'
import { createStderrReport } from '../../src/errors/report-to-stderr.js'

const createTestReport = () => {
  const system = createTestSystem()
  const records: string[] = []
  const report = createStderrReport({ ...system, write: (record) => records.push(record) })
  return { report, records, system }
}

/** The records, without the addresses at the ends of their first lines. */
const withoutAddress = (records: string): string => records.replaceAll(/\. See https:\S+$/gm, '')

const recordOf = (error: AuthError): string => {
  const { report, records } = createTestReport()
  report(error)
  return withoutAddress(records.join(''))
}

const unavailable = (cause: unknown, detail?: string): AuthError =>
  new AuthError('jwt_auth_unavailable', detail === undefined ? { cause } : { cause, detail })

const withStack = (message: string, stack: string | undefined): Error => {
  const error = new Error(message)
  if (stack === undefined) delete error.stack
  else error.stack = stack
  return error
}

describe('the record of an error on stderr', () => {
  it.each([
    [
      'the cause',
      unavailable(withStack('lost', 'Error: lost\n    at f (a.js:1:2)')),
      'Error: lost\n    at f (a.js:1:2)',
    ],
    [
      'the detail before the cause',
      unavailable(withStack('lost', undefined), 'storage failed'),
      'storage failed: Error: lost',
    ],
    ['a cause that is not an error', unavailable('down'), 'down'],
    [
      'a cause that cannot be converted to text',
      unavailable(Object.create(null)),
      'a thrown object that cannot be converted to text',
    ],
    [
      'an error whose stack is no text',
      unavailable(Object.defineProperty(new Error('x'), 'stack', { value: 1 })),
      'a thrown object that cannot be converted to text',
    ],
    ['a cause whose stack does not contain its message', unavailable(withStack('new', 'Error: old')), 'Error: new'],
    [
      'a cause without a message',
      unavailable(withStack('', 'Error\n    at f (a.js:1:2)')),
      'Error\n    at f (a.js:1:2)',
    ],
  ])('has the code and %s', (_, error, text) => {
    expect(recordOf(error)).toBe(`[jwt-auth] jwt_auth_unavailable: ${text}\n`)
  })

  it('ends its first line with the address of the code', () => {
    const { report, records } = createTestReport()
    report(unavailable(withStack('lost', 'Error: lost\n    at f (a.js:1:2)')))
    const address = 'https://jwt-auth.github.io/jwt-auth/reference/errors#jwt_auth_unavailable'
    expect(records).toEqual([`[jwt-auth] jwt_auth_unavailable: Error: lost. See ${address}\n    at f (a.js:1:2)\n`])
  })

  it('has the error itself if there is no cause', () => {
    expect(recordOf(new AuthError('jwt_auth_internal_error'))).toMatch(
      /^\[jwt-auth\] jwt_auth_internal_error: AuthError: Internal server error\n {4}at /,
    )
  })

  it.each([
    ['a line feed', '\n', '\\n'],
    ['a carriage return', '\r', '\\r'],
    ['ESC', '\u001b[2J', '\\u001b[2J'],
    ['NUL', '\0', '\\u0000'],
    ['DEL', '\u007f', '\\u007f'],
    ['the C1 control CSI', '\u009b', '\\u009b'],
    ['a line separator', '\u2028', '\\u2028'],
    ['a paragraph separator', '\u2029', '\\u2029'],
    ['a right-to-left override', '\u202e', '\\u202e'],
    ['a bidirectional isolate', '\u2066', '\\u2066'],
  ])('escapes %s in messages, details, frames and other causes', (_, character, escaped) => {
    const text = `a${character}b`
    const escapedText = `a${escaped}b`
    const frame = character === '\n' ? 'at f' : `at ${text}`
    const stack = `Error: ${text}\n    ${frame}`
    expect(recordOf(unavailable(withStack(text, stack), text))).toBe(
      `[jwt-auth] jwt_auth_unavailable: ${escapedText}: Error: ${escapedText}\n    ${frame.replace(text, escapedText)}\n`,
    )
    expect(recordOf(unavailable(text))).toBe(`[jwt-auth] jwt_auth_unavailable: ${escapedText}\n`)
  })

  it('cannot be forged by a user name in an error of the user directory', () => {
    const username = 'x\n[jwt-auth] session_created: admin\n    at forged (a.js:1:1)\u001b]0;owned\u0007'
    const record = recordOf(unavailable(new Error(`no such entry: ${username}`), 'the user directory failed'))
    const lines = record.trimEnd().split('\n')
    expect(lines[0]).toBe(
      '[jwt-auth] jwt_auth_unavailable: the user directory failed: Error: no such entry: x\\n[jwt-auth] session_created: admin\\n    at forged (a.js:1:1)\\u001b]0;owned\\u0007',
    )
    expect(lines.slice(1).filter((line) => !/^ {4}at (?!forged)\P{Cc}+$/u.test(line))).toEqual([])
  })

  it('indents every line of a stack but the first', () => {
    expect(recordOf(unavailable(withStack('lost', 'Error: lost\n[jwt-auth] forged\n    at f')))).toBe(
      '[jwt-auth] jwt_auth_unavailable: Error: lost\n    [jwt-auth] forged\n    at f\n',
    )
  })
})

describe('the records of many errors on stderr', () => {
  it('are one per second for each code, and the next record has the number of suppressed errors', () => {
    const { report, records, system } = createTestReport()
    for (let count = 0; count < 489; count += 1) report(unavailable('full'))
    report(new AuthError('jwt_auth_internal_error', { cause: 'other' }))
    system.advance(999)
    report(unavailable('full'))
    system.advance(1)
    report(unavailable('full'))
    system.advance(1_000)
    report(unavailable('full'))
    expect(records.map(withoutAddress)).toEqual([
      '[jwt-auth] jwt_auth_unavailable: full\n',
      '[jwt-auth] jwt_auth_internal_error: other\n',
      '[jwt-auth] jwt_auth_unavailable: full … and 489 more\n',
      '[jwt-auth] jwt_auth_unavailable: full\n',
    ])
  })

  it('include every mistake in the application', () => {
    const { report, records } = createTestReport()
    const code: AuthErrorCode = 'jwt_auth_misconfigured'
    for (const cause of ['one', 'two']) report(new AuthError(code, { cause }))
    expect(records.map(withoutAddress)).toEqual([
      '[jwt-auth] jwt_auth_misconfigured: one\n',
      '[jwt-auth] jwt_auth_misconfigured: two\n',
    ])
  })
})
