import { describe, expect, it } from 'vitest'
import { loadNativePackage } from '../src/password-hasher.js'

describe('loadNativePackage', () => {
  it('resolves to the default export', async () => {
    expect(await loadNativePackage('example', async () => ({ default: 'library' }))).toBe('library')
  })

  it('rejects with an error that names the package, the fix and the first line of the problem', async () => {
    const load = async () => {
      throw new Error('No native build was found\n    loaded from: /bundle')
    }
    await expect(loadNativePackage('example', load)).rejects.toMatchObject({
      code: 'jwt_auth_internal_error',
      cause: new TypeError(
        'jwt-auth: the package example cannot be loaded; install example, and if you bundle your application, declare example as ' +
          'external (https://github.com/jwt-auth/jwt-auth/blob/main/docs/bundlers-and-runtimes.md): Error: No native build was found',
      ),
    })
  })
})
