// A conservative form of what platforms accept: no user name, no backslash, no white space. Any other URL has no origin, and gets no
// token. The class URL of React Native cannot parse origins.
const pattern = /^(https?):\/\/([^/?#\\@\s]+)(?=[/?#]|$)/i

const defaultPorts: Readonly<Record<string, string>> = { http: ':80', https: ':443' }

/** Returns the origin of an absolute URL with the scheme `http` or `https`, as text; `undefined` for any other text. */
export const findOrigin = (url: string): string | undefined => {
  const [, scheme, host] = pattern.exec(url.toLowerCase()) ?? []
  if (scheme === undefined || host === undefined) return undefined
  const port = defaultPorts[scheme] ?? ''
  return `${scheme}://${host.endsWith(port) ? host.slice(0, -port.length) : host}`
}
