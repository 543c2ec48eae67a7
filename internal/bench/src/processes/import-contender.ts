import { pathToFileURL } from 'node:url'

/** Imports the `contender` of a bundled file. Throws when it exports none. */
export const importContender = async <Contender>(path: string): Promise<Contender> => {
  // All contenders of a folder have one type, which the compiler checks in their own files.
  const { contender } = (await import(pathToFileURL(path).href)) as { readonly contender?: Contender }
  if (contender === undefined) throw new Error(`${path} exports no contender.`)
  return contender
}
