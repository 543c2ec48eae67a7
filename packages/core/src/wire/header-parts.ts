/**
 * Splits the value of a header at its semicolons. Removes the spaces and tabs around each part (RFC
 * 9110, section 5.6.3), and no other characters. Takes linear time for any value.
 */
export const splitAtSemicolons = (value: string): readonly string[] => value.split(';').map(trimBlanks)

const trimBlanks = (text: string): string => {
  let start = 0
  let end = text.length
  while (text[start] === ' ' || text[start] === '\t') start += 1
  while (end > start && (text[end - 1] === ' ' || text[end - 1] === '\t')) end -= 1
  return text.slice(start, end)
}
