import { callUntyped } from '@jwt-auth/test-support/outcome'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toStoredDevice } from '../../src/session/session-record.js'

/** UTF-16 code units, with many surrogates and NUL characters. */
const codeUnits = fc.array(fc.oneof(fc.constantFrom(0, 0xd83d, 0xde00), fc.integer({ min: 0, max: 0xffff })), {
  maxLength: 1_200,
  size: 'max',
})

describe('a stored device', () => {
  it('contains short text unchanged', () => {
    const device = { userAgent: 'Mozilla/5.0 (Ünïcode ✓)', ipAddress: '2001:db8::1', label: "Ann's laptop" }
    expect(toStoredDevice(device)).toEqual(device)
  })

  it.each([
    ['omitted', {}],
    ['undefined', { userAgent: undefined, ipAddress: undefined, label: undefined }],
    ['null', { userAgent: null, ipAddress: null, label: null }],
    ['empty', { userAgent: '', ipAddress: '', label: '' }],
  ])('is null for fields that are %s', (_, device) => {
    expect(toStoredDevice(device)).toEqual({ userAgent: null, ipAddress: null, label: null })
  })

  it.each([
    ['userAgent', 512],
    ['ipAddress', 64],
    ['label', 255],
  ] as const)('cuts %s to %i characters', (field, longest) => {
    expect(toStoredDevice({ [field]: 'x'.repeat(longest) })[field]).toBe('x'.repeat(longest))
    expect(toStoredDevice({ [field]: 'x'.repeat(longest + 1) })[field]).toBe('x'.repeat(longest))
  })

  it.each([
    ['NUL characters', 'a\0b\0', 'ab'],
    ['an unpaired surrogate', 'a\ud83d', 'a\ufffd'],
    ['half of a surrogate pair at the cut', `${'x'.repeat(511)}\u{1f600}`, `${'x'.repeat(511)}\ufffd`],
  ])('contains no %s', (_, text, stored) => {
    expect(toStoredDevice({ userAgent: text }).userAgent).toBe(stored)
  })

  it.each<[unknown, string]>([
    [Promise.resolve({}), 'the options of `device` must be an object; received a promise.'],
    ['a phone', 'the options of `device` must be an object; received a string.'],
    [[], 'the options of `device` must be an object; received an array.'],
    [{ lable: 'SSO' }, '`device` has no option `lable` (did you mean `label`?)'],
    [{ label: 5 }, '`label` of `device` must be text or null; received 5.'],
    [{ userAgent: ['curl'] }, '`userAgent` of `device` must be text or null; received an array.'],
  ])('is refused with the name of the member and the kind of the value (%#)', (device, message) => {
    expect(() => callUntyped(toStoredDevice, device)).toThrow(message)
  })

  it('is bounded, well-formed text without NUL, for any text of a client', () => {
    fc.assert(
      fc.property(codeUnits, (units) => {
        const userAgent = toStoredDevice({ userAgent: String.fromCharCode(...units) }).userAgent ?? ''
        expect(userAgent.length).toBeLessThanOrEqual(512)
        expect(userAgent.isWellFormed()).toBe(true)
        expect(userAgent).not.toContain('\0')
      }),
    )
  })
})
