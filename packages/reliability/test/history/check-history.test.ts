import { describe, expect, it } from 'vitest'
import { checkHistory } from '../../src/history/check-history.js'
import { describeViolation } from '../../src/history/violation.js'
import { writtenHistory } from '../support/written-history.js'
import { badHistories } from './bad-histories.js'
import { goodHistories } from './good-histories.js'

const graceMs = 30

describe('the checker', () => {
  it.each(goodHistories)('finds nothing in %s', (_, text) => {
    expect(checkHistory(writtenHistory(text), { graceMs }).map(describeViolation)).toEqual([])
  })

  it.each(badHistories)('finds that %s', (_, text, findings) => {
    const violations = checkHistory(writtenHistory(text), { graceMs })
    const found = violations.map(({ rule, operations }) => [rule, ...operations.map(({ number }) => number)])
    expect(found).toEqual(findings)
  })

  it('grants one of several racing refreshes without a grace window, and ends the session by the others', () => {
    const history = writtenHistory(`
      s1 login        0-5   granted r1 a1
      s1 refresh r1  10-20  granted r2 a2
      s1 refresh r1  11-21  refused
      s1 visit! a2   41-42  refused
      s1 refresh! r2 43-44  refused
    `)
    expect(checkHistory(history, { graceMs: 0 })).toEqual([])
  })
})

describe('a violation', () => {
  it('is told in lines that name its operations, without a token', () => {
    const history = writtenHistory(`
      s1 login          0-5   granted r1 a1
      s1 revoke a1     10-20  revoked
      s1 visit a1    20.5-30  let-in
      s1 validate! a1  41-42  refused
      s1 refresh! r1   43-44  refused
    `)
    expect(checkHistory(history, { graceMs }).map(describeViolation)).toEqual([
      [
        'an acknowledged end is an end: this request began later and was let in',
        '  #2 revoke with a1 by s1 of user 1 at one, 10.00 to 20.00 ms: revoked',
        '  #3 authorize with a1 by s1 of user 1 at one, 20.50 to 30.00 ms: let in as user 1, session id of s1',
      ].join('\n'),
    ])
  })
})
