import { setupError } from '../errors/auth-error.js'

const page = 'https://github.com/jwt-auth/jwt-auth/blob/main/docs/bundlers-and-runtimes.md'

/**
 * Loads a hashing library with native code. Such a library finds its binary by its own path, so it fails inside of a bundle.
 *
 * @param load imports the package by its literal name, so that bundlers see the import
 * @throws an {@link AuthError} `jwt_auth_internal_error`, whose cause names the fix
 */
export const loadNativePackage = async <T>(name: string, load: () => Promise<{ readonly default: T }>): Promise<T> => {
  try {
    return (await load()).default
  } catch (cause) {
    const [problem] = String(cause).split('\n')
    const fix = `install ${name}, and if you bundle your application, declare ${name} as external (${page})`
    throw setupError(`the package ${name} cannot be loaded; ${fix}: ${problem}`)
  }
}
