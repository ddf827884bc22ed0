import { lineOf, readSource, type SourceFile, type Violation } from './source-tree.ts'

/** Words and phrases that hide the actor, and the word to write instead. They are found inside identifiers as well. */
// biome-ignore format: a table is read by column
const forbidden: Readonly<Record<string, string>> = {
  'nobody':                'name the role (no caller, no other worker), or say which state it is: unattributed, unclaimed',
  'somebody':              'name the role: caller, operator, reviewer, customer, worker, sender, receiver',
  'whoever':               'name the role: caller, operator, reviewer, customer, worker, sender, receiver',
  'whatever':              'name the thing, or write "any" or "regardless of"',
  'turned away':           'rejected',
  'gave back':             'returned',
  'came back':             'was returned; returned funds',
  'paid again':            'repaid; a repayment',
  'sent again':            'retried',
  'asked again':           'polled, or retried',
  'looked at again':       're-checked',
  'carried on':            'advanced',
  'hurried':               'expedited',
  'never heard of':        'does not know the reference',
  'held against … list':   'screened',
}

/** Files that quote the words: this list, and the examples that break the rule. */
const quoting = ['test/support/style/word-rules.ts', 'test/support/style/broken-examples.ts']

/** `turned away`, `turnedAway`, `turned_away`, and the same over the end of a line of comment; … is a few words. */
const patternOf = (phrase: string) =>
  phrase
    .replaceAll(' … ', String.raw`(?:\s+\w+){0,3}\s+`)
    .replaceAll(' ', String.raw`(?:\s+(?:(?:\*|\/\/|--|#|>)\s*)?|[_-])?`)
const anyForbidden = new RegExp(
  Object.keys(forbidden)
    .map((phrase) => `(${patternOf(phrase)})`)
    .join('|'),
  'gi',
)

/** "present again" does not say "sent again"; `wasSentAgain` does. */
const isWordStart = ({ 0: found, index, input }: RegExpExecArray) =>
  /[^a-z]$/i.test(input.slice(0, index) || ' ') || /^[A-Z]/.test(found)

/** The texts that the rule reads: code, SQL, documents, and the pages in the root of the repository. */
export function isText({ path }: { path: string }): boolean {
  return (
    /^(?:src|test|bench|scripts|web)\/.*\.(?:tsx?|mjs|css)$|\.sql$|^docs\/.*\.(?:md|json|svg)$|^[^/]+\.md$/.test(
      path,
    ) && !quoting.includes(path)
  )
}

/** Every forbidden word or phrase, in the text or the name of a file. An exception names the file and the phrase. */
export function forbiddenWords(files: readonly SourceFile[]): Violation[] {
  return files.filter(isText).flatMap((file) => {
    const complain = (match: RegExpExecArray, line: number): Violation => {
      const phrase = Object.keys(forbidden)[match.slice(1).findIndex((group) => group !== undefined)] ?? ''
      const problem = `says "${match[0].replace(/\s+/g, ' ')}": ${forbidden[phrase]}`
      return { key: `${file.path} ${phrase}`, path: file.path, line, problem }
    }
    return [
      ...[...file.path.matchAll(anyForbidden)].filter(isWordStart).map((match) => complain(match, 1)),
      ...[...file.text.matchAll(anyForbidden)]
        .filter(isWordStart)
        .map((match) => complain(match, lineOf(file, match.index))),
    ]
  })
}

const opening = /^(?:What|Of|That)\b/

/** Comments that begin with What, Of or That. Lines of one comment are read together: only the first one begins it. */
export function riddleOpenings(files: readonly SourceFile[]): Violation[] {
  return files.filter(isText).flatMap((file) =>
    commentsOf(file)
      .filter(({ text }) => opening.test(text))
      .map(({ at, text }) => {
        const problem = `has a comment that begins "${text.slice(0, 40)}": begin with a verb (Claims …) or a noun (A payout …)`
        return { key: file.path, path: file.path, line: lineOf(file, at), problem }
      }),
  )
}

type Comment = { at: number; text: string }

function commentsOf(file: SourceFile): Comment[] {
  if (file.path.endsWith('.sql')) return lineComments(file.text, file.text, '--')
  if (!/\.(?:ts|mjs)$/.test(file.path)) return []
  const { comments } = readSource(file.path, file.text)
  const blocks = [...comments.matchAll(/\/\*+[\s*]*(.*)/g)].map((match) => ({ at: match.index, text: match[1] ?? '' }))
  return [...blocks, ...lineComments(comments, file.text, '//')]
}

/** Comments to the end of the line, without the lines that continue the comment above them. */
function lineComments(comments: string, text: string, mark: string): Comment[] {
  const lines = text.split('\n')
  let at = 0
  return comments.split('\n').flatMap((line, number) => {
    const start = at
    at += line.length + 1
    const column = line.indexOf(mark)
    const isContinued = lines[number]?.trimStart().startsWith(mark) && lines[number - 1]?.trimStart().startsWith(mark)
    return column === -1 || isContinued ? [] : [{ at: start + column, text: line.slice(column + mark.length).trim() }]
  })
}
