/** Finds the first character with which a text stops being JSON; the length of a text that ends too early. */
export function findJsonError(text: string): number {
  const open: ('{' | '[')[] = []
  let at = 0
  let expected: Expected = 'value'
  const take = (token: RegExp): boolean => {
    token.lastIndex = at
    const found = token.test(text)
    if (found) at = token.lastIndex
    return found
  }
  for (;;) {
    take(space)
    const next = text[at]
    if (next === undefined) return at
    if (expected === 'end') return at
    if (expected === 'colon') {
      if (next !== ':') return at
      at += 1
      expected = 'value'
    } else if (expected === 'comma') {
      const close = open.at(-1) === '{' ? '}' : ']'
      if (next !== ',' && next !== close) return at
      at += 1
      if (next === ',') expected = close === '}' ? 'name' : 'value'
      else {
        open.pop()
        expected = afterValue(open)
      }
    } else if (expected === 'name' || expected === 'first name') {
      if (next === '}' && expected === 'first name') {
        at += 1
        open.pop()
        expected = afterValue(open)
      } else if (take(string)) expected = 'colon'
      else return at
    } else if (next === ']' && expected === 'first value') {
      at += 1
      open.pop()
      expected = afterValue(open)
    } else if (next === '{' || next === '[') {
      at += 1
      open.push(next)
      expected = next === '{' ? 'first name' : 'first value'
    } else if (take(string) || take(number) || take(word)) expected = afterValue(open)
    else return at
  }
}

type Expected = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'comma' | 'end'

function afterValue(open: readonly unknown[]): Expected {
  return open.length > 0 ? 'comma' : 'end'
}

const space = /[ \t\n\r]*/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these characters inside a text
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const word = /true|false|null/y

/** Names a place for people: lines and columns count from 1. `hidden` characters of the line are not in the text. */
export function describePlace(text: string, index: number, hidden = 0): string {
  let line = 1
  let start = 0
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', start)) {
    line += 1
    start = at + 1
  }
  return `line ${line}, column ${index - start + 1 + hidden}`
}
