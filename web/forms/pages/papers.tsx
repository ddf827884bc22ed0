import { useForm } from '../fields/context.ts'
import { Field } from '../fields/field.tsx'
import { idOf } from '../fields/question.tsx'
import { listAt } from '../model/paths.ts'
import type { ShownProblem } from '../model/problems.ts'
import { texts } from '../texts/words.ts'

const list = 'kybData.businessDocuments'

/** The documents of a business. */
export function PapersList({ problems }: { problems: readonly ShownProblem[] }) {
  const { store } = useForm()
  const papers = listAt(store.state.values, list)
  const problemOf = (path: string) => problems.find(({ place }) => place === path)?.text
  const add = async () => {
    store.set(`${list}[${papers.length}]`, {})
    await store.flush()
    document.getElementById(idOf(`${list}[${papers.length}].type`))?.focus()
  }
  const remove = async (at: number) => {
    store.set(`${list}[${at}]`, undefined)
    await store.flush()
    document.getElementById(idOf(list))?.focus()
  }
  return (
    <div id={idOf(list)} tabIndex={-1}>
      {problemOf(list) && <p class="problem">{problemOf(list)}</p>}
      {papers.length === 0 && <p class="empty">{texts.papers.none}</p>}
      {papers.map((_, at) => (
        <section class="paper-card" key={`${store.state.moves} ${at}`} aria-label={texts.papers.paper(at + 1)}>
          <h2>{texts.papers.paper(at + 1)}</h2>
          {['type', 'documentImage'].map((name) => {
            const path = `${list}[${at}].${name}`
            return <Field key={path} path={path} problem={problemOf(path)} />
          })}
          <button type="button" class="link" onClick={() => void remove(at)}>
            {texts.papers.remove}
            <span class="sr"> – {texts.papers.paper(at + 1)}</span>
          </button>
        </section>
      ))}
      <button type="button" class="secondary" onClick={() => void add()}>
        {texts.papers.add}
      </button>
    </div>
  )
}
