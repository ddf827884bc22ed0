import { expect, test } from 'vitest'
import { renderMarkdown } from './markdown.ts'

const findTarget = (target: string) => (target === 'known.md' ? '/known' : undefined)

test.each([
  ['a **bold** word', '<p>a <strong>bold</strong> word</p>'],
  ['two\nlines', '<p>two lines</p>'],
  ['`a < b` and [here](known.md)', '<p><code>a &#60; b</code> and <a href="/known">here</a></p>'],
  ['[`code`](known.md)', '<p><a href="/known"><code>code</code></a></p>'],
  ['[text](unknown.md)', '<p>text</p>'],
  ['[`code`](unknown.md)', '<p><code>code</code></p>'],
  ['![a picture](picture.svg)', '<p>a picture</p>'],
  ['<https://example.com/a>', '<p><a href="https://example.com/a">https://example.com/a</a></p>'],
  ['<script>alert(1)</script>', '<p>&#60;script&#62;alert(1)&#60;/script&#62;</p>'],
  ['[x](javascript:alert)', '<p>x</p>'],
  ['<!-- a comment -->', ''],
  ['- one\n- two\n  more', '<ul><li>one</li><li>two more</li></ul>'],
  ['1. one\n2. two', '<ol><li>one</li><li>two</li></ol>'],
  ['> a quote\n> of two lines', '<blockquote><p>a quote of two lines</p></blockquote>'],
  ['```sh\n# no heading\n\na & b\n```', '<pre tabindex="0"><code># no heading\n\na &#38; b</code></pre>'],
  ['## A `code` heading', '<h2 id="a-code-heading">A <code>code</code> heading</h2>'],
])('%j is shown as %j', (source, html) => {
  expect(renderMarkdown(source, findTarget).html).toBe(html)
})

test('a table keeps an escaped bar in its cell', () => {
  const { html } = renderMarkdown('| a | b |\n| - | - |\n| `x\\|y` | z |', findTarget)
  expect(html).toContain('<th scope="col">a</th>')
  expect(html).toContain('<td><code>x|y</code></td><td>z</td>')
})
