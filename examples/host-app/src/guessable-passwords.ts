/** Returns whether a password is among those that attackers try first (NIST SP 800-63B, section 5.1.1.2). */
export const isGuessablePassword = (password: string): boolean => guessablePasswords.has(password.toLowerCase())

// The most common ones of eight characters and more. A site of your own takes a longer list, such as one of the leaked passwords.
const guessablePasswords: ReadonlySet<string> = new Set(
  `password password1 password12 password123 password1234 passw0rd p@ssword p@ssw0rd 12345678 123456789 1234567890 12345678910
  123123123 11111111 00000000 88888888 87654321 987654321 11223344 12341234 1q2w3e4r 1q2w3e4r5t 1qaz2wsx q1w2e3r4 qwertyui
  qwertyuiop qwerty12 qwerty123 qwerty1234 asdfghjk asdfghjkl zxcvbnm1 abcd1234 abc12345 abcdefgh aa123456 a1234567 iloveyou
  iloveyou1 sunshine princess football baseball superman starwars trustno1 whatever letmein1 welcome1 welcome123 admin123
  administrator changeme changeme1 computer internet michelle jennifer butterfly dragon123 monkey123 secret123 default1`.split(
    /\s+/,
  ),
)
