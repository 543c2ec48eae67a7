/** Trims as PHP's trim() does. A regular expression would take time that is quadratic in the number of spaces inside the text. */
export const trimAsPhp = (text: string): string => {
  let start = 0
  let end = text.length
  while (start < end && trimmed.includes(text.charAt(start))) start += 1
  while (end > start && trimmed.includes(text.charAt(end - 1))) end -= 1
  return text.slice(start, end)
}

const trimmed = ' \t\n\r\0\v'
