import { describe, expect, it } from 'vitest'
import { checkHistory } from '../../src/history/check-history.js'
import { describeViolation } from '../../src/history/operation.js'
import { invalidHistories, rules, validHistories } from './histories.js'
import { writtenHistory } from './support/written-history.js'

const graceMs = 30

describe('the checker', () => {
  it.each(validHistories)('finds nothing in %s', (_, text) => {
    expect(checkHistory(writtenHistory(text), { graceMs }).map(describeViolation)).toEqual([])
  })

  it.each(invalidHistories)('finds that %s', (_, text, findings) => {
    const violations = checkHistory(writtenHistory(text), { graceMs })
    const found = violations.map(({ rule, operations }) =>
      [rules[rule], ...operations.map(({ number }) => number)].join(' '),
    )
    expect(found).toEqual(findings)
  })

  it('finds nothing when, without a grace window, one of two racing refreshes is granted and the other ends the session', () => {
    const history = writtenHistory(`
      s1 login        0-5   granted r1 a1
      s1 refresh r1  10-20  granted r2 a2
      s1 refresh r1  11-21  refused
      s1 visit! a2   41-42  refused
      s1 refresh! r2 43-44  refused
    `)
    expect(checkHistory(history, { graceMs: 0 })).toEqual([])
  })

  it('finds that one token was granted twice without a grace window', () => {
    const history = writtenHistory(`
      s1 login        0-5   granted r1 a1
      s1 refresh r1  10-20  granted r2 a2
      s1 refresh r1  11-21  granted r2 a3
      s1 visit! a2   41-42  authenticated
      s1 refresh! r2 43-44  granted r3 a4
    `)
    const violations = checkHistory(history, { graceMs: 0 })
    expect(violations.map(({ operations }) => operations.map(({ number }) => number))).toEqual([[2, 3]])
    expect(checkHistory(history, { graceMs })).toEqual([])
  })
})

describe('the checker with a limit of sessions per user', () => {
  const history = writtenHistory(`
    s1 login        0-5   granted r1 a1
    s1b login       6-9   granted r2 a2
    s1 visit! a1   21-22  refused
    s1 refresh! r1 23-24  refused
    s1b visit! a2  21-22  authenticated
    s1b refresh! r2 23-24 granted r3 a3
  `)

  it('accepts further logins of the user as a cause from the limit on', () => {
    expect(checkHistory(history, { graceMs, maxSessionsPerUser: 1 })).toEqual([])
    expect(checkHistory(history, { graceMs, maxSessionsPerUser: 2 })).toHaveLength(2)
  })
})

describe('the checker of requests that may take effect after their end', () => {
  it('accepts a lost revocation as a cause for that long, even after an authenticated request', () => {
    const history = writtenHistory(`
      s1 login        0-5   granted r1 a1
      s1 revoke a1   10-12  lost
      s1 visit a1    20-21  authenticated
      s1 visit! a1   22-23  refused
      s1 refresh! r1 24-25  refused
    `)
    expect(checkHistory(history, { graceMs, lateEffectMs: 8 })).toEqual([])
    expect(checkHistory(history, { graceMs, lateEffectMs: 7 })).toHaveLength(2)
  })
})

describe('the description of a violation', () => {
  it('names its operations, one per line, without a token', () => {
    const history = writtenHistory(`
      s1 login          0-5   granted r1 a1
      s1 revoke a1     10-20  revoked
      s1 visit a1    20.5-30  authenticated
      s1 visit! a1     41-42  refused
      s1 refresh! r1   43-44  refused
    `)
    expect(checkHistory(history, { graceMs }).map(describeViolation)).toEqual([
      [
        'no session is used after its acknowledged end: this request started later and was authenticated',
        '  #2 revoke with a1 by s1 of user 1 at one, 10.00 to 20.00 ms: revoked',
        '  #3 authorize with a1 by s1 of user 1 at one, 20.50 to 30.00 ms: authenticated as user 1, session id of s1',
      ].join('\n'),
    ])
  })
})
