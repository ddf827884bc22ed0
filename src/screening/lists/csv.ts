import { CsvError, parse } from 'csv-parse/sync'

/** A line of a list that cannot be read. The import refuses the whole list and names the place. */
export class ListProblem extends Error {
  constructor(file: string, line: number, problem: string) {
    super(`${file} line ${line}: ${problem}. Nothing was imported.`)
    this.name = 'ListProblem'
  }
}

/**
 * Reads the fields of one line of CSV (RFC 4180); undefined when the line is not CSV. Each line is parsed alone, so a
 * field never spans lines: an open quote is found in its own line and cannot swallow the entries after it.
 */
export function readCsvLine(line: string): string[] | undefined {
  try {
    const [fields = ['']] = parse(line, {
      // Published files have blanks between a closing quote and the comma here and there.
      rtrim: true,
      relax_column_count: true,
      record_delimiter: '\n',
      cast: (text, { quoting }) => readField(text, quoting),
    })
    return fields
  } catch (error) {
    if (error instanceof CsvError) return undefined
    throw error
  }
}

/** The published lists write -0- for an empty field. Blanks inside quotes stay: a long remark may be cut at one. */
function readField(text: string, isQuoted: boolean): string {
  const trimmed = text.trim()
  if (trimmed === '-0-' || trimmed === '') return ''
  return isQuoted ? text : trimmed
}
