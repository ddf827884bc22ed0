export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

export type Heading = { level: number; text: string; id: string }

/** Where a link of a page leads when it is shown here; undefined for a target that is not shown. */
export type FindTarget = (target: string) => string | undefined

/**
 * Turns a page of docs/ into HTML. It knows what these pages use: headings, paragraphs, lists, tables, quotes and code.
 * Everything else is text, so a page cannot add markup of its own.
 */
export function renderMarkdown(source: string, findTarget: FindTarget): { html: string; headings: Heading[] } {
  const headings: Heading[] = []
  const inline = (text: string) => renderInline(text, findTarget)
  const html = splitBlocks(source).map((block) => renderBlock(block, inline, headings))
  return { html: html.join('\n'), headings }
}

type Inline = (text: string) => string

/** Splits at empty lines and headings; a fenced block of code stays whole. */
function splitBlocks(source: string): string[] {
  const blocks: string[][] = [[]]
  let isCode = false
  for (const line of source.split('\n')) {
    const isFence = line.trimStart().startsWith('```')
    const isHeading = !isCode && /^#{1,6} /.test(line)
    if ((!isCode && line.trim() === '') || isHeading || (isFence && !isCode)) blocks.push([])
    if (isCode || line.trim() !== '') blocks.at(-1)?.push(line)
    if (isFence) isCode = !isCode
    if ((isFence && !isCode) || isHeading) blocks.push([])
  }
  const isComment = (lines: readonly string[]) => lines[0]?.startsWith('<!--')
  return blocks.filter((lines) => lines.length > 0 && !isComment(lines)).map((lines) => lines.join('\n'))
}

function renderBlock(block: string, inline: Inline, headings: Heading[]): string {
  const lines = block.split('\n')
  const [first = ''] = lines
  if (first.trimStart().startsWith('```')) return renderCode(lines)
  const heading = /^(#{1,6}) (.*)$/.exec(first)
  if (heading) return renderHeading(heading[1]?.length ?? 1, heading[2] ?? '', inline, headings)
  if (/^\s*\|/.test(first)) return renderTable(lines, inline)
  if (/^\s*([-*]|\d+\.) /.test(first)) return renderList(lines, inline)
  if (first.startsWith('> ')) return `<blockquote><p>${inline(joined(lines, /^> ?/))}</p></blockquote>`
  return `<p>${inline(joined(lines))}</p>`
}

function joined(lines: readonly string[], prefix = /^\s+/): string {
  return lines.map((line) => line.replace(prefix, '')).join(' ')
}

function renderCode(lines: readonly string[]): string {
  const indent = /^\s*/.exec(lines[0] ?? '')?.[0].length ?? 0
  const code = lines.slice(1, -1).map((line) => line.slice(indent))
  // A block that scrolls can be reached with the keyboard.
  return `<pre tabindex="0"><code>${escapeHtml(code.join('\n'))}</code></pre>`
}

function renderHeading(level: number, text: string, inline: Inline, headings: Heading[]): string {
  const plain = text.replace(/[`*]/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  const id = plain
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
  headings.push({ level, text: plain, id })
  return `<h${level} id="${escapeHtml(id)}">${inline(text)}</h${level}>`
}

function renderTable(lines: readonly string[], inline: Inline): string {
  const cellsOf = (line: string) =>
    line
      .trim()
      .replace(/^\||\|$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => inline(cell.trim().replaceAll('\\|', '|')))
  const [head = '', , ...rows] = lines
  const headCells = cellsOf(head).map((cell) => `<th scope="col">${cell}</th>`)
  const bodyRows = rows.map(
    (row) =>
      `<tr>${cellsOf(row)
        .map((cell) => `<td>${cell}</td>`)
        .join('')}</tr>`,
  )
  const table = `<table><thead><tr>${headCells.join('')}</tr></thead><tbody>${bodyRows.join('')}</tbody></table>`
  return `<div class="wide" tabindex="0">${table}</div>`
}

function renderList(lines: readonly string[], inline: Inline): string {
  const isNumbered = /^\s*\d+\. /.test(lines[0] ?? '')
  const items: string[] = []
  for (const line of lines) {
    if (/^\s*([-*]|\d+\.) /.test(line)) items.push(line.replace(/^\s*([-*]|\d+\.) /, ''))
    else items.push(`${items.pop() ?? ''} ${line.trim()}`)
  }
  const tag = isNumbered ? 'ol' : 'ul'
  return `<${tag}>${items.map((item) => `<li>${inline(item)}</li>`).join('')}</${tag}>`
}

/** Code, a link or picture, or an address. The label of a link may hold code. */
const spans = /`[^`]+`|!?\[(?:`[^`]*`|[^\]`])*\]\([^)\s]+\)|<https?:[^>\s]+>/g

function renderInline(text: string, findTarget: FindTarget): string {
  let html = ''
  let from = 0
  for (const { 0: span, index } of text.matchAll(spans)) {
    html += emphasize(text.slice(from, index)) + renderSpan(span, findTarget)
    from = index + span.length
  }
  return html + emphasize(text.slice(from))
}

function renderSpan(span: string, findTarget: FindTarget): string {
  if (span.startsWith('`')) return `<code>${escapeHtml(span.slice(1, -1))}</code>`
  if (span.startsWith('<')) return renderLink(span.slice(1, -1), escapeHtml(span.slice(1, -1)))
  const [, label = '', target = ''] = /\[(.*)\]\(([^)]*)\)$/.exec(span) ?? []
  const words = renderInline(label, () => undefined)
  // A picture is shown by its text.
  return span.startsWith('!') ? words : renderLink(findTarget(target), words)
}

function renderLink(href: string | undefined, words: string): string {
  return href === undefined ? words : `<a href="${escapeHtml(href)}">${words}</a>`
}

/** Bold text may hold code, so its marks are replaced in pairs only within one piece of text. */
function emphasize(text: string): string {
  return escapeHtml(text).replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
}
