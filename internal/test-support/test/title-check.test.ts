import { describe, expect, it } from 'vitest'
import { findTitleFaults } from '../src/reporters.js'

describe('the check of titles', () => {
  it.each([
    ['cut text', "the storage > 'rejects a second session with the sam…'", 'is cut'],
    ['a placeholder of printf', 'a login > responds with %s', 'placeholder'],
    ['a numbered placeholder', 'a signer > signs with %3$s', 'placeholder'],
    ['the name of a column', 'the storage > $title', 'placeholder'],
    ['a missing value', 'a site > shows undefined at the users route', 'has undefined'],
    ['an object', 'a guard > refuses [object Object]', 'shows an object'],
    ['the word that makes a wish of a rule', `a login ${'should'} fail`, 'says'],
  ])('finds %s', (_, title, fault) => {
    expect(findTitleFaults([title])).toEqual([expect.stringContaining(fault)])
  })

  it('finds a title that two tests of a file have', () => {
    expect(findTitleFaults(['a > b', 'a > c', 'a > b'])).toEqual(['a > b: is the title of another test of the file'])
  })

  it.each([
    'routing > responds with 404 on the unknown path /jwt-auth/v1/%74oken',
    'a hash > of the form $wp$2y$ is read',
    'a hash > "$2b$10$CCCCCCCCCCCC" is rejected',
    'the storage > findBySelectorHash resolves to undefined when no session has the selector hash',
    'a limit > 100 % of the attempts',
  ])('accepts the title "%s"', (title) => {
    expect(findTitleFaults([title])).toEqual([])
  })
})
