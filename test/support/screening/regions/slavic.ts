import { coinSlavic, compound, pickRanked, pickSome, pool, type Region, type Word } from './pool.ts'

const male =
  pool(`Aleksandr/Alexander=Александр Sergei/Sergey=Сергей Vladimir/Wladimir=Владимир Andrei/Andrey=Андрей Aleksei/Alexey=Алексей
  Dmitry/Dmitri/Dmitriy=Дмитрий Nikolai/Nikolay=Николай Ivan=Иван Mikhail=Михаил Yuri/Yury/Iurii=Юрий Igor/Ihor=Игорь Viktor/Victor=Виктор
  Oleg=Олег Pavel=Павел Konstantin=Константин Evgeny/Yevgeniy/Evgenii=Евгений Anatoly/Anatoliy=Анатолий Valery/Valeriy=Валерий
  Vasily/Vasiliy=Василий Boris=Борис Maxim/Maksim=Максим Roman=Роман Denis=Денис Leonid=Леонид Gennady/Gennadiy=Геннадий
  Vyacheslav/Viacheslav=Вячеслав Vitaly/Vitaliy=Виталий Petr/Pyotr=Петр Grigory/Grigoriy=Григорий Stanislav=Станислав Ruslan=Руслан
  Kirill=Кирилл Artem/Artyom=Артем Arkady/Arkadiy=Аркадий Timur=Тимур Yaroslav/Iaroslav=Ярослав Gleb=Глеб Ramzan=Рамзан Marat=Марат`)
const female =
  pool(`Elena/Yelena=Елена Olga=Ольга Natalia/Natalya=Наталья Tatiana/Tatyana=Татьяна Irina=Ирина Svetlana=Светлана Maria/Mariya=Мария
  Anna=Анна Ekaterina/Yekaterina=Екатерина Yulia/Yuliya=Юлия Marina=Марина Lyudmila/Liudmila=Людмила Galina=Галина Valentina=Валентина`)
const common =
  pool(`Ivanov=Иванов Smirnov=Смирнов Kuznetsov=Кузнецов Popov=Попов Vasiliev/Vasilyev=Васильев Petrov=Петров Sokolov=Соколов
  Mikhailov/Mikhaylov=Михайлов Novikov=Новиков Fedorov/Fyodorov=Федоров Morozov=Морозов Volkov=Волков Alekseev/Alekseyev=Алексеев
  Lebedev=Лебедев Semenov/Semyonov=Семенов Egorov/Yegorov=Егоров Pavlov=Павлов Kozlov=Козлов Stepanov=Степанов Nikolaev/Nikolayev=Николаев
  Orlov=Орлов Andreev/Andreyev=Андреев Makarov=Макаров Nikitin=Никитин Zakharov=Захаров Zaitsev/Zaytsev=Зайцев Soloviev/Solovyov=Соловьев
  Borisov=Борисов Yakovlev/Iakovlev=Яковлев Grigoriev/Grigoryev=Григорьев Romanov=Романов Vorobiev/Vorobyov=Воробьев Sergeev/Sergeyev=Сергеев
  Shevchenko=Шевченко Kovalenko=Коваленко Bondarenko=Бондаренко Tkachenko=Ткаченко Kravchenko=Кравченко Melnik/Melnyk=Мельник`)
const heads =
  pool(`Abram=Абрам Bezruk=Безрук Belous=Белоус Bobr=Бобр Bogat=Богат Bryus=Брюс Burl=Бурл Vavil=Вавил Vereshchag/Vereschag=Верещаг
  Vikhr=Вихр Gavr=Гавр Glazk=Глазк Golits=Голиц Gryz=Грыз Degtyar/Degtiar=Дегтяр Dolgor=Долгор Dubink=Дубинк Zhark=Жарк Zhigal=Жигал
  Zavad=Завад Zimog=Зимог Zubar=Зубар Kalash=Калаш Kapust=Капуст Karpukh=Карпух Kisel=Кисел Kobyz=Кобыз Kolpak=Колпак Kopyl=Копыл
  Kotlyar/Kotliar=Котляр Kudryash/Kudriash=Кудряш Kulich=Кулич Labut=Лабут Loskut=Лоскут Lukyan/Lukian=Лукьян Minaich=Минаич Mukhan=Мухан
  Nekhorosh=Нехорош Ovchar=Овчар Panfil=Панфил Pastukh=Пастух Pestr=Пестр Pogreb=Погреб Prokop=Прокоп Pustoval=Пустовал Razgul=Разгул
  Rogozh=Рогож Rukav=Рукав Sabur=Сабур Savel=Савел Shchegl=Щегл Chernykh=Черных Tsvetk=Цветк Kadyr=Кадыр Timchenk=Тимченк Sech=Сеч Usman=Усман`)
const tails = pool(`ov=ов in=ин sky/skiy/skii=ский enko=енко chuk=чук ev=ев`)

/** Makes the patronymic of a father's name, in Cyrillic and in Latin letters. */
function patronymic(father: Word, isWoman: boolean): Word {
  const own = father.own ?? ''
  const stem = own.replace(/[ьй]$/, '').replace(/и$/, '')
  const isSoft = /[йь]$/.test(own)
  const [latinStem = ''] = father.latin
  const soft = latinStem.replace(/(?:iy|ii|ei|ai|ey|y|i)$/, (end) =>
    end === 'ei' || end === 'ey' ? 'e' : end === 'ai' ? 'a' : '',
  )
  const endings = isWoman ? ['ovna', 'evna', 'овна', 'евна'] : ['ovich', 'evich', 'ович', 'евич']
  return isSoft
    ? { latin: [soft + endings[1]], own: stem + endings[3] }
    : { latin: [latinStem + endings[0]], own: own + endings[2] }
}

const feminine = ({ latin, own }: Word): Word => {
  const turn = (text: string) =>
    /(?:ov|ev|in|ын|ов|ев|ин)$/.test(text) ? text + (/[a-z]$/.test(text) ? 'a' : 'а') : text
  return { latin: latin.map(turn), ...(own === undefined ? {} : { own: turn(own) }) }
}

export const slavic: Region = {
  name: 'Russian and Slavic',
  share: 25,
  make: (random) => {
    const isWoman = random.chance(0.2)
    const given = pickRanked(random, isWoman ? female : male)
    const surname = random.chance(0.15)
      ? pickRanked(random, common)
      : random.chance(0.25)
        ? compound(random, heads, tails)
        : coinSlavic(random)
    return {
      given: [given],
      middle: [patronymic(pickSome(random, male, 1)[0]!, isWoman)],
      family: [isWoman ? feminine(surname) : surname],
    }
  },
}
