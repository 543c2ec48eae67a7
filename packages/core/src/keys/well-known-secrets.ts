// What people paste from guides and forget. Longer than the minimum, so that the length check does not catch it.
const placeholder =
  /(change|replace)[\s_-]?(me|this|it)|your[\s_-]?(\w+[\s_-])*(secret|key)|(top|super)[\s_-]?secret|example[\s_-]?(secret|key)|string-secret|do not use this/i

// A command or a variable that a shell or a file of settings took literally, and that stands in the guide.
const unexpanded = /randomBytes\(|^(node|openssl) |process\.env|^\$\(.*\)$|^\$\{.*\}$/

/** Whether a secret is one that stands in a public guide, or is made after one. */
export const isWellKnown = (secret: string): boolean => placeholder.test(secret) || unexpanded.test(secret)
