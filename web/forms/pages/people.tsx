import { useForm } from '../fields/context.ts'
import { idOf } from '../fields/question.tsx'
import { nameOfPerson } from '../model/labels.ts'
import { listAt } from '../model/paths.ts'
import { problemsAt } from '../model/problems.ts'
import { associateSteps } from '../model/steps.ts'
import { texts } from '../texts/words.ts'

const list = 'kybData.associatedPersons'

/** The people behind a business: added, edited and removed here, filled in on pages of their own. */
export function PeopleList({ onGo, problem }: { onGo(id: string): void; problem?: string | undefined }) {
  const { store, catalog } = useForm()
  const people = listAt(store.state.values, list)
  const add = async () => {
    store.set(`${list}[${people.length}]`, {})
    await store.flush()
    onGo(`person-${people.length + 1}-about`)
  }
  const remove = async (at: number) => {
    if (!confirm(texts.people.confirmRemove(nameOfPerson(store.state.values, at)))) return
    store.set(`${list}[${at}]`, undefined)
    await store.flush()
    document.getElementById(idOf(list))?.focus()
  }
  return (
    <div id={idOf(list)} tabIndex={-1}>
      {problem && <p class="problem">{problem}</p>}
      {people.length === 0 && <p class="empty">{texts.people.none}</p>}
      <ul class="people">
        {people.map((_, at) => {
          const name = nameOfPerson(store.state.values, at)
          const open = associateSteps(store.state, catalog, at).flatMap(({ fields }) => problemsAt(store.state, fields))
          return (
            <li key={at}>
              <div>
                <strong>{name}</strong>
                <span class={open.length > 0 ? 'tag warn' : 'tag good'}>
                  {open.length > 0 ? texts.people.incomplete : texts.people.complete}
                </span>
              </div>
              <div class="buttons">
                <button type="button" class="link" onClick={() => onGo(`person-${at + 1}-about`)}>
                  {texts.edit}
                  <span class="sr"> {name}</span>
                </button>
                <button type="button" class="link" onClick={() => void remove(at)}>
                  {texts.remove}
                  <span class="sr"> {name}</span>
                </button>
              </div>
            </li>
          )
        })}
      </ul>
      <button type="button" class="secondary" onClick={() => void add()}>
        {texts.people.add}
      </button>
    </div>
  )
}
