import { pathToFileURL } from 'node:url'

/** Imports the `contender` of a bundled file. Throws when it exports none. */
export const importContender = async <Contender>(path: string): Promise<Contender> => {
  // A folder holds contenders of one kind; that each has its type says the compiler where it is written.
  const { contender } = (await import(pathToFileURL(path).href)) as { readonly contender?: Contender }
  if (contender === undefined) throw new Error(`${path} exports no contender.`)
  return contender
}
