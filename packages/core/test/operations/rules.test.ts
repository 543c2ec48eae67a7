import { callUntyped } from '@jwt-auth/test-support/outcome'
import { describe, expect, it } from 'vitest'
import { allOf, anyOf, claimEquals, claimIncludes, hasScope } from '../../src/index.js'

// Claims of a token inherit nothing. These do, so that a rule that reads inherited members shows.
const callerWith = (claims: object) => ({ claims: JSON.parse(JSON.stringify(claims)) })

describe('hasScope', () => {
  it.each<[string, readonly string[], object, boolean]>([
    ['accepts the only scope', ['read'], { scope: 'read' }, true],
    ['accepts one of several scopes', ['write'], { scope: 'read write' }, true],
    ['accepts all of several scopes in any order', ['write', 'read'], { scope: 'read write' }, true],
    ['accepts a list of scopes', ['read'], { scope: ['read', 'write'] }, true],
    ['refuses when one of several scopes is missing', ['read', 'write'], { scope: 'read' }, false],
    ['refuses a scope that starts with the required one', ['read'], { scope: 'readers' }, false],
    ['refuses a scope of another case', ['read'], { scope: 'Read' }, false],
    ['refuses a token without scopes', ['read'], {}, false],
    ['refuses an empty scope', ['read'], { scope: '' }, false],
    ['refuses scopes of another type', ['read'], { scope: { read: true } }, false],
    ['refuses null', ['read'], { scope: null }, false],
  ])('%s', (_, scopes, claims, expected) => {
    expect(hasScope(...scopes)(callerWith(claims), undefined)).toBe(expected)
  })

  it('names the scopes that it requires', () => {
    expect(hasScope('read', 'write').scopes).toEqual(['read', 'write'])
  })

  it.each([[[]], [['']], [['read write']], [['re"ad']], [['re\\ad']], [['läsen']], [['a\r\nb']]])(
    'refuses %j for its scopes',
    (scopes) => {
      expect(() => hasScope(...scopes)).toThrow(TypeError)
    },
  )
})

describe('claimEquals', () => {
  it.each<[string, string, string | number | boolean, object, boolean]>([
    ['accepts the value', 'role', 'admin', { role: 'admin' }, true],
    ['accepts a boolean', 'isAdmin', true, { isAdmin: true }, true],
    ['refuses another value', 'role', 'admin', { role: 'reader' }, false],
    ['refuses the value as another type', 'level', 1, { level: '1' }, false],
    ['refuses a list with the value', 'role', 'admin', { role: ['admin'] }, false],
    ['refuses a missing claim', 'role', 'admin', {}, false],
  ])('%s', (_, name, value, claims, expected) => {
    expect(claimEquals(name, value)(callerWith(claims), undefined)).toBe(expected)
  })
})

describe('a rule of claims that no claim fits', () => {
  const withValue = 'must be given text, numbers or booleans after the name, such as'

  it.each<[string, (...args: never[]) => unknown, readonly unknown[], string]>([
    [
      'claimEquals without a value',
      claimEquals,
      ['role'],
      `\`claimEquals\` ${withValue} claimEquals('role', 'admin'); received nothing.`,
    ],
    ['claimEquals with a list', claimEquals, ['role', ['admin']], 'received an array.'],
    ['claimEquals with NaN', claimEquals, ['level', Number.NaN], 'received NaN.'],
    [
      'claimEquals without a name',
      claimEquals,
      [],
      '`claimEquals` must be given the name of a claim first; received nothing.',
    ],
    [
      'claimIncludes without a value',
      claimIncludes,
      ['roles'],
      "`claimIncludes` must be given one value or more, such as claimIncludes('roles', 'admin'); received nothing.",
    ],
    ['claimIncludes with a list', claimIncludes, ['roles', ['admin']], 'received an array.'],
    ['hasScope without a scope', hasScope, [], 'option `hasScope` must be one scope or more'],
    ['hasScope with a list', hasScope, [['read']], 'received an array.'],
  ])('is refused when it is created: %s', (_, rule, args, message) => {
    expect(() => callUntyped(rule, ...args)).toThrow(TypeError)
    expect(() => callUntyped(rule, ...args)).toThrow(message)
  })
})

describe('claimIncludes', () => {
  it.each<[string, readonly string[], object, boolean]>([
    ['accepts a list with the value', ['editor'], { roles: ['reader', 'editor'] }, true],
    ['accepts a list with all values', ['editor', 'reader'], { roles: ['reader', 'editor'] }, true],
    ['refuses a list without one of the values', ['editor', 'admin'], { roles: ['reader', 'editor'] }, false],
    ['refuses text that contains the value', ['editor'], { roles: 'editor' }, false],
    ['refuses a missing claim', ['editor'], {}, false],
  ])('%s', (_, values, claims, expected) => {
    expect(claimIncludes('roles', ...values)(callerWith(claims), undefined)).toBe(expected)
  })

  it('reads no member that the claims inherit', () => {
    const inherited = { claims: Object.create({ roles: ['editor'], role: 'admin' }) }
    expect(claimIncludes('roles', 'editor')(inherited, undefined)).toBe(false)
    expect(claimEquals('role', 'admin')(inherited, undefined)).toBe(false)
  })
})

const caller = {
  userId: 7,
  sessionId: 'BBBBBBBBBBBBBBBBBBBBBB',
  claims: { iss: '', sub: '7', iat: 0, nbf: 0, exp: 0, auth_time: 0, jti: '', sid: '', data: { user: { id: 7 } } },
}

const yes = async (): Promise<boolean> => true
const no = async (): Promise<boolean> => false

describe('allOf and anyOf', () => {
  it.each<[string, boolean, boolean]>([
    ['no rule', false, false],
    ['the first rule', true, false],
    ['the second rule', false, true],
    ['both rules', true, true],
  ])('decide when a request fulfils %s', async (_, first, second) => {
    const rules = [first ? yes : no, second ? yes : no]
    expect(await allOf(...rules)(caller, undefined)).toBe(first && second)
    expect(await anyOf(...rules)(caller, undefined)).toBe(first || second)
  })

  it('refuse a rule that returns a value other than true', async () => {
    const truthy = (): boolean => JSON.parse('1')
    expect(await allOf(truthy, yes)(caller, undefined)).toBe(false)
    expect(await anyOf(truthy, no)(caller, undefined)).toBe(false)
  })

  it('pass the caller and the request on', async () => {
    const seen: unknown[] = []
    const note = (...passed: readonly unknown[]): boolean => {
      seen.push(passed)
      return true
    }
    await allOf(note, anyOf(note))(caller, 'request')
    expect(seen).toEqual([
      [caller, 'request'],
      [caller, 'request'],
    ])
  })

  it('call no rule after the result is certain', async () => {
    const never = (): boolean => {
      throw new Error('called')
    }
    expect(await allOf(no, never)(caller, undefined)).toBe(false)
    expect(await anyOf(yes, never)(caller, undefined)).toBe(true)
  })

  it('name the scopes of all rules once, and none where any rule is enough', () => {
    expect(allOf(hasScope('a', 'b'), yes, allOf(hasScope('b', 'c'))).scopes).toEqual(['a', 'b', 'c'])
    expect(anyOf(hasScope('a'), yes).scopes).toBeUndefined()
  })

  it.each([
    ['no rule', []],
    ['true', [true]],
    ['a forgotten call', [undefined]],
  ])('refuse %s', (_, rules) => {
    for (const combine of [allOf, anyOf]) expect(() => Reflect.apply(combine, undefined, rules)).toThrow(TypeError)
  })

  it.each(Object.entries({ hasScope, claimEquals, claimIncludes, allOf, anyOf }))(
    'let nobody pass when they received %s without a call',
    async (_, creator) => {
      for (const combine of [allOf, anyOf]) {
        const rule: (auth: object, req: object) => unknown = Reflect.apply(combine, undefined, [creator])
        await expect(async () => rule(caller, {})).rejects.toThrow(TypeError)
      }
    },
  )
})
