import { coin, compound, pickRanked, pickSome, pool, type Region } from './pool.ts'

const southAsianGiven =
  pool(`Muhammad/Mohammad/Mohammed Abdul Ahmed/Ahmad Rajesh Sanjay Rahul Amit Vijay Anil Suresh Ramesh Sunil Ashok Ravi Deepak Arun Manoj Rakesh
  Imran Tariq Asif Nadeem/Nadim Shahid Faisal Zafar Iqbal Javed/Jawed Kamran Aslam Rashid Khalid Hafeez/Hafiz Gul Noor Naseer Bashir Ajay Rohit Arjun
  Karthik Prakash Mahesh Ganesh Krishna Mohan Gopal Harish Naveen Pradeep Sandeep Vinod Mukesh Dinesh Nitin Gaurav Abhishek Ankit Varun Siddharth Bilal
  Usman Hamza Adnan Waqar Shoaib Kashif Naveed Saleem Vikram Anwar Akram Hasan Nurul Shafiq Rafiq Jamal Kamal Abdullah Nasir Jalaluddin Sirajuddin
  Dawood Gurpreet Harpreet Baljit Manpreet Jaswinder Sukhdev Kumara Mahinda Shavendra Velupillai Nimal Chaminda Bishnu Hari Ram`)
const southAsianWomen =
  pool(`Priya Sunita Anita Pooja Lakshmi Neha Kavita Rekha Meena Asha Fatima Ayesha Sana Nasreen Shabana Rukhsana Zainab Maryam Deepa Divya Swati Nisha
  Anjali Shreya Radha Sita Geeta Usha Kiran Simran Shanthi Fathima Savita Manju Kamala Sarita Rani Bushra Saima Farzana Parveen Shazia Nadia Rubina`)
const southAsianFamily =
  pool(`Khan Singh Kumar Sharma Ahmed Ali Patel Hussain/Hussein Shah Gupta Das Malik Verma Rahman Hossain Mishra Yadav Reddy Nair Iyer Chaudhry/Choudhary
  Mehta Joshi Jain Agarwal Pillai Rao Bhatt Bhat Siddiqui Qureshi Sheikh Akhtar Butt Mirza Kaur Gill Sidhu Perera Fernando Silva Bandara Islam Begum
  Iqbal Mahmood Aslam Ashraf Javed Raza Abbasi Ansari Chowdhury Uddin Alam Haque Miah Sarkar Roy Ghosh Banerjee Mukherjee Chatterjee Bose Sen Dutta Paul
  Mondal Biswas Saha Nath Pandey Tiwari Dubey Shukla Tripathi Chauhan Rathore Thakur Rajput Solanki Parmar Desai Trivedi Pandya Kulkarni Patil Deshmukh
  Jadhav Shinde Pawar Naik Shetty Hegde Menon Krishnan Subramanian Raman Swamy Rajan Haqqani Zadran Akhund Noorzai Achakzai Barakzai Popalzai Mehsud
  Wazir Afridi Yousafzai Durrani Karzai Kaskar Memon Baloch Bugti Soomro Awan Niazi Rana Cheema Warraich Sandhu Dhillon Grewal Thapa Gurung Shrestha`)
const southAsianHeads = pool(
  `Raj Bala Chandra Vikram Subra Ven Jaya Ananda Dev Krishna Rama Siva Guna Nata Mano Vish Hari Para`,
)
const southAsianTails = pool(
  `nathan singhe moorthy kumar swamy rajan gopal sekaran ratne wardena chandran manian pathy lingam prasad`,
)

export const southAsian: Region = {
  name: 'South Asian',
  share: 6,
  make: (random, isWoman) => ({
    given: [
      random.chance(0.2)
        ? { latin: [coin(random, 1 + random.below(2), ['esh', 'ullah', 'deep', 'it', 'uddin'])] }
        : pickRanked(random, isWoman ? southAsianWomen : southAsianGiven),
    ],
    middle: random.chance(0.35) ? pickSome(random, southAsianGiven, 1) : [],
    family: [
      random.chance(0.55)
        ? pickRanked(random, southAsianFamily)
        : random.chance(0.5)
          ? compound(random, southAsianHeads, southAsianTails)
          : { latin: [coin(random, 1 + random.below(2), ['zai', 'wal', 'kar', 'ani', 'pur'])] },
    ],
  }),
}

const africanGiven =
  pool(`Emmanuel John Joseph Jean Pierre Paul Samuel Moses Ibrahim Abubakar Musa Chinedu Emeka Oluwaseun Tunde Kwame Kofi Kwabena Abdi Hassan Mohamed
  Ahmed Omar Peter David Daniel James Patrick Amadou Mamadou Ousmane Moussa Seydou Tesfaye Getachew Abiy Haile Girma Thabo Sipho Nelson Tendai Farai
  Godfrey Victor Michael Stephen Francis Charles Robert Bosco Laurent Emmerson Constantino Salva Riek Joao Gideon Denis Thomas Bernard Sylvestre Innocent
  Callixte Patrice Aboubacar Iyad Ramadane Sekou Alpha Cheikh Modou Babacar Olusegun Chukwuma Ifeanyi Uche Yaw Kojo Mulugeta Dawit Yonas Bereket`)
const africanWomen =
  pool(`Mary Grace Fatou Mariama Aminata Aisha Fatima Hodan Amina Ngozi Chioma Blessing Esther Ruth Joyce Thandi Nomvula Wanjiru Achieng Isabel
  Fatoumata Awa Khady Oumou Adama Halima Hawa Zainab Funmilayo Yetunde Adaeze Akosua Ama Abena Almaz Tigist Hirut Selam Precious Patience Mercy Florence`)
const africanFamily =
  pool(`Mohamed Abdi Hassan Ali Okafor Okeke Adeyemi Ogunleye Ibrahim Bello Abubakar Mensah Owusu Boateng Traore Diallo Diop Ndiaye Keita Coulibaly
  Toure Diarra Kamau Mwangi Otieno Ochieng Odhiambo Njoroge Moyo Ncube Sibanda Dube Dlamini Nkosi Ndlovu Zulu Tesfaye Bekele Tadesse Abebe Banda
  Phiri Mutua Nkurunziza Ndayishimiye Habimana Sow Ba Sall Cisse Kone Ouattara Ouedraogo Camara Barry Bah Sylla Conteh Kamara Sesay Koroma Warsame Farah
  Yusuf Omar Ahmed Osman Nur Hussein Jama Adan Okoro Eze Nwosu Obi Balogun Ojo Musa Sani Usman Asante Appiah Osei Agyeman Mugisha Okello Opio Kariuki
  Kimani Chirwa Tembo Khumalo Mokoena Kabila Mugabe Mnangagwa Taylor Johnson Kiir Machar Deng Malong Ntaganda Mudacumura Sankoh Kony`)
const africanHeads = pool(`Nku Mba Oka Ade Olu Chi Ndi Mwa Kam Tshi Bwe Nga Musa Kala Mutu Shi Zu Gba Nwa Ama`)
const africanTails = pool(
  `runziza benga yemi lomba ngwa wande kulu fana rira dike gwu bosi mba yinka tunde nde komo kasa bira`,
)

export const african: Region = {
  name: 'African',
  share: 4,
  make: (random, isWoman) => ({
    given: [
      random.chance(0.2)
        ? { latin: [coin(random, 2, ['a', 'o', 'e', 'i'])] }
        : pickRanked(random, isWoman ? africanWomen : africanGiven),
    ],
    middle: random.chance(0.35) ? pickSome(random, africanGiven, 1) : [],
    family: [
      random.chance(0.4)
        ? pickRanked(random, africanFamily)
        : random.chance(0.5)
          ? compound(random, africanHeads, africanTails)
          : { latin: [coin(random, 2, ['a', 'o', 'we', 'u', 'i'])] },
    ],
  }),
}

const englishGiven =
  pool(`James John Robert Michael William David Richard Joseph Thomas Charles Christopher Daniel Matthew Anthony Mark Donald Steven Paul Andrew
  Joshua Kenneth Kevin Brian George Edward Ronald Timothy Jason Jeffrey Ryan Jacob Gary Nicholas Eric Jonathan Stephen Larry Justin Scott Brandon
  Benjamin Samuel Gregory Frank Alexander Raymond Patrick Jack Dennis Jerry Tyler Aaron Adam Nathan Henry Douglas Zachary Peter Kyle Ethan Walter Noah
  Jeremy Christian Keith Roger Terry Austin Sean Gerald Carl Harold Dylan Arthur Lawrence Jordan Jesse Bryan Billy Bruce Gabriel Joe Logan Alan Albert
  Willie Wayne Randy Vincent Mason Roy Ralph Bobby Russell Bradley Philip Eugene Simon Ian Neil Graham Stuart Craig Liam Oliver Harry`)
const englishWomen =
  pool(`Mary Patricia Jennifer Linda Elizabeth Barbara Susan Jessica Sarah Karen Lisa Nancy Betty Sandra Margaret Ashley Kimberly Emily Donna Michelle
  Carol Amanda Melissa Deborah Stephanie Rebecca Laura Sharon Cynthia Kathleen Amy Angela Shirley Anna Brenda Pamela Emma Nicole Helen Samantha Katherine
  Christine Debra Rachel Carolyn Janet Catherine Maria Heather Diane Ruth Julie Olivia Joyce Virginia Victoria Kelly Lauren Christina Joan Evelyn Judith`)
const englishFamily =
  pool(`Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Wilson Anderson Taylor Moore Jackson Martin Lee Thompson White Harris Clark
  Lewis Robinson Walker Young Allen King Wright Scott Hill Green Adams Baker Nelson Campbell Mitchell Carter Roberts Phillips Evans Turner Parker
  Collins Edwards Stewart Morris Murphy Cook Rogers Morgan Cooper Peterson Reed Bailey Bell Kelly Howard Ward Cox Richardson Wood Watson Brooks
  Bennett Gray James Hughes Price Myers Long Foster Sanders Ross Powell Sullivan Russell Fisher Henderson Cole West Jordan Reynolds Graham Wallace Woods
  Hamilton Ford Hunter Palmer Gibson Dixon Black Robertson Stone Knight Rose Fox Mason Mills Warren Dunn Burns Shaw Holmes Rice Barnes Hart Webb Simpson
  Stevens Tucker Porter Hicks Crawford Boyd Kennedy Kelley Austin Elliott Chapman Lawrence Matthews Armstrong Andrews Grant Spencer Gardner Payne Pearce
  Berry Hudson Newman Clarke Wilkinson Atkinson Jenkins Barker Lloyd Davies Owen Harvey Fletcher Saunders Bradley O'Brien O'Connor Byrne Walsh Doyle`)
const englishHeads = pool(
  `Ash Brad Clay Dun El Far Grim Hart Kil Lang Marsh Nor Oak Pem Rad Stan Thorn Wake Win Black Hather`,
)
const englishTails = pool(
  `bury combe field wick worth ham ley shaw thorpe well stead ridge brook croft dale gate land more`,
)

export const english: Region = {
  name: 'English',
  share: 4,
  make: (random, isWoman) => ({
    given: [pickRanked(random, isWoman ? englishWomen : englishGiven)],
    middle: random.chance(0.45) ? pickSome(random, isWoman ? englishWomen : englishGiven, 1) : [],
    family: [
      random.chance(0.28)
        ? pickRanked(random, englishFamily)
        : random.chance(0.4)
          ? compound(random, englishHeads, englishTails)
          : { latin: [coin(random, 1 + random.below(2), ['er', 'on', 'ley', 'ins', 'ert'])] },
    ],
  }),
}

const europeanGiven =
  pool(`Jean Pierre Michel Philippe Hans Peter Klaus Wolfgang Jürgen/Jurgen Giuseppe Giovanni Marco Luca Jan Piet Lars Erik Anders Nikos Georgios
  Dimitrios Zoran Dragan Milan Goran Slobodan Ratko Radovan Milorad Dejan Piotr Krzysztof Tomasz Andrzej Thomas Andreas Stefan Markus Michael Antonio
  Francesco Andrea Mario Alain Nicolas Laurent Paweł/Pawel Marek Johan Ioannis Konstantinos Nikola Marko Aleksandar Ivan Josip Ante József/Jozsef
  László/Laszlo István/Istvan Gábor/Gabor Ion Andrei Mihai Gheorghe Petr Josef Jiří/Jiri Pavel Martin Georgi Dimitar Hendrik Willem Pieter`)
const europeanWomen =
  pool(`Marie Sophie Anna Ingrid Francesca Giulia Maria Katarzyna Agnieszka Ewa Monika Julia Laura Claire Isabelle Nathalie Sabine Petra Ursula Eva
  Elena Ivana Jelena Milica Ana Marija Katalin Zsuzsanna Ioana Sofia Christine Barbara Martina Silvia Paola Chiara Małgorzata/Malgorzata Joanna Karin`)
const europeanFamily =
  pool(`Müller/Mueller Schmidt Schneider Fischer Weber Martin Bernard Dubois Durand Rossi Russo Ferrari Esposito Bianchi Jansen Bakker Visser
  Hansen Johansson Andersson Nielsen Papadopoulos Georgiou Jovanović/Jovanovic Petrović/Petrovic Nikolić/Nikolic Marković/Markovic Kowalski Nowak
  Wiśniewski/Wisniewski Wójcik/Wojcik Horvat Novák/Novak Popescu Ionescu Nagy Kovács/Kovacs Tóth/Toth Meyer Wagner Becker Schulz Hoffmann Moreau Laurent
  Simon Lefebvre Leroy Romano Colombo Ricci Marino Greco Smit Meijer Johansen Olsen Larsen Andersen Jensen Karlsson Nilsson Eriksson Nikolaou
  Stojanović/Stojanovic Ilić/Ilic Stanković/Stankovic Pavlović/Pavlovic Milošević/Milosevic Kamiński/Kaminski Lewandowski Zieliński/Zielinski Kovačević/Kovacevic
  Babić/Babic Marić/Maric Svoboda Dvořák/Dvorak Popa Radu Szabó/Szabo Horváth/Horvath Varga Georgiev Dimitrov Kelmendi Hoxha Berisha Krasniqi Virtanen
  Dodik Karadžić/Karadzic Mladić/Mladic`)

export const european: Region = {
  name: 'European',
  share: 4,
  make: (random, isWoman) => ({
    given: [pickRanked(random, isWoman ? europeanWomen : europeanGiven)],
    middle: random.chance(0.2) ? pickSome(random, europeanGiven, 1) : [],
    family: [
      random.chance(0.2)
        ? pickRanked(random, europeanFamily)
        : { latin: [coin(random, 2, ['ic', 'er', 'ini', 'eau', 'sen', 'ski'])] },
    ],
  }),
}
