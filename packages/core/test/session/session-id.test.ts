import { createTestSystem } from '@jwt-auth/test-support/test-system'
import { describe, expect, it } from 'vitest'
import { generateSessionId, isSessionId } from '../../src/session/session-record.js'

const id = 'AbCdEfGhIjKlMnOpQr-_09'

describe('the id of a session', () => {
  it('is 16 random bytes as 22 characters of base64url', () => {
    const drawn: number[] = []
    const written = generateSessionId((size) => {
      drawn.push(size)
      return Buffer.alloc(size, 0xff)
    })
    expect(drawn).toEqual([16])
    expect(written).toBe(`${'_'.repeat(21)}w`)
  })

  it('is recognized by its form', () => {
    expect(isSessionId(id)).toBe(true)
    expect(isSessionId(generateSessionId(createTestSystem().randomBytes))).toBe(true)
  })

  it.each([
    ['undefined', undefined],
    ['empty text', ''],
    ['a character too few', id.slice(1)],
    ['a character too many', `${id}A`],
    ['a character before it', `.${id}`],
    ['a line feed after it', `${id}\n`],
    ['a line before it', `\n${id}`],
    ['another alphabet', `+${id.slice(1)}`],
    ['a number with 22 digits', 10n ** 21n],
    ['a list whose text is an id', [id]],
    ['an object whose text is an id', { toString: () => id }],
  ])('is not %s', (_, value) => {
    expect(isSessionId(value)).toBe(false)
  })
})
