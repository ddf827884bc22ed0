import { createHash } from 'node:crypto'
import { escapeHtml } from './markdown.ts'

export type Frame = { title: string; navigation: string; main: string; script?: string }

/** A page of our own for browsers: one file, no request to any other, readable without scripts. */
export function renderFrame({ title, navigation, main, script }: Frame): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header><a class="home" href="/docs/guides">Svc</a>
<nav aria-label="Guides">${navigation}</nav></header>
<main id="main">${main}</main>
${script ? `<script>${script}</script>` : ''}
</body>
</html>
`
}

/** Allows the style and the script of this page, and nothing else. */
export function policyOf({ script }: Pick<Frame, 'script'>): string {
  return [
    "default-src 'none'",
    `style-src '${hashOf(style)}'`,
    ...(script ? [`script-src '${hashOf(script)}'`] : []),
    "img-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

const style = `
:root { color-scheme: light dark; --ink: #1b1f27; --quiet: #505866; --paper: #fff; --soft: #f2f4f8; --line: #d5dae3; --link: #174ea6 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e7eaf0; --quiet: #aab2c0; --paper: #14171d; --soft: #1f242d; --line: #38404d; --link: #9cc1ff }
}
* { box-sizing: border-box }
body { margin: 0; color: var(--ink); background: var(--paper); font: 1rem/1.6 system-ui, sans-serif }
a { color: var(--link) }
.skip { position: absolute; left: -99rem } .skip:focus { left: 1rem; top: .5rem; background: var(--paper); padding: .5rem }
header { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; padding: .75rem 1.5rem; border-bottom: 1px solid var(--line) }
header .home { font-weight: 700; text-decoration: none; color: var(--ink) }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 0; padding: 0; list-style: none }
nav [aria-current] { font-weight: 600; color: var(--ink); text-decoration: none }
main { max-width: 52rem; margin: 0 auto; padding: 1.5rem }
h1 { line-height: 1.2; margin: .5rem 0 1rem } h2 { margin-top: 2.5rem; line-height: 1.3 }
pre, .wide { overflow-x: auto } pre { background: var(--soft); padding: .9rem 1rem; border-radius: .4rem; line-height: 1.45 }
code { font: .9em/1.45 ui-monospace, monospace; overflow-wrap: anywhere } pre code { overflow-wrap: normal }
table { border-collapse: collapse; font-size: .95rem } th, td { text-align: left; vertical-align: top; padding: .4rem .7rem; border: 1px solid var(--line) }
th { background: var(--soft) } blockquote { margin: 0; padding-left: 1rem; border-left: .25rem solid var(--line) }
.quiet { color: var(--quiet) } .contents { columns: 2 16rem; padding-left: 1.2rem }
.card { border: 1px solid var(--line); border-radius: .5rem; padding: 1rem 1.25rem; margin: 1.5rem 0 }
.card h2 { margin-top: 0 } .key { user-select: all; display: block; background: var(--soft); padding: .6rem .8rem; border-radius: .3rem }
button { font: inherit; padding: .4rem .9rem; border-radius: .4rem; border: 1px solid var(--link); background: var(--link); color: var(--paper) }
details { border-top: 1px solid var(--line); padding: .5rem 0 } summary { cursor: pointer } summary code { font-weight: 600 }
`
