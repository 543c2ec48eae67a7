// A conservative form of what platforms accept: no user name, no backslash, no white space. Any other URL has no origin, and gets no
// token. The class URL of React Native cannot parse origins.
const pattern = /^https?:\/\/[^/?#\\@\s]+(?=[/?#]|$)/

/** Returns the origin of an absolute URL with the scheme `http` or `https`, as text; `undefined` for any other text. */
export const findOrigin = (url: string): string | undefined => pattern.exec(url.toLowerCase())?.[0]
