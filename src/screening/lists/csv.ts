/** Something in a list that we do not understand: the whole import is refused, with the place. */
export class ListProblem extends Error {
  constructor(file: string, line: number, problem: string) {
    super(`${file} line ${line}: ${problem}. Nothing was imported.`)
    this.name = 'ListProblem'
  }
}

/** The fields of one line of CSV as RFC 4180 has it; undefined when the line is none. Fields do not span lines. */
export function readCsvLine(line: string): string[] | undefined {
  const fields: string[] = []
  let at = 0
  for (;;) {
    const field = line[at] === '"' ? readQuoted(line, at) : readPlain(line, at)
    if (!field) return undefined
    fields.push(field.text)
    if (field.end === line.length) return fields
    at = field.end + 1
  }
}

type Field = { text: string; end: number }

function readPlain(line: string, start: number): Field | undefined {
  const comma = line.indexOf(',', start)
  const end = comma === -1 ? line.length : comma
  const text = line.slice(start, end)
  return text.includes('"') ? undefined : { text: emptyOr(text), end }
}

function readQuoted(line: string, start: number): Field | undefined {
  let text = ''
  let at = start + 1
  for (;;) {
    const quote = line.indexOf('"', at)
    if (quote === -1) return undefined
    text += line.slice(at, quote)
    if (line[quote + 1] !== '"') {
      // Published files have blanks between a closing quote and the comma here and there.
      const rest = /^ *(?=,|$)/.exec(line.slice(quote + 1))
      // Blanks inside quotes are kept: a long remark may be cut at one, and goes on in another file.
      return rest ? { text: emptyOr(text) && text, end: quote + 1 + rest[0].length } : undefined
    }
    text += '"'
    at = quote + 2
  }
}

/** The published lists write -0- where there is nothing. */
function emptyOr(text: string): string {
  const trimmed = text.trim()
  return trimmed === '-0-' ? '' : trimmed
}
