import { createTestSystem, startOfTests } from '@jwt-auth/test-support/test-clock'
import { describe, expect, it } from 'vitest'
import { createReporter } from '../../src/events/listeners.js'
import { AuthError, type AuthEvent } from '../../src/index.js'
import type { HashingRefusal } from '../../src/internal.js'

const createTestReporter = () => {
  const system = createTestSystem()
  const errors: AuthError[] = []
  const events: AuthEvent[] = []
  const reporter = createReporter(
    (error) => errors.push(error),
    (event) => events.push(event),
    system,
  )
  return { ...reporter, errors, events, system }
}

const refusalOf = (reason: HashingRefusal['reason'], isKnown = false): AuthError =>
  new AuthError('jwt_auth_unavailable', { refusal: { reason, isKnown } })

const [full, late, known] = [refusalOf('queue'), refusalOf('timeout'), refusalOf('queue', true)]
const minute = 60_000

describe('a flood of refusals of the hashing queue', () => {
  it('is one report each minute', () => {
    const { report, errors, system } = createTestReporter()
    for (let second = 0; second < 120; second += 1) {
      for (let count = 0; count < 10; count += 1) report(full)
      system.advance(1_000)
    }
    expect(errors).toEqual([full, full])
  })

  it('is reported again exactly a minute after the last report', () => {
    const { report, errors, system } = createTestReporter()
    report(full)
    system.advance(minute - 1)
    report(full)
    expect(errors).toHaveLength(1)
    system.advance(1)
    report(full)
    expect(errors).toHaveLength(2)
  })

  it('is one event each minute, with the number of refusals since the last event', () => {
    const { report, events, system } = createTestReporter()
    for (const error of [known, full, known, late]) report(error)
    system.advance(minute)
    report(full)
    system.advance(minute)
    report(full)
    const type = 'login_overload'
    expect(events).toEqual([
      { type, count: 1, knownCount: 1, at: new Date(startOfTests) },
      { type, count: 4, knownCount: 1, at: new Date(startOfTests + minute) },
      { type, count: 1, knownCount: 0, at: new Date(startOfTests + 2 * minute) },
    ])
  })

  it('does not suppress a failure of storage, which emits no event', () => {
    const { report, errors, events } = createTestReporter()
    const failed = new AuthError('jwt_auth_unavailable', {
      cause: new Error('connection lost'),
      detail: 'storage failed',
    })
    for (const error of [full, late, full, failed, late, failed]) report(error)
    expect(errors).toEqual([full, failed, failed])
    expect(events).toHaveLength(1)
  })

  it('is reported separately to each service', () => {
    const services = [createTestReporter(), createTestReporter()]
    for (const { report } of services) report(full)
    expect(services.map(({ errors }) => errors)).toEqual([[full], [full]])
  })
})

describe('a difference to another instance', () => {
  it('is one report each minute, whatever its values are, and hides no other difference', () => {
    const { reportDifference, report, errors, system } = createTestReporter()
    const differ = (subject: string, theirs: string) =>
      reportDifference({ subject, theirs, own: 'issuer', ours: ['https://a.example'] })
    report(full)
    expect([differ('issuer', 'x'), differ('issuer', 'y'), differ('audience', 'z')]).toEqual([true, false, true])
    system.advance(minute - 1)
    expect(differ('issuer', 'x')).toBe(false)
    system.advance(1)
    expect(differ('issuer', 'x')).toBe(true)
    expect(errors).toHaveLength(4)
  })
})

describe('the reporter', () => {
  it('reports every other failure, also without a detail', () => {
    const { report, errors } = createTestReporter()
    for (let count = 0; count < 3; count += 1) report(new AuthError('jwt_auth_internal_error'))
    expect(errors).toHaveLength(3)
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('the log is full')
      },
    ],
    ['rejects', () => Promise.reject(new Error('the log is full'))],
  ])('writes the error and the failure to stderr when onError %s', async (_, onError) => {
    const records: string[] = []
    const write = (record: string) => records.push(record)
    const { report } = createReporter(onError, () => {}, { ...createTestSystem(), write })
    report(new AuthError('jwt_auth_internal_error', { cause: new Error('the claims failed') }))
    await Promise.resolve()
    expect(records).toEqual([
      expect.stringMatching(/^\[jwt-auth\] jwt_auth_internal_error: Error: the claims failed\. See https:\S+\n/),
      expect.stringMatching(
        /^\[jwt-auth\] jwt_auth_internal_error: option `onError` failed: Error: the log is full\. See https:\S+\n/,
      ),
    ])
  })

  it('never throws, even if onError and stderr fail', () => {
    const fail = () => {
      throw new Error('the log is full')
    }
    const { report, reportFault } = createReporter(fail, () => {}, { ...createTestSystem(), write: fail })
    expect(() => report(full)).not.toThrow()
    expect(() => reportFault('a mistake')).not.toThrow()
  })
})
